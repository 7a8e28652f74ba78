"""Files are whole or not there, and what killed writers left is swept away."""

import pytest

from benchmark.atomic import replacing, sweep


def test_what_is_written_is_there_at_the_end_and_not_before(tmp_path):
    path = tmp_path / "new" / "a.txt"
    with replacing(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists() and temporary.parent == path.parent
    assert path.read_text() == "whole" and list(path.parent.iterdir()) == [path]


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_of_leftovers_those_of_the_files_named_are_swept(tmp_path):
    mine, other = tmp_path / "train" / "a.h5", tmp_path / "train" / "b.h5"
    mine.parent.mkdir()
    (left, kept) = (path.with_name(f".{path.name}.{'0' * 32}.partial") for path in (mine, other))
    for path in (left, kept, mine):
        path.write_text("")
    sweep(tmp_path, [mine])
    assert sorted(mine.parent.iterdir()) == sorted([kept, mine])
