"""The sandbox of the judge, in processes of its own: there is no way out of one."""

import json
import subprocess
import sys

import pytest

from tests.support import ROOT

# The module by itself, without the checker around it.
LOAD = "import runpy\nshut_in = runpy.run_path('compliance/engine/sandbox.py')['shut_in']\n"


def run(code: str, *arguments: str) -> str:
    """What a process prints that runs `code`."""
    done = subprocess.run([sys.executable, "-c", LOAD + code, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TRIES = """
import os, socket, subprocess, sys
from pathlib import Path
listening = socket.create_server(("127.0.0.1", 0))
print(shut_in())
for attempt in (
    lambda: Path(sys.argv[1], "there").read_text(),
    lambda: Path(sys.argv[1], "there").write_text("x"),
    lambda: Path(sys.argv[1], "new").write_text("x"),
    lambda: Path(sys.argv[1], "there").unlink(),
    lambda: subprocess.run(["/bin/true"]),
    lambda: socket.create_connection(listening.getsockname()),
    lambda: os.open("/dev/shm/sandbox-test", os.O_CREAT | os.O_RDWR) and os.unlink("/dev/shm/sandbox-test"),
    lambda: os.chmod(Path(sys.argv[1], "there"), 0o600),
    lambda: os.utime(Path(sys.argv[1], "there"), (1, 1)),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", listening.getsockname()),
):
    try:
        attempt()
        print("done")
    except OSError as error:
        print(type(error).__name__)
"""


def test_what_is_left_is_reading_and_what_landlock_does_not_cover(tmp_path):
    (tmp_path / "there").write_text("read me")
    said, *came = run(TRIES, str(tmp_path)).splitlines()
    if said.startswith("none"):
        pytest.skip(f"sandbox: {said}")
    assert said.startswith("no writing to files, no programs")
    assert came[:5] == ["done", *["PermissionError"] * 4]
    assert came[5] == ("PermissionError" if "no TCP" in said else "done")
    assert came[6] == "PermissionError"
    assert came[7:] == ["done", "done", "done"]  # what the words do not deny
    assert (tmp_path / "there").read_text() == "read me" and not (tmp_path / "new").exists()


def test_without_library_or_kernels_part_it_is_off_and_says_so():
    without = "import sys; sys.modules['py_landlock'] = None\n"
    assert run(f"{without}print(shut_in())") == "none: py-landlock is not installed"
    code = """
import py_landlock
def missing(self):
    raise py_landlock.LandlockNotAvailableError("no such system call")
py_landlock.Landlock.apply = missing
print(shut_in())
"""
    assert run(code) == "none: no such system call"


@pytest.mark.slow
def test_the_command_judges_in_it_and_says_so():
    command = [sys.executable, "compliance/check.py", str(ROOT / "results" / "v1.0"), "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    told = json.loads(done.stdout)
    assert told["exit_code"] == done.returncode == 0 and sum(s["logs"] for s in told["summaries"]) == 20
    assert told["sandbox"] == run("print(shut_in())")
