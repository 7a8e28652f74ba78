"""An implementation as the harness knows it: by the command line of its train.py, which docs/implementing.md describes.

An implementation is a folder with a train.py. `train.py --describe` prints what a run would be, as one line of JSON.
"""

import hashlib
import json
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.config import build
from benchmark.printable import reason
from benchmark.source import ROOT
from harness.launcher import ALL, Launcher
from harness.processes import Share

CONTRACT = 1  # the version of the command line that this harness knows
DEFAULT = "pytorch"
PYTHON = re.compile(r"python[\d.]*")
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Accelerators:
    """The accelerators of a node that a run sees."""

    count: int = 0
    name: str = ""
    memory_gib: float = 0.0  # of one


@dataclass(frozen=True)
class Description:
    """What a run would be. `settings` are the resolved ones, as the log's `hyperparameters` has them; `files` has the
    sha256 of each file that a run loads, by path; `options` are the optional options that train.py takes."""

    contract: int
    implementation: str
    benchmark: str
    problem: str
    problem_digest: str
    settings: Mapping[str, Any]
    machine_settings: tuple[str, ...]
    config_digest: str
    config_file: str
    source: str
    files: Mapping[str, str]
    ranks: int
    nodes: int
    layout: tuple[int, ...]
    device: str
    accelerators: Accelerators
    framework: str
    software: Mapping[str, str]
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.contract != CONTRACT:
            raise ValueError(f"contract: found {self.contract}, wanted {CONTRACT}")
        for name in ("settings", "files", "software"):
            if not isinstance(getattr(self, name), dict):
                raise ValueError(f"{name}: found a {type(getattr(self, name)).__name__}, wanted an object")
        for name in ("problem_digest", "config_digest", "source"):
            if not SHA256.fullmatch(getattr(self, name)):
                raise ValueError(f"{name}: found {getattr(self, name)!r:.80}, wanted a sha256 in hexadecimal")
        if self.ranks < 1 or self.nodes < 1:
            raise ValueError(f"found {self.ranks} ranks on {self.nodes} nodes, wanted 1 or more")
        if len(self.layout) != 4 or min(self.layout) < 1:
            raise ValueError(f"layout: found {list(self.layout)!r:.80}, wanted 4 numbers of 1 or more")


def takes(described: Description | None, option: str) -> bool:
    """Return whether an implementation says that it takes an optional option."""
    return described is not None and option in described.options


@dataclass(frozen=True)
class Implementation:
    """The folder of an implementation."""

    folder: Path

    @property
    def script(self) -> Path:
        """Its train.py."""
        return self.folder / "train.py"

    def program(self, options: Sequence[str], python: str = sys.executable) -> list[str]:
        """Return the command of train.py. It is run by Python, unless its first line names another interpreter."""
        with open(self.script, encoding="utf-8", errors="replace") as file:
            first = file.readline(200)
        words = shlex.split(first[2:]) if first.startswith("#!") else []
        if any(PYTHON.fullmatch(Path(word).name) for word in words) or not words:
            words = [python]
        return [*words, str(self.script), *options]

    def describe(self, options: Sequence[str], launcher: Launcher, share: Share = ALL) -> Description | None:
        """Return what `train.py --describe` says of a run with these options; None if it has no such option. Raises
        ValueError, in train.py's words, for a run that cannot be, and for a description that is not the contract's."""
        done = launcher.ask(self.program([*options, "--describe"], launcher.python), share)
        said = [line for line in done.stderr.splitlines() if line.strip()]
        ours = list(dict.fromkeys(line for line in said if line.startswith("train.py:")))
        if done.returncode and any("--describe" in line for line in ours or said[-1:]):  # not in a printed usage
            return None
        if done.returncode:
            for line in said[:-1] if not ours else ():  # a launcher's words, any of which may be the cause
                print(line, file=sys.stderr, flush=True)
            reason = (ours or said[-1:] or [f"train.py --describe ended with exit code {done.returncode}"])[0]
            raise ValueError(re.sub(r"^train\.py: (?!error: )", "", reason))
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            return None
        for line in ours:  # warnings
            print(line, file=sys.stderr, flush=True)
        return parse(lines[-1], f"{self.script} --describe")


def parse(text: str, where: str) -> Description:
    """Return the description in a line of JSON. Raises ValueError for anything else."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: found no JSON ({reason(error):.80}), wanted a line of it") from None
    return build(Description, values, where)


def sha256(path: Path) -> str | None:
    """Return the sha256 of a file; None if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def find_implementation(name: str) -> Implementation:
    """Return the implementation of this name, or in this folder. Raises ValueError if there is no train.py."""
    found = Implementation(ROOT / "implementations" / name)
    if not found.script.is_file():
        known = sorted(path.parent.name for path in (ROOT / "implementations").glob("*/train.py"))
        raise ValueError(f"--implementation: found no {found.script}, wanted one of {', '.join(known)}, or a folder")
    return found
