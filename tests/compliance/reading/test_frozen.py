"""The list of a frozen round: what it says, and what is refused."""

import os

import pytest

from compliance.reading import frozen
from compliance.reading.frozen import NAME, changes, read_frozen, sha256

DIGEST = "ab" * 32
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_round_without_a_list_is_not_frozen(tmp_path):
    assert read_frozen(tmp_path) is None


def test_a_list_is_read_again_once_it_changed(tmp_path):
    (tmp_path / NAME).write_text(f"{DIGEST} 5 a/b c.txt\n")
    assert read_frozen(tmp_path) == {"a/b c.txt": (DIGEST, 5)}
    assert read_frozen(tmp_path) is read_frozen(tmp_path)
    (tmp_path / NAME).write_text(f"{DIGEST} 5 a/b c.txt\n{EMPTY} 0 d\n")
    assert len(read_frozen(tmp_path)) == 2


@pytest.mark.parametrize(
    "line",
    ["", "x", f"{DIGEST} 5", f"{DIGEST}  5 a", f"{DIGEST} -5 a", f"{DIGEST} 5 /etc/passwd", f"{DIGEST[:-1]} 5 a"],
)
def test_a_damaged_list_names_its_line(tmp_path, line):
    (tmp_path / NAME).write_text(f"{DIGEST} 5 first\n{line}\n")
    with pytest.raises(ValueError, match=rf"{NAME}:2: found "):
        read_frozen(tmp_path)


@pytest.mark.parametrize(("length", "shown"), [(79, 79), (80, 80), (81, 80)])
def test_of_a_damaged_line_so_much_is_shown(tmp_path, length, shown):
    (tmp_path / NAME).write_text("x" * length)
    with pytest.raises(ValueError, match=rf":1: found '{'x' * shown}', wanted"):
        read_frozen(tmp_path)


def test_a_path_stands_once(tmp_path):
    (tmp_path / NAME).write_text(f"{DIGEST} 5 a\n{DIGEST} 6 a\n")
    with pytest.raises(ValueError, match=rf"{NAME}:2: "):
        read_frozen(tmp_path)


@pytest.mark.parametrize(("room", "refused"), [(69, True), (70, False), (71, False)])
def test_a_list_is_bounded(tmp_path, monkeypatch, room, refused):
    (tmp_path / NAME).write_text(f"{DIGEST} 10 a\n")  # 70 bytes
    monkeypatch.setattr(frozen, "LARGEST", room)
    if refused:
        with pytest.raises(ValueError, match="found 70 bytes, wanted 69 at most"):
            read_frozen(tmp_path)
    else:
        assert len(read_frozen(tmp_path)) == 1


def test_a_list_that_is_a_pipe_or_a_link_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(ValueError, match=NAME):
        read_frozen(tmp_path)


def test_changes(tmp_path, monkeypatch):
    for name in ("same", "other", "longer", "new"):
        (tmp_path / name).write_text(name)
    there = {p.name: (p, p.stat().st_size) for p in tmp_path.iterdir()}
    known = {name: (sha256(tmp_path / name), len(name)) for name in ("same", "longer")}
    known |= {"other": (DIGEST, 5), "gone": (DIGEST, 1), "longer": (DIGEST, 1)}
    read = []
    monkeypatch.setattr(frozen, "sha256", lambda file: read.append(file.name) or sha256(file))
    found = list(changes(there, known))
    assert found == [("gone", "absent"), ("longer", "changed"), ("new", "added"), ("other", "changed")]
    assert read == ["other", "same"]  # a file of other size is not read
    assert sha256(tmp_path / "none") == ""


def test_so_much_is_read_and_no_more():
    assert frozen.LARGEST == 2**26


def test_an_error_is_told_in_its_words(tmp_path, monkeypatch):
    for error in (OSError(5, "Input/output error"), OSError("Input/output error")):
        monkeypatch.setattr(frozen, "open_regular", Raises(error))
        (tmp_path / NAME).write_text("")
        with pytest.raises(ValueError) as caught:
            read_frozen(tmp_path)
        assert str(caught.value) == f"{tmp_path / NAME}: Input/output error"


class Raises:
    """A function that fails."""

    def __init__(self, error):
        self.error = error

    def __call__(self, *_):
        raise self.error
