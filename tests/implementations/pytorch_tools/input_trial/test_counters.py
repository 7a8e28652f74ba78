"""What the kernel counts, and what it means."""

import pytest

from harness.system import storage
from implementations.pytorch_tools.input_trial import counters
from implementations.pytorch_tools.input_trial.counters import (
    Reads,
    Storage,
    cache_state,
    counted,
    memory_bytes,
    storage_of,
)

DISK = Storage("ext4", "254:0")


def test_reads_of_a_thread_are_counted_to_the_byte(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(100_000))

    def act():
        with path.open("rb", buffering=0) as file:
            return len(file.read(60_000) + file.read(60_000))

    found, reads = counted(act)
    assert found == 100_000
    if reads.calls:  # the kernel counts
        assert (reads.bytes, reads.calls) == (100_000, 2)


def test_a_kernel_that_does_not_count(monkeypatch):
    monkeypatch.setattr(counters.os, "open", lambda *a: (_ for _ in ()).throw(FileNotFoundError()))
    assert counted(lambda: 5) == (5, Reads())


@pytest.mark.parametrize(
    ("storage", "read", "physical", "words"),
    [
        (DISK, 1000, 900, "cold: read from the device"),
        (DISK, 1000, 899, "warm: partly from memory"),
        (DISK, 1000, 500, "warm: partly from memory"),
        (DISK, 1000, 499, "served from memory"),
        (DISK, 0, 0, "in the reader's own cache: no file was read"),
        (DISK, 1000, None, "cannot be told: ext4 has no device that the kernel counts"),
        (Storage("overlay", None), 1000, 1000, "cannot be told: overlay has no device that the kernel counts"),
        (Storage("tmpfs", None), 1000, None, "served from memory: the files are in tmpfs"),
    ],
)
def test_states_of_the_cache(storage, read, physical, words):
    assert cache_state(storage, read, physical, 2000) == words


def test_storage_and_memory(tmp_path):
    found = storage_of(tmp_path)
    assert found.file_system == storage(tmp_path) and " " not in found.file_system
    assert found.device is None or found.disk_bytes() >= 0
    assert Storage("ext4", "999:999").disk_bytes() is Storage("nfs", None).disk_bytes() is None
    assert 1 << 26 < memory_bytes() < 1 << 60
