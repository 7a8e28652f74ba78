import subprocess
import sys

import pytest

from benchmark.hdf5 import opened
from benchmark.hdf5_writing import writing
from benchmark.log import ROOT

FULL = """
import numpy, pathlib, resource, sys
from benchmark.hdf5_writing import writing
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    with writing(pathlib.Path(sys.argv[1]), libver="latest") as file:
        made = file.create_dataset("a", (100, 1000), "u1", chunks=(1, 1000))
        for row in range(100):
            made.id.write_direct_chunk((row, 0), bytes(1000))
except OSError as error:
    print(error.strerror)
"""


def test_what_is_written_is_read(tmp_path):
    with writing(tmp_path / "a.h5") as file:
        file["a"] = b"abc"
    with opened(tmp_path / "a.h5") as file:
        assert file["a"][()] == b"abc"
    with pytest.raises(ZeroDivisionError), writing(tmp_path / "b.h5") as file:
        raise ZeroDivisionError


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 1, 100, 3000, 20_000, 90_000, 100_000])
def test_a_disk_without_room_is_an_error(tmp_path, most):
    """By the limit to a file's size, which is the one limit that a test can set."""
    command = [sys.executable, "-c", FULL, str(tmp_path / "a.h5"), str(most)]
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, "File too large\n")
