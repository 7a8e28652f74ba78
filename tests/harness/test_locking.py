import subprocess
import sys

import pytest

from harness.locking import locked

HOLD = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), 2); print(flush=True); sys.stdin.read()"


def test_one_at_a_time_and_a_lock_ends_with_its_process(tmp_path):
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], **streams) as process:
        process.stdout.readline()
        with pytest.raises(ValueError, match="found another command at work on it"), locked(tmp_path):
            pass
        process.kill()
        process.wait()
    for _ in range(2):
        with locked(tmp_path):
            pass  # it was left
