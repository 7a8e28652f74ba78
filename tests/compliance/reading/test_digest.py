"""sha256 of files that are there, of files that aren't, and of what is none."""

import hashlib
import os

import pytest

from compliance.reading.digest import file_fault, is_sha256, sha256, sha256_of
from tests.compliance.logs import event


def test_a_file_has_the_digest_of_its_bytes(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"bytes\n")
    assert sha256(path) == sha256_of(path) == hashlib.sha256(b"bytes\n").hexdigest()


def test_what_is_no_file_has_no_digest(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "gone", tmp_path, tmp_path / "pipe"):
        assert sha256(path) == ""
        with pytest.raises(OSError):
            sha256_of(path)


@pytest.mark.parametrize(
    ("value", "is_one"),
    [("0a" * 32, True), ("0a" * 32 + "0", False), ("0a" * 31 + "0", False), ("0A" * 32, False), (0, False)],
)
def test_a_digest_has_64_small_hexadecimal_digits(value, is_one):
    assert is_sha256(value) is is_one


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({}, None),
        ({"bytes": 1}, None),
        ({"bytes": 0}, "bytes 0"),
        ({"bytes": (1 << 53) - 1}, None),
        ({"bytes": 1 << 53}, "bytes 9007199254740992"),
        ({"bytes": True}, "bytes True"),
        ({"bytes": None}, "bytes None"),
        ({"path": "other"}, "file 'other'"),
        ({"value": "A" * 64}, f"'{'A' * 64}'"),
    ],
)
def test_an_event_gives_sha256_bytes_and_path_of_a_file(said, found):
    fault = file_fault(event(3, "any", **{"value": "a" * 64, "bytes": 7, "path": "file", **said}), "file")
    assert (fault and fault[0]) == found
    assert file_fault(event(3, "any", value="a" * 64), "file") == ("bytes None", "the bytes of the file")
