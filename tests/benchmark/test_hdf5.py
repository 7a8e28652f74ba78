import os

import h5py
import pytest

from benchmark.hdf5 import named, opened


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, "no such file"),
        (os.mkfifo, "no regular file"),
        (lambda path: path.write_bytes(b"\x89HDF\r\n\x1a\n" + b"\0" * 50), "truncated, corrupt"),
    ],
)
def test_a_file_that_cannot_be_opened(tmp_path, make, said):
    path = tmp_path / "a.h5"
    make(path)
    with pytest.raises(ValueError, match=said) as raised, opened(path):
        pass
    assert str(raised.value).startswith(f"{path}: ")


def test_a_name_that_is_not_in_the_file_is_a_fault_of_it(tmp_path):
    """Others of the program are not."""
    path = tmp_path / "a.h5"
    h5py.File(path, "w").close()
    with pytest.raises(ValueError, match=f"^{path}: .*no sample of ours"), opened(path) as file:
        file["volume"]
    with pytest.raises(ZeroDivisionError), opened(path):
        raise ZeroDivisionError


@pytest.mark.parametrize(("said", "words"), [("{path}: ", ""), ("", "truncated, corrupt or no sample of ours: ")])
def test_what_a_file_says_is_told_once_and_without_escapes(tmp_path, said, words):
    path = tmp_path / "a.h5"
    with pytest.raises(ValueError, match=rf"^{path}: {words}found \\x1b\[31m$"), named(path):
        raise ValueError(said.format(path=path) + "found \x1b[31m")
