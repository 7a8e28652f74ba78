"""Rehearse the ranks of runs before they are made: memory that cannot fit, tensors that 32-bit indices cannot number.

perf/rehearse.py does it, as a command, with the reference's network. So runs of the reference are rehearsed, and those
of a copy whose network, layers and parallel code are the reference's. Of any other implementation nothing is known.
"""

import os
import subprocess
import sys
from pathlib import Path

from benchmark.launch import end_with_parent
from benchmark.source import ROOT
from harness.implementation import DEFAULT, Description, sha256
from harness.options import Setup, assignments
from harness.runset import say

SCRIPT = ROOT / "perf" / "rehearse.py"
OURS = ("layout", "device", "compile", "threads")  # settings that the rehearsal chooses itself


def rehearsed(setup: Setup, described: Description | None) -> bool:
    """Rehearse runs of several ranks, and print what stands against them. Return whether nothing does."""
    if described is None or described.ranks < 2:
        return True
    if setup.problems or not same_network(described, ROOT / "implementations" / DEFAULT):
        say("ranks are not rehearsed: it can be done with published problems and the reference's network alone")
        return True
    code, said = rehearse(described, memory_gib(described))
    if code > 1:
        say(f"ranks are not rehearsed: {said[-1]}")
        return True
    for line in said:
        say(f"{'error' if code else 'warning'}: rehearsal: {line}")
    say(f"rehearsed {described.ranks} ranks: {'they cannot run so' if code else 'nothing stands against it'}")
    return not code


def rehearse(described: Description, gib: float) -> tuple[int, list[str]]:
    """Rehearse ranks that have so much memory. Return 0 if nothing stands against them, 1 if something does, 2 if it
    cannot be told; and what it is."""
    done = subprocess.run(command(described, gib), capture_output=True, text=True, preexec_fn=end_with_parent)
    said = [line.removeprefix("rehearse.py: ") for line in done.stderr.splitlines() if line.startswith("rehearse.py: ")]
    if done.returncode in (0, 1) and (said or not done.returncode):
        return done.returncode, said
    return 2, said or done.stderr.splitlines() or ["perf/rehearse.py failed"]


def command(described: Description, gib: float) -> list[str]:
    """Return the command that rehearses ranks of so much memory."""
    settings = assignments({name: value for name, value in described.settings.items() if name not in OURS})
    words = ["--problem", described.problem, "--layout", ",".join(map(str, described.layout))]
    return [sys.executable, str(SCRIPT), *words, "--memory", f"{gib:.3f}", *settings]


def memory_gib(described: Description) -> float:
    """Return the memory of a rank in GiB: an accelerator's, or its share of this machine's."""
    if described.device != "cpu":
        return described.accelerators.memory_gib
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return whole * described.nodes / described.ranks


def same_network(described: Description, reference: Path) -> bool:
    """Return whether an implementation's network, its layers and its parallel code are those in this folder."""
    prefix = f"implementations/{described.implementation}/"
    own = {path.removeprefix(prefix): digest for path, digest in described.files.items() if path.startswith(prefix)}
    network = [path for path in own if path.startswith(("layers/", "parallel/", f"{described.benchmark}/"))]
    return bool(network) and all(sha256(reference / path) == own[path] for path in network)
