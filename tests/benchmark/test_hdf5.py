"""Whatever is wrong with an HDF5 file is told with its name."""

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


def test_what_a_file_says_is_told_without_escapes(tmp_path):
    for said in (f"{tmp_path / 'a.h5'}: found \x1b[31m", "found \x1b[31m"):
        with pytest.raises(ValueError, match=r"found \\x1b\[31m$"), named(tmp_path / "a.h5"):
            raise ValueError(said)


def test_a_name_that_is_not_in_the_file(tmp_path):
    path = tmp_path / "a.h5"
    h5py.File(path, "w").close()
    with pytest.raises(ValueError, match="no sample of ours") as raised, opened(path) as file:
        file["volume"]
    assert str(raised.value).startswith(f"{path}: ")


def test_a_fault_that_names_the_file_already_stays_as_it_is(tmp_path):
    with pytest.raises(ValueError, match=r"^.*a\.h5: found 3$"), named(tmp_path / "a.h5"):
        raise ValueError(f"{tmp_path / 'a.h5'}: found 3")


def test_faults_of_the_program_are_not_the_files(tmp_path):
    with pytest.raises(ZeroDivisionError), named(tmp_path / "a.h5"):
        raise ZeroDivisionError
