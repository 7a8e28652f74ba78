import fcntl
import os
import subprocess
import sys
from unittest.mock import Mock

import pytest

from benchmark.atomic import lock, naming, replacing, sweep
from tests.support import ROOT

SWEEP = "import sys, pathlib; from benchmark.atomic import sweep; sweep([pathlib.Path(sys.argv[1])])"
KILLED = """
import os, pathlib, sys
from benchmark.atomic import replacing
with replacing(pathlib.Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), 9)
"""


def test_what_is_written_is_there_at_the_end_or_never(tmp_path):
    path = tmp_path / "new" / "a.txt"
    with replacing(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists() and temporary.parent == path.parent
    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "whole" and list(path.parent.iterdir()) == [path]


def test_an_error_that_names_no_file_gets_its_name(tmp_path):
    path = tmp_path / "a.txt"
    full = r"^\[Errno 28\] No space left on device: '.*/a\.txt'$"
    with pytest.raises(OSError, match=full), replacing(path), open("/dev/full", "wb", buffering=0) as file:
        file.write(b"x")
    with pytest.raises(FileNotFoundError, match="'other'"), naming(path):
        raise FileNotFoundError(2, "No such file or directory", "other")
    with pytest.raises(OSError, match=r"^no regular file$"), naming(path):
        raise OSError("no regular file")
    assert list(tmp_path.iterdir()) == []


def test_of_leftovers_those_of_the_files_named_are_swept(tmp_path):
    mine, other = tmp_path / "train" / "a.h5", tmp_path / "train" / "b.h5"
    mine.parent.mkdir()
    (left, kept) = (path.with_name(f".{path.name}.{'0' * 32}.partial") for path in (mine, other))
    for path in (left, kept, mine):
        path.write_text("")
    sweep([mine, tmp_path / "no folder" / "a.h5"])
    assert sorted(mine.parent.iterdir()) == sorted([kept, mine])


def test_a_leftover_goes_before_its_lock(tmp_path, monkeypatch):
    """A writer may have made it just now, and wait for its lock to see whether it is still there."""
    left, found = tmp_path / f".a.h5.{'0' * 32}.partial", []
    left.write_text("")
    monkeypatch.setattr(os, "close", lambda handle, close=os.close: (found.append(left.exists()), close(handle)))
    sweep([tmp_path / "a.h5"])
    assert found[-1:] == [False]


def test_what_somebody_is_writing_is_not_swept(tmp_path):
    """Two generators in one folder: the lock of a temporary file ends with its writer, however that ends."""
    path = tmp_path / "a.h5"
    with replacing(path) as temporary:
        temporary.write_text("whole")
        done = subprocess.run([sys.executable, "-c", SWEEP, str(path)], cwd=ROOT, check=True)
        assert done.returncode == 0 and temporary.exists()
    assert path.read_text() == "whole"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)
    assert killed.returncode == -9 and len(list(tmp_path.glob(".*.partial"))) == 1
    sweep([path])
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_belongs_to_one_handle(tmp_path, monkeypatch):
    first, second = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))
    try:
        assert lock(first) and lock(first) and not lock(second)
        os.close(first)
        assert lock(second)
        monkeypatch.setattr(fcntl, "flock", Mock(side_effect=OSError(38, "Function not implemented")))
        assert lock(second)  # there is none to hold
    finally:
        os.close(second)
