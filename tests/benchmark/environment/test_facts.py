import json
from unittest.mock import Mock

from benchmark.environment.facts import LARGEST, Fact, counted, entries, fact, key_values, maybe


def test_a_fact_is_a_value_and_its_origin_or_has_a_reason():
    assert fact("os.uname", lambda: {"a": 1}) == Fact({"a": 1}, "os.uname")
    assert fact("here", lambda: 0) == Fact(0, "here")
    gone = Mock(side_effect=FileNotFoundError(2, "No such file"))
    assert fact("/proc/x", gone) == Fact(None, "/proc/x: No such file")
    assert fact("x", Mock(side_effect=ValueError("no\nsecond line"))) == Fact(None, "x: no")
    assert fact("x", Mock(side_effect=KeyError())) == Fact(None, "x: KeyError")
    assert fact("x", list) == Fact(None, "x: nothing there")
    assert fact("x", lambda: {1, 2}).value is None  # no JSON
    assert len(fact("x" * 1000, lambda: None).origin) == 500
    most = LARGEST - len(json.dumps(""))
    assert fact("x", lambda: "a" * most).value
    assert fact("x", lambda: "a" * (most + 1)) == Fact(None, f"x: {LARGEST + 1} bytes, more than {LARGEST}")


def test_files_and_folders_that_may_not_be_there_and_equal_items(tmp_path):
    assert counted([{"a": 1}, {"a": 2}, {"a": 1}]) == [{"a": 1, "count": 2}, {"a": 2, "count": 1}]
    (tmp_path / "table").write_text("a : 1\nb\na: 2\n")
    assert key_values(tmp_path / "table") == {"a": ["1", "2"], "b": [""]}
    assert (maybe(tmp_path / "none"), entries(tmp_path / "none"), key_values(tmp_path / "none")) == (None, [], {})
    assert entries(tmp_path) == [tmp_path / "table"]
