"""Submissions of the committed runs, which attacks change."""

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from rules.current import ROOT
from tests.compliance.logs import Log
from tests.compliance.submissions import Tree

REFERENCE = ROOT.parent / "results" / "v1.0" / "reference"
SYSTEM = "xeon-amx-2core"
HOME = f"results/{SYSTEM}/strong/scaffold"
TOKEN = ":::MLLOG "
DAY = 86_400_000  # milliseconds


@cache
def committed(benchmark: str) -> tuple[str, ...]:
    """The texts of the committed logs of a benchmark, in the order of their numbers."""
    files = (REFERENCE / "results" / SYSTEM / "strong" / benchmark).glob("result_*.txt")
    return tuple(p.read_text() for p in sorted(files, key=lambda p: int(p.stem.rpartition("_")[2])))


def runs_of(benchmark: str) -> list[Log]:
    """The committed runs of a benchmark, without final weights and ledger and with seeds of their own: attacks make
    these themselves."""
    logs = [Log([json.loads(x.removeprefix(TOKEN)) for x in text.splitlines()]) for text in committed(benchmark)]
    for number, log in enumerate(logs):
        log.drop("weights", "environment", "ledger")
        log.put("seed", fresh_seed(900 + number))
        seed = log.one("seed")["metadata"]
        del seed["entry"]
        seed["source"] = "os.urandom"
        log.time_ms = log.events[-1]["time_ms"]
    return logs


def fresh_seed(number: int) -> int:
    return (1 << 61) + random.Random(number).getrandbits(60)


def fresh(log: Log, number: int, by: int = -DAY) -> None:
    """Another seed and another time."""
    log.put("seed", fresh_seed(number))
    log.shift(by)


@cache
def loaded(benchmark: str) -> dict[str, str]:
    """The files that the committed runs of a benchmark loaded."""
    (folder,) = (REFERENCE / "source").iterdir()
    return {name: (folder / name).read_text() for name in runs_of(benchmark)[0].one("source")["metadata"]["files"]}


class Submission(Tree):
    """A submission of the committed runs of one benchmark, and others beside it. Their logs are written at the end."""

    def __init__(self, folder: Path, benchmark: str = "scaffold", org: str = "reference", system: str = SYSTEM):
        self.folder, self.others = folder, list[Submission]()
        self.description = json.loads((REFERENCE / "systems" / f"{SYSTEM}.json").read_text())
        self.description |= {"submitter": org, "system_name": system}
        super().__init__(folder, runs=0, benchmark=benchmark, org=org, system=system, source=loaded(benchmark))
        self.logs = runs_of(benchmark)
        for log in self.logs:
            log.put("submission_org", org)
            log.put("submission_platform", system)

    def again(self, org: str = "reference", system: str = SYSTEM) -> list[Log]:
        """The same runs as another organisation's or system's, on the day before, with other seeds."""
        other = Submission(self.folder, self.benchmark, org, system)
        self.others.append(other)
        for number, log in enumerate(other.logs):
            fresh(log, number + 50)
        return other.logs

    def hand_in(self) -> Path:
        """Writes all logs; the folder of the round."""
        for one in (self, *self.others):
            for index in range(len(one.logs)):
                one.write(index)
        return self.root.parent


def each(change: Callable[..., Any], *values: Any, **named: Any) -> Callable[[Submission], None]:
    """The attack that changes all runs."""

    def attack(submission: Submission) -> None:
        for log in submission.logs:
            change(log, *values, **named)

    return attack


def one(change: Callable[..., Any], *values: Any, at: int = 2) -> Callable[[Submission], None]:
    """The attack that changes one run."""
    return lambda submission: change(submission.logs[at], *values)


def both(*attacks: Callable[[Submission], Any]) -> Callable[[Submission], None]:
    """Attacks one after another."""

    def attack(submission: Submission) -> None:
        for step in attacks:
            step(submission)

    return attack
