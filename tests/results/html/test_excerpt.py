"""Lines of files: only of what was checked, only of regular files, and never without a bound."""

import os

from results.html import excerpt
from results.html.excerpt import Line, excerpts, read_lines


def test_lines_with_their_neighbours(tmp_path):
    path = tmp_path / "log"
    path.write_text("one\ntwo\r\nthree\nfour")
    assert excerpts(path, tmp_path, [1, 4], 1) == {
        1: [Line(1, "one", True), Line(2, "two")],
        4: [Line(3, "three"), Line(4, "four", True)],
    }
    assert excerpts(path, tmp_path, [5, 0, -1], 0) == {} and excerpts(path, tmp_path, [], 2) == {}


def test_nothing_outside_of_what_was_checked(tmp_path):
    home, secret = tmp_path / "home", tmp_path / "secret"
    home.mkdir()
    secret.write_text("hidden")
    (home / "link").symlink_to(secret)
    assert excerpts(secret, home, [1], 0) == {} and excerpts(home / "link", home, [1], 0) == {}


def test_no_pipe_is_opened_and_what_is_gone_is_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "gone", "."):
        assert excerpts(tmp_path / name, tmp_path, [1], 0) == {}


def test_long_lines_are_cut_and_count_once(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"x" * (3 * excerpt.BLOCK) + b"\nsecond\xff\n")
    found = read_lines(path, {1, 2})
    assert len(found[1]) == excerpt.SHOWN and found[1].endswith("...") and found[2] == "second\ufffd"


def test_no_more_is_read_than_the_bound(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_text("one\ntwo\nthree\n")
    for bound, last in ((7, 2), (8, 2), (9, 3)):  # a line that begins within it is read
        monkeypatch.setattr(excerpt, "MOST", bound)
        assert max(read_lines(path, {1, 2, 3})) == last


def test_whom_to_write_to_is_shown_nowhere(tmp_path):
    path = tmp_path / "log"
    path.write_text('{"key": "submission_poc_name", "value": "A Person"}\n')
    assert read_lines(path, {1}) == {1: "[contact]"}
