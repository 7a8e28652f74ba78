"""Lists that reviewers write: lines, dates, what is refused; and patterns of whole names."""

from dataclasses import dataclass

import pytest

from compliance.reviewing.entries import covers_path, day, read_entries
from tests.support.sides import sides


@dataclass(frozen=True)
class Entry:
    name: str
    when: str = ""


def test_entries_have_their_lines_and_their_file_a_place(tmp_path):
    file = tmp_path / "list.yaml"
    file.write_text("# two\n- {name: a, when: 2026-11-22}\n\n- name: b\n  when: '2026-11-23'\n")
    assert read_entries(file, [], Entry, "entries") == ((2, Entry("a", "2026-11-22")), (4, Entry("b", "2026-11-23")))
    file.write_text("# none yet\n")
    assert read_entries(file, [], Entry, "entries") == ()
    with pytest.raises(ValueError, match="No such file"):
        read_entries(tmp_path / "none.yaml", [], Entry, "entries")
    with pytest.raises(ValueError, match=r"entries inside of .*, wanted a file outside of what is judged"):
        read_entries(tmp_path / "none.yaml", [tmp_path], Entry, "entries")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1", "found a dict, wanted a list of entries"),
        ("[" * 1500, "cannot be read as YAML: nested too deeply"),
        ("- {name: a, when: 2026-13-22}", "cannot be read as YAML"),
        ("- {name: !!bool x}", "cannot be read as YAML: found a tag"),
        ("- 7", "list.yaml:1: found 7, wanted a mapping"),
        ("\n- {nam: a}", "list.yaml:2: unknown field 'nam'; did you mean 'name'"),
        ("- {name: a, when: 2026-11-22 10:00:00}", "list.yaml:1.when: found datetime"),
    ],
)
def test_what_is_no_list_of_entries_is_refused(tmp_path, text, said):
    (tmp_path / "list.yaml").write_text(text)
    with pytest.raises(ValueError, match=said):
        read_entries(tmp_path / "list.yaml", [], Entry, "entries")


@pytest.mark.parametrize("text", ["", "20261122", "2026-W47-7", "22.11.2026", "2026-02-30", "2026-11-22T10"])
def test_a_day_is_written_in_one_way(text):
    assert str(day("2026-11-22", "when")) == "2026-11-22"
    with pytest.raises(ValueError, match=r"^when: found .*, wanted a day, YYYY-MM-DD"):
        day(text, "when")


OTHERS = [
    "x/a/b/c/result_1.txt",  # longer than the path
    "c",  # a folder says so by its end
    "a/*/result_1.txt",  # * is one name
    "result_1.txt/",  # nothing is below it
    *("1.txt", "result_[2-3].txt", "b/*", ""),
]


@pytest.mark.parametrize(
    ("pattern", "fit"),
    sides((["result_1.txt", "b/c/result_1.txt", "result_*.txt", "b/*/result_?.txt", "c/", "b/", "?/c/", "*"], OTHERS)),
)
def test_a_pattern_is_of_whole_names_and_ends_the_path_or_is_a_folder(pattern, fit):
    assert covers_path(pattern, "a/b/c/result_1.txt") is fit
    assert covers_path(pattern, "/a/b/c/result_1.txt") is fit
