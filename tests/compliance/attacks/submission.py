"""Submissions of the committed runs, which attacks edit in memory."""

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchmark.source import combine
from benchmark.tree import source_path
from rules.current import ROOT
from tests.compliance.logs import log_text, logged

REFERENCE = ROOT.parent / "results" / "v1.0" / "reference"
HOME = "results/xeon-amx-2core/strong/scaffold"
TOKEN = ":::MLLOG "
DAY = 86_400_000  # milliseconds


class Run(list):
    """A log as a list of events."""

    def all(self, key: str) -> list[dict]:
        return [e for e in self if e["key"] == key]

    def one(self, key: str, nth: int = 0) -> dict:
        return self.all(key)[nth]

    def at(self, event: dict) -> int:
        """Where an event is."""
        return next(i for i, e in enumerate(self) if e is event)

    def put(self, key: str, value: Any) -> None:
        """Another value of all events of a key."""
        for event in self.all(key):
            event["value"] = value

    def drop(self, *keys: str, epoch: int | None = None) -> None:
        """Leave out the events of keys, of one epoch or all."""
        self[:] = [e for e in self if e["key"] not in keys or (epoch and e["metadata"].get("epoch_num") != epoch)]

    def insert_before(self, event: dict, key: str, value: Any = None, kind: str = "POINT_IN_TIME", **more: Any) -> None:
        """Another event at an event's time, before it."""
        list.insert(self, self.at(event), logged(event["time_ms"], key, value, kind, **more))

    def move(self, key: str, before: str, nth: int = 0, to: int = 0) -> None:
        """The nth event of a key goes before another one, at the time of which it is."""
        event, place = self.one(key, nth), self.one(before, to)
        del self[self.at(event)]
        event["time_ms"] = place["time_ms"]
        list.insert(self, self.at(place), event)

    def shift(self, by: float, since: dict | None = None) -> None:
        """All times, or those from an event on, so many milliseconds later."""
        for event in self[self.at(since) if since else 0 :]:
            event["time_ms"] += round(by)

    def delay(self, by: float, key: str, nth: int = 0) -> None:
        """All times from the nth event of a key on, so many milliseconds later."""
        self.shift(by, self.one(key, nth))

    def settings(self, **fields: Any) -> None:
        """Hyperparameters, and their digest with them."""
        self.one("hyperparameters")["value"].update(fields)
        text = json.dumps(self.one("hyperparameters")["value"], sort_keys=True)
        self.put("config_digest", hashlib.sha256(text.encode()).hexdigest())

    @property
    def scores(self) -> list[dict]:
        return [e for e in self if e["key"] in ("eval_accuracy", "eval_error")]

    @property
    def epochs(self) -> int:
        return len(self.all("epoch_start"))


@cache
def committed(benchmark: str) -> tuple[str, ...]:
    """The texts of the committed logs of a benchmark, in the order of their numbers."""
    (folder,) = REFERENCE.glob(f"results/*/strong/{benchmark}")
    files = sorted(folder.glob("result_*.txt"), key=lambda p: int(p.stem.rpartition("_")[2]))
    return tuple(p.read_text() for p in files)


def runs_of(benchmark: str) -> list[Run]:
    """The committed runs of a benchmark, to be edited, without final weights and ledger and with seeds of their own:
    attacks make these themselves."""
    runs = [Run(json.loads(x.removeprefix(TOKEN)) for x in text.splitlines()) for text in committed(benchmark)]
    for number, run in enumerate(runs):
        run.drop("weights", "environment", "ledger")
        run.put("seed", fresh_seed(900 + number))
        seed = run.one("seed")["metadata"]
        del seed["entry"]
        seed["source"] = "os.urandom"
    return runs


def fresh_seed(number: int) -> int:
    return (1 << 61) + random.Random(number).getrandbits(60)


def fresh(run: Run, number: int, by: int = -DAY) -> None:
    """Another seed and another time."""
    run.put("seed", fresh_seed(number))
    run.shift(by)


class Submission:
    """A submission of the committed runs of one benchmark."""

    def __init__(self, benchmark: str = "scaffold", org: str = "reference"):
        self.benchmark, self.org, self.systems = benchmark, org, {"xeon-amx-2core": runs_of(benchmark)}
        self.description = json.loads((REFERENCE / "systems" / "xeon-amx-2core.json").read_text())
        self.files: dict[str, str | bytes] = {}  # more of them, by path
        self.source = loaded(benchmark)
        if org != "reference":
            self.rename(org)

    @property
    def runs(self) -> list[Run]:
        return next(iter(self.systems.values()))

    def rename(self, org: str) -> None:
        """Another organisation, wherever it is named."""
        self.org = self.description["submitter"] = org
        for run in self.every():
            run.put("submission_org", org)

    def every(self) -> Iterator[Run]:
        """The runs of all systems."""
        for runs in self.systems.values():
            yield from runs

    def again(self, system: str) -> list[Run]:
        """The same runs as another system, on the day before, with other seeds."""
        self.systems[system] = runs = copy.deepcopy(self.runs)
        for number, run in enumerate(runs):
            run.put("submission_platform", system)
            fresh(run, number + 50)
        return runs

    def write(self, folder: Path) -> Path:
        """The submission as files below a folder."""
        home = folder / self.org
        (source,) = (REFERENCE / "source").iterdir()
        target = source_path(home, combine(self.source.items()))
        for name in loaded(self.benchmark).keys() & self.source.keys():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, path)
        for system, runs in self.systems.items():
            at = home / "results" / system / "strong" / self.benchmark
            at.mkdir(parents=True)
            for number, run in enumerate(runs):
                (at / f"result_{number}.txt").write_text(log_text(run))
            self.files[f"systems/{system}.json"] = json.dumps({**self.description, "system_name": system})
        for path, content in self.files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return home


@cache
def loaded(benchmark: str) -> dict[str, str]:
    """The files that the committed runs of a benchmark loaded, with their digests."""
    return runs_of(benchmark)[0].one("source")["metadata"]["files"]


def source_of(benchmark: str) -> Path:
    """The folder of these files in a submission."""
    return source_path(Path(), combine(loaded(benchmark).items()))


def each(change: Callable[..., Any], *values: Any, **named: Any) -> Callable[[Submission], None]:
    """The attack that changes all runs."""

    def attack(submission: Submission) -> None:
        for run in submission.every():
            change(run, *values, **named)

    return attack


def one(change: Callable[..., Any], *values: Any, at: int = 2) -> Callable[[Submission], None]:
    """The attack that changes one run."""
    return lambda submission: change(submission.runs[at], *values)


def both(*attacks: Callable[[Submission], Any]) -> Callable[[Submission], None]:
    """Attacks one after another."""

    def attack(submission: Submission) -> None:
        for step in attacks:
            step(submission)

    return attack


def described(**fields: str) -> Callable[[Submission], None]:
    """The attack that changes the system description."""
    return lambda submission: submission.description.update(fields)
