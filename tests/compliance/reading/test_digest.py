"""sha256 of files that are there, of files that aren't, and of what is none."""

import hashlib
import os

import pytest

from compliance.reading import digest
from compliance.reading.digest import Named, beginnings, file_fault, line_endings, named_by, sha256, sha256_of
from tests.compliance.logs import event


def test_a_file_has_the_digest_of_its_bytes_and_nothing_else_one(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"bytes\n")
    assert sha256(path) == sha256_of(path) == hashlib.sha256(b"bytes\n").hexdigest()
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "gone", tmp_path, tmp_path / "pipe"):
        assert sha256(path) == ""
        with pytest.raises(OSError):
            sha256_of(path)


def test_a_file_has_a_digest_up_to_the_end_of_each_line(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"ab\n\n12345678\nc")
    monkeypatch.setattr(digest, "LONGEST", 6)
    ends = [(1, 3), (2, 4), (3, 10), (3, 13), (4, 14)]
    whole = path.read_bytes()
    told = [(line, length, found.hexdigest()) for line, length, found in beginnings(path)]
    assert told == [(line, length, hashlib.sha256(whole[:length]).hexdigest()) for line, length in ends]
    with pytest.raises(OSError):
        next(beginnings(tmp_path))


@pytest.mark.parametrize(
    ("data", "told"), [(b"a\r\nb", True), (b"a\rb\n", False), (b"x" * (64 << 10) + b"\r\n", False), (None, False)]
)
def test_line_endings_of_windows_are_told(tmp_path, data, told):
    path = tmp_path / "log"
    if data is not None:
        path.write_bytes(data)
    assert line_endings(path) == (", with line endings of Windows (CRLF)" if told else "")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        *(({"bytes": right}, None) for right in (1, (1 << 53) - 1)),
        *(({"bytes": wrong}, f"bytes {wrong}") for wrong in (0, 1 << 53, True, None)),
        ({"path": "other"}, "file 'other'"),
        *(({"value": wrong}, repr(wrong)) for wrong in ("A" * 64, "a" * 63, "a" * 65, 7)),
    ],
)
def test_an_event_gives_sha256_bytes_and_path_of_a_file(said, found):
    fault = file_fault(event(3, "any", **{"value": "a" * 64, "bytes": 7, "path": "file", **said}), "file")
    assert (fault and fault[0]) == found
    assert file_fault(event(3, "any", value="a" * 64), "file") == ("bytes None", "the bytes of the file")


def test_a_named_file_lies_beside_the_log():
    named = named_by(event(3, "any", value="a" * 64, bytes=7, path="more/file"), "more/file")
    assert named == Named(3, "a" * 64, 7, "more/file") and named_by(event(3, "any", value=7), "more/file") is None
    assert (named.beside("a/b/log"), named.beside("log")) == ("a/b/more/file", "more/file")
