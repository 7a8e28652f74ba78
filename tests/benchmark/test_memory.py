"""Freed memory is kept: counted in pages that the kernel has to map anew, in a process of its own."""

import subprocess
import sys

import pytest

from benchmark import memory
from tests.support import ROOT

FAULTS = """
import resource, sys
import numpy as np
from benchmark.memory import keep_freed_memory
if sys.argv[1] == "keep":
    assert keep_freed_memory()
def touch():
    np.empty(1 << 26, np.uint8)[...] = 1
touch()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(4):
    touch()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(what: str) -> int:
    command = [sys.executable, "-c", FAULTS, what]
    return int(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(memory.ctypes.CDLL(None), "mallopt"), reason="the C library is not glibc")
def test_memory_that_is_kept_is_not_mapped_again():
    assert faults("keep") < 100 < faults("free")


def test_another_c_library_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: object())
    assert memory.keep_freed_memory() is False
