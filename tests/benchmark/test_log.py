import errno
import json
import logging
import os

import pytest

from benchmark.log import BLOCK, LONGEST, BadLine, Event, LogWriter, Oddity, parse_line, read_log
from compliance.reading.log import plain_event


def line(key="k", value=1, time_ms=5, **more):
    fields = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key, "value": value}
    return f":::MLLOG {json.dumps({**fields, 'metadata': {'lineno': 1}, **more})}"


def read(tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    items = list(read_log(path))
    assert repr(list(read_log(path, plain_event))) == repr(items)  # repr, because NaN equals nothing
    return items


def test_events_with_their_lines(tmp_path):
    first, second = read(tmp_path, f"hello\n{line('a', 1)}\n\n{line('b', None, 6)}\nbye")
    assert first == Event(2, 5, "POINT_IN_TIME", "a", 1, {"lineno": 1})
    assert second == Event(4, 6, "POINT_IN_TIME", "b", None, {"lineno": 1})
    text = line("a") + "\r\n" + line("b").replace("MLLOG {", "MLLOG{") + "\r\n"
    assert [(i.line, i.key) for i in read(tmp_path, text)] == [(1, "a"), (2, "b")]
    least = ':::MLLOG {"key": "a", "time_ms": 1}'
    assert read(tmp_path, least) == [Event(1, 1, None, "a", None, None)]


@pytest.mark.parametrize(
    "rest",
    [
        "", "{", "{'a': 1}", "[1]", "3", "null", '{"key": [], "time_ms": 1}', "{" * 100_000, "[" * 100_000,
        '{"key": "a", "time_ms": ' + "9" * 5000 + "}",
    ],
    ids=lambda r: r[:20],
)  # fmt: skip
def test_bad_line_is_a_fact(tmp_path, rest):
    (item,) = read(tmp_path, f"x\n:::MLLOG {rest}\n")
    assert isinstance(item, BadLine)
    assert item.line == 2


@pytest.mark.parametrize(
    ("event", "missing"),
    [
        ('{"key": "a"}', "no 'time_ms', or not as it should be: None"),
        ('{"time_ms": 1}', "no 'key', or not as it should be: None"),
        ('{"key": 7, "time_ms": 1}', "no 'key', or not as it should be: 7"),
    ],
)
def test_a_bad_event_is_told_with_what_it_lacks(tmp_path, event, missing):
    assert read(tmp_path, f":::MLLOG {event}\n") == [BadLine(1, f"the event has {missing}")]


@pytest.mark.parametrize(
    "text,kind",
    [
        (b"[0] " + line().encode(), "prefix"),
        (line().encode() + b" and more", "suffix"),
        (b"\xef\xbb\xbf" + line().encode(), "control"),
        (b"\0\0" + line().encode(), "control"),
        (line().encode().replace(b'"k"', b'"k\xff"'), "encoding"),
        (line(value=float("nan")).encode(), "constant"),
        (line().encode().replace(b'"key": "k"', b'"key": "j", "key": "k"'), "twice"),
        (line().encode().replace(b'"metadata": {', b'"metadata": {"status": 1, "status": 2, '), "twice"),
        (line(metadata=None).encode().replace(b'"key": "k"', b'"key": "k", "key": "k"'), "twice"),
        (line(value=[{"b": 1}]).encode().replace(b'"b": 1', b'"b": 1, "b": 2'), "twice"),
    ],
)
def test_oddity_beside_its_event(tmp_path, text, kind):
    items = read(tmp_path, text + b"\n" + line("after").encode())
    assert sorted(type(i).__name__ for i in items) == ["Event", "Event", "Oddity"]
    assert next(i for i in items if isinstance(i, Oddity)) == Oddity(1, kind)


@pytest.mark.parametrize(
    "value",
    ["1e400", "-1e-400", "9" * 400, str(1 << 64), str(-(1 << 63) - 1), '"\\ud800"', "-0", "-0.0", "0.1e5", "5e-324"],
)
def test_the_faster_parser_reads_the_same_value(tmp_path, value):
    (item,) = read(tmp_path, line().replace('"value": 1', f'"value": {value}'))
    assert repr(item.value) == repr(json.loads(value))


def test_the_faster_parser_takes_plain_lines_alone(tmp_path):
    text = "\n".join([line("a"), " " + line("b"), line("c") + " and more", line("d", float("nan"))])
    (tmp_path / "a.txt").write_text(text)
    parsed = []

    def plain(number, text):
        event = plain_event(number, text)
        parsed.append((text, event is not None))
        return event

    keys = [item.key for item in read_log(tmp_path / "a.txt", plain) if isinstance(item, Event)]
    assert keys == ["a", "b", "c", "d"]
    assert parsed == [(line("a"), True), (line("c") + " and more", False), (line("d", float("nan")), False)]


@pytest.mark.parametrize("size", [LONGEST - 1, LONGEST, LONGEST + 1, 5 * BLOCK])
def test_a_line_has_up_to_a_mebibyte_and_others_their_numbers(tmp_path, size):
    text = line("b", "")
    text = text.replace('"value": ""', f'"value": "{"y" * (size - len(text))}"')
    items = read(tmp_path, "\n".join(["x" * size, line("a"), text, "z" * size, line("c")]))
    assert [(i.line, i.key) for i in items if isinstance(i, Event) and i.key != "b"] == [(2, "a"), (5, "c")]
    (middle,) = [i for i in items if i.line == 3]
    assert (middle == BadLine(3, "the line is longer than 1 MiB")) is (size > LONGEST)


@pytest.mark.parametrize(("length", "shown"), [(39, 39), (40, 40), (41, 40)])
def test_of_what_is_no_json_so_much_is_shown(tmp_path, length, shown):
    (item,) = read(tmp_path, ":::MLLOG " + "x" * length)
    assert item == BadLine(1, f"not JSON: found '{'x' * shown}' after the token")
    for size in (LONGEST - 1, LONGEST):
        (item,) = parse_line(1, ':::MLLOG {"key": "' + "x" * (size - 18))
        assert ("longer than 1 MiB" in item.reason) is (size == LONGEST)


def test_only_regular_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "none", "/dev/zero"):
        with pytest.raises(OSError):
            list(read_log(path))


def test_what_is_written_is_read(tmp_path):
    writer = LogWriter(tmp_path / "new" / "set" / "result_0.txt")
    writer.start("run_start")
    writer.event("seed", (1 << 62) + 1, source="os.urandom")
    writer.end("run_stop", None, status="success")
    writer.close()
    start, seed, stop = read_log(tmp_path / "new" / "set" / "result_0.txt")
    assert (start.key, start.event_type, start.value) == ("run_start", "INTERVAL_START", None)
    assert (seed.key, seed.event_type, seed.value) == ("seed", "POINT_IN_TIME", (1 << 62) + 1)
    assert (stop.event_type, seed.metadata["source"]) == ("INTERVAL_END", "os.urandom")
    assert seed.metadata["file"] == "tests/benchmark/test_log.py"  # the caller


@pytest.mark.parametrize(("events", "kinds"), [(101, ["Event"] * 101), (102, ["Event", "BadLine"])])
def test_a_line_holds_a_hundred_events_beside_its_first(tmp_path, events, kinds):
    items = [i for i in read(tmp_path, line("a") * events) if not isinstance(i, Oddity)]
    assert [type(i).__name__ for i in items] == kinds
    assert kinds[-1] == "Event" or items[-1].reason == f"{events} events in one line, wanted one"


def test_a_log_is_continued_or_new_and_never_overwritten(tmp_path, monkeypatch):
    """Also where a library has disabled logging."""
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)
    path = tmp_path / "result_0.txt"
    for append, keys in ((False, ["a"]), (True, ["a", "b"])):
        writer = LogWriter(path, append)
        writer.event(keys[-1])
        writer.close()
        assert [i.key for i in read_log(path)] == keys
    with pytest.raises(FileExistsError):
        LogWriter(path)
    assert [i.key for i in read_log(path)] == ["a", "b"]


@pytest.mark.parametrize("value", ["a: b", [1, {"a": 2}, [{"a": 3}]], {"a": {"b": {}}}, "\ufffd"])
def test_of_a_line_with_one_oddity_nothing_else_is_odd(tmp_path, value):
    text = json.dumps(json.loads(line(value=value)[9:]), ensure_ascii=False)
    event, oddity = read(tmp_path, f":::MLLOG {text} x")
    assert event.value == value and oddity == Oddity(1, "suffix")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_log_that_cannot_be_written_is_an_error_with_its_path():
    writer = LogWriter("/dev/full", append=True)
    with pytest.raises(OSError) as raised:
        writer.event("a")
    assert (raised.value.errno, raised.value.filename) == (errno.ENOSPC, "/dev/full")
