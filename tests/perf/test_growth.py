"""What grows with the number of ranks, and what does not."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from implementations.pytorch.training import parts
from perf.growth import asked, construct, meeting, resume, sizes

ROOT = Path(__file__).resolve().parents[2]


def scattered(number: int) -> str:
    """A name of 64 letters, as many as Linux allows, which does not count up."""
    return "".join(chr(97 + int(c, 16)) for c in hashlib.sha256(str(number).encode()).hexdigest())


@pytest.fixture(autouse=True)
def whole(monkeypatch):
    """Openings are counted in the tests' own process."""
    monkeypatch.setattr(parts, "safe_open", parts.safe_open)


@pytest.mark.parametrize("number", [1, 8, 512])
def test_a_rank_that_resumes_opens_one_part_of_any_number(tmp_path, number):
    assert resume(tmp_path, number)[1] == 1 and len(os.listdir(tmp_path)) == number


def test_constructed_parts_are_those_of_a_checkpoint(tmp_path):
    at = construct(tmp_path, 4)
    assert at == {"weight": (0, 4096)} | {f"step_{part:06}": (part, 1) for part in range(4)}


def test_events_of_65536_devices_are_no_longer_than_those_of_8192():
    """Where each host is told by itself, up to 1,024 of them, they are."""
    devices, nodes, sources, reading = sizes(4096)
    assert devices > 250_000 and nodes > 16_000 and sources < 200 and reading < 200
    assert all(large - small in (0, 1, 2) for small, large in zip(sizes(8192), sizes(65_536), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("a_node", [1, 4])
@pytest.mark.parametrize("name", [scattered, "n{}x".format], ids=["random", "counted"])
def test_whatever_hosts_are_called_the_events_of_65536_devices_are_short(name, a_node):
    """A line of a log has at most 1 MiB."""
    assert max(sizes(65_536, a_node, name)) < 1000


def test_names_up_to_the_limit_are_told():
    """2,000 of 64 letters, in a line of a log and in a manifest."""
    assert all(128_000 < size < 1 << 20 for size in sizes(8000, 4, scattered)[:2])
    assert max(sizes(8400, 4, scattered)) < 1000


@pytest.mark.slow
def test_ranks_in_processes_open_one_part_each():
    command = [sys.executable, ROOT / "perf" / "growth.py", "--ranks", "2", "4", "--parts", "--devices", "--start"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    keys, parts = [("2", "11"), ("4", "21")], [("2", "1"), ("4", "1")]
    assert [(row[0], row[-1]) for row in rows if row[0].isdigit()] == [*keys, *parts]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_a_start_opens_few_files():
    """PyTorch's and Python's are most of them; a path counts once among the different ones."""
    opened, others, different = asked("smoke")
    assert 500 < opened < 5000 and opened < different < opened + others


def test_nothing_is_said_of_a_start_without_strace(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert asked("smoke") == ("?", "?", "?")


@pytest.mark.slow
def test_ranks_that_meet_have_a_few_keys_each(tmp_path):
    """Whatever their number: a store that grew with pairs of ranks would be too much for rank 0."""
    keys = {ranks: meeting(folder, ranks)[-1] for ranks in (2, 4) if (folder := tmp_path / str(ranks)).mkdir() is None}
    assert all(ranks < number <= 6 * ranks for ranks, number in keys.items())
