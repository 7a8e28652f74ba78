"""Processes whose device makes no progress end by themselves. The device is a stand-in: no CUDA is needed."""

import subprocess
import sys

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.slow

HEAD = """
import threading, time
from implementations.pytorch.training.watchdog import Watchdog
"""
LIFE = """
class Mark:
    def __init__(self, done): self.done = done
    def query(self): return time.monotonic() > self.done

never, start = float("inf"), time.monotonic()
marks = iter({marks})
watchdog = Watchdog(1, lambda why: print(why, flush=True), lambda: Mark(start + next(marks)), int)
for _ in range({beats}):
    watchdog.heartbeat()
    time.sleep(0.2)
time.sleep({rest})
print("the end")
"""
DEVICES = """
device = threading.local()  # as CUDA's: each thread begins with 0

class Mark:
    def query(self):
        print(getattr(device, "index", 0), flush=True)
        return True

watchdog = Watchdog(1, print, Mark, lambda: setattr(device, "index", 3))
watchdog.heartbeat()
time.sleep(0.5)
"""
STUCK = """
class Failed:
    def query(self): raise RuntimeError("CUDA error: device-side assert triggered")

def on_silence(why):
    print(why, flush=True)
    threading.Event().wait()

Watchdog(0.5, on_silence, Failed, int).heartbeat()
time.sleep(50)
"""


def live(code: str) -> tuple[int, str]:
    """Exit code of a program, and what it said."""
    done = subprocess.run([sys.executable, "-c", HEAD + code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.strip()


SILENCE = "no progress for 1 s: another rank ended or cannot be reached"


@pytest.mark.parametrize(
    ("marks", "beats", "rest", "end"),
    [
        ("[0] * 9", 2, 50, (1, SILENCE)),  # a main thread that waits for ever
        ("[0, 0.1] + [never] * 9", 5, 50, (1, SILENCE)),  # steps that are launched and never done
        ("[0] * 9", 8, 0.5, (0, "the end")),
        ("[0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]", 8, 2.2, (0, "the end")),  # done long after the thread began to wait
    ],
)
def test_progress_of_thread_or_device_is_enough(marks, beats, rest, end):
    assert live(LIFE.format(marks=marks, beats=beats, rest=rest)) == end


def test_a_failed_device_and_a_log_in_the_way_do_not_stop_it():
    """The mark's error had ended the watchdog's thread; a main thread that writes the log for ever has its lock."""
    assert live(STUCK) == (1, SILENCE.replace("1 s", "0.5 s"))


def test_marks_are_asked_for_on_the_ranks_own_device():
    assert live(DEVICES) == (0, "3")
