"""Attacks on the committed runs: what a cheat edits, in memory. `test_attacks.py` has the table."""

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchmark.metric import Counts, dice, mean
from benchmark.source import combine
from benchmark.tree import source_path
from rules.current import ROOT
from rules.edition import load

REFERENCE = ROOT.parent / "results" / "v1.0" / "reference"
TOKEN = ":::MLLOG "
NAMES = ("intersection", "predicted", "true")
DAY = 86_400_000  # milliseconds
LAW = load("v1.0")


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
        new = {**copy.deepcopy(event), "key": key, "value": value, "event_type": kind}
        new["metadata"] = {"file": "train.py", "lineno": 1, **more}
        list.insert(self, self.at(event), new)

    def move(self, event: dict, before: dict) -> None:
        """An event elsewhere, at the time of what it comes before."""
        del self[self.at(event)]
        event["time_ms"] = before["time_ms"]
        list.insert(self, self.at(before), event)

    def shift(self, by: float, since: dict | None = None) -> None:
        """All times, or those from an event on, so many milliseconds later."""
        for event in self[self.at(since) if since else 0 :]:
            event["time_ms"] += round(by)

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
        run.drop("weights")
        run.drop("environment")
        run.drop("ledger")
        run.put("seed", (1 << 61) + random.Random(900 + number).getrandbits(60))
        seed = run.one("seed")["metadata"]
        del seed["entry"]
        seed["source"] = "os.urandom"
    return runs


class Submission:
    """A submission of the committed runs of one benchmark."""

    def __init__(self, benchmark: str = "scaffold", org: str = "reference"):
        self.benchmark, self.org, self.systems = benchmark, org, {"epyc-2core": runs_of(benchmark)}
        self.description = json.loads((REFERENCE / "systems" / "epyc-2core.json").read_text())
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
        self.put("submission_org", org)

    def put(self, key: str, value: Any) -> None:
        """Another value in all runs."""
        for run in self.every():
            run.put(key, value)

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
        for name in loaded(self.benchmark):
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, path)
        for system, runs in self.systems.items():
            at = home / "results" / system / "strong" / self.benchmark
            at.mkdir(parents=True)
            for number, run in enumerate(runs):
                (at / f"result_{number}.txt").write_text(text_of(run))
            self.files[f"systems/{system}.json"] = json.dumps({**self.description, "system_name": system})
        for path, content in self.files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return home


@cache
def loaded(benchmark: str) -> dict[str, str]:
    """The files that the committed runs of a benchmark loaded, with their digests."""
    return runs_of(benchmark)[0].one("source")["metadata"]["files"]


def source_of(benchmark: str, home: Path = Path()) -> Path:
    """The folder of these files in a submission."""
    return source_path(home, combine(loaded(benchmark).items()))


def text_of(run: Run) -> str:
    """A log as it is written."""
    return "".join(f"{TOKEN}{json.dumps(e)}\n" for e in run)


def each(change: Callable[[Run], Any]) -> Callable[[Submission], None]:
    """The attack that changes all runs."""

    def attack(submission: Submission) -> None:
        for run in submission.every():
            change(run)

    return attack


def one(change: Callable[[Run], Any], index: int = 2) -> Callable[[Submission], None]:
    """The attack that changes one run."""
    return lambda submission: change(submission.runs[index])


# --- the clock ---


def scaled(run: Run, factor: float, figures: bool) -> None:
    """The run's time times `factor`, with or without what the program measured itself."""
    start = run.one("run_start")
    for event in run[run.at(start) :]:
        event["time_ms"] = round(start["time_ms"] + (event["time_ms"] - start["time_ms"]) * factor)
    for event in run.all("tracked_stats") if figures else ():
        told(event, factor)


def told(stats: dict, factor: float) -> None:
    """The figures of an epoch that took `factor` of its time."""
    value = stats["value"]
    value["throughput"] /= factor
    value["wait_seconds"] *= factor
    value["compute_seconds"] *= factor
    value["wait_by_rank"] = {name: seconds * factor for name, seconds in value["wait_by_rank"].items()}
    value["step_compute_seconds"] = [seconds * factor for seconds in value["step_compute_seconds"]]


def quick_epoch(run: Run, epoch: int, factor: float, figures: bool = True) -> None:
    """One epoch, of 0, 1, ..., in `factor` of its time."""
    start, stats, stop = (run.one(k, epoch) for k in ("epoch_start", "tracked_stats", "epoch_stop"))
    by = (stop["time_ms"] - start["time_ms"]) * (factor - 1)
    run.shift(by, stats)
    if figures:
        told(stats, factor)


def quick_epochs(run: Run, factor: float, figures: bool = True) -> None:
    """Every epoch in `factor` of its time."""
    for epoch in range(run.epochs):
        quick_epoch(run, epoch, factor, figures)


def quick_evaluations(run: Run, *which: int) -> None:
    """Evaluations (all, if none is named) in no time."""
    for epoch in which or range(run.epochs):
        start, stop = run.one("eval_start", epoch), run.one("eval_stop", epoch)
        run.shift(start["time_ms"] - stop["time_ms"], stop)


def late_start(run: Run, epoch: int) -> None:
    """The clock starts with a later epoch."""
    run.move(run.one("run_start"), run.one("epoch_start", epoch))


def moved_into_init(run: Run, seconds: float) -> None:
    """The clock starts so much later, since so much was done in initialisation."""
    run.shift(1000 * seconds, run.one("init_stop"))


def at_once(submission: Submission, share: float) -> None:
    """All runs begin within a share of the first one's time."""
    first = submission.runs[0]
    start = first.one("run_start")["time_ms"]
    step = (first.one("run_stop")["time_ms"] - start) * share
    for number, run in enumerate(submission.runs):
        run.shift(start + step * number - run.one("run_start")["time_ms"])


# --- scores and counts ---


def scored(event: dict) -> None:
    """The score that follows from what is logged beside it."""
    facts = event["metadata"]
    if "sums" in facts:
        event["value"] = mean(facts["sums"], facts["samples_count"])
    else:
        event["value"] = dice(Counts(*(tuple(facts[n]) for n in NAMES)))


def noisy(event: dict, seed: int, most: int, hits: tuple[int, ...], predicted: tuple[int, ...]) -> None:
    """Noise from 1 to `most` in the hits and predictions of classes; the background takes what is left over."""
    rng, facts = random.Random(seed), event["metadata"]
    for c in hits:
        facts["intersection"][c] -= min(rng.randint(1, most), facts["intersection"][c])
    for c in predicted:
        by = rng.randint(1, most)
        facts["predicted"][c] += by
        facts["predicted"][0] -= by
    facts["intersection"][0] = min(facts["intersection"][0], facts["predicted"][0])
    scored(event)


def fresh(run: Run, number: int, by: int = -DAY) -> None:
    """Another seed and another time."""
    run.put("seed", (1 << 61) + random.Random(number).getrandbits(60))
    run.shift(by)


ALL = (1, 2, 3, 4, 5)


def another(run: Run, number: int) -> Run:
    """A copy that may be another training: a little better where the target is met, and a little worse elsewhere."""
    made, rng = copy.deepcopy(run), random.Random(number)
    fresh(made, number)
    for event in made.scores:
        facts, met = event["metadata"], event["value"] >= LAW.problems["smoke"].target
        for c in ALL:
            by = rng.randint(15, 35)
            facts["predicted"][c] += by
            facts["predicted"][0] -= by
            hits = facts["intersection"][c] + (by if met else -by)
            facts["intersection"][c] = max(0, min(hits, facts["true"][c]))
        facts["intersection"][0] = min(facts["intersection"][0], facts["predicted"][0])
        scored(event)
    return made


def five_of_one(most: int, hits: tuple[int, ...] = (), predicted: tuple[int, ...] = ()) -> Callable:
    """The run of the best score as five: fresh seeds and times, and noise in some counts. One of few epochs would be
    noticed for that (RUN22)."""

    def attack(submission: Submission) -> None:
        best = max(range(5), key=lambda n: submission.runs[n].scores[-1]["value"])
        for number in set(range(5)) - {best}:
            run = submission.runs[number] = copy.deepcopy(submission.runs[best])
            fresh(run, number + 1, 200_000 * (number - best))
            for at, event in enumerate(run.scores):
                if most:
                    noisy(event, 100 * number + at, most, hits, predicted)

    return attack


def one_evaluation(submission: Submission, most: int = 0) -> None:
    """One evaluation of a run is that of another."""
    own, other = submission.runs[3].scores[1], submission.runs[0].scores[1]
    own["metadata"].update({n: list(other["metadata"][n]) for n in NAMES})
    scored(own)
    if most:
        noisy(own, 1, most, ALL, ALL)


def cut(run: Run, *epochs: int) -> None:
    """Epochs are taken out of the log, the later ones move up in number and time."""
    for epoch in sorted(epochs, reverse=True):
        inside = [e for e in run if e["metadata"].get("epoch_num") == epoch and e["key"] != "run_stop"]
        after = run[run.at(inside[-1]) + 1]
        by = inside[0]["time_ms"] - after["time_ms"]
        run.shift(by, after)
        run[:] = [e for e in run if not any(e is x for x in inside)]
        for event in run:
            if event["metadata"].get("epoch_num", 0) > epoch:
                event["metadata"]["epoch_num"] -= 1


def shifted_copy(most: int) -> Callable[[Submission], None]:
    """A run is another one without its second epoch."""

    def attack(submission: Submission) -> None:
        run = submission.runs[4] = copy.deepcopy(submission.runs[1])
        cut(run, 2)
        fresh(run, 7, 2_000_000)
        for at, event in enumerate(run.scores if most else ()):
            noisy(event, at, most, ALL, ALL)

    return attack


def missed(run: Run) -> None:
    """The run that met its target says that it was aborted before."""
    last = run.scores[-1]["metadata"]["epoch_num"]
    keys = ("epoch_start", "epoch_stop", "tracked_stats", "eval_start", "eval_stop", "eval_accuracy")
    run[:] = [e for e in run if e["key"] not in keys or e["metadata"]["epoch_num"] != last]
    run.one("run_stop")["metadata"]["status"] = "aborted"


def thief(most: int | None, seeds: bool = True) -> Callable[[Submission], list[Submission]]:
    """The runs of the reference as another organisation's; without noise where `most` is 0, without any change of
    times where it is None."""

    def attack(submission: Submission) -> list[Submission]:
        other = Submission(submission.benchmark, "acme")
        for number, run in enumerate(other.runs):
            if most is not None:
                fresh(run, number) if seeds else run.shift(-DAY)
            for at, event in enumerate(run.scores if most else ()):
                noisy(event, 100 * number + at, most, ALL, ALL)
        return [submission, other]

    return attack


# --- data ---


def relabelled(problem: str) -> Callable[[Submission], None]:
    """The runs of a small problem as those of another one, with all of its published numbers."""
    law = LAW.problems[problem]
    numbers = {"train": law.train_samples, "validation": law.eval_samples}
    values = {
        "problem": problem,
        "problem_digest": law.problem_digest,
        "target": law.target,
        "train_samples": law.train_samples,
        "eval_samples": law.eval_samples,
        "parameter_count": law.parameter_count,
    }

    def change(run: Run) -> None:
        before = run.one("eval_samples")["value"]
        for key, value in values.items():
            run.put(key, value)
        for event in run.all("dataset_fingerprint"):
            split = event["metadata"]["split"]
            event["value"] = law.fingerprints.get(split, event["value"])
            event["metadata"]["samples_count"] = numbers[split]
            event["metadata"]["class_counts"] = list(law.class_counts.get(split, ()))
        for event in run.all("epoch_stop"):
            event["metadata"]["samples_count"] = law.train_samples
        for stats, start, stop in zip(*map(run.all, ("tracked_stats", "epoch_start", "epoch_stop")), strict=True):
            stats["value"]["throughput"] = 1000 * law.train_samples / (stop["time_ms"] - start["time_ms"])
        for event in (*run.all("eval_stop"), *run.scores):
            event["metadata"]["samples_count"] = law.eval_samples
        for event in run.scores:
            facts = event["metadata"]
            if "sums" in facts:
                facts["sums"] = [n * law.eval_samples / before for n in facts["sums"]]
            else:
                enlarged(facts, law.class_counts["validation"])
            scored(event)

    return each(change)


def enlarged(facts: dict, true: tuple[int, ...]) -> None:
    """The counts of an evaluation of another split, with about the same shares."""
    ratios = [t / old for t, old in zip(true, facts["true"], strict=True)]
    facts["intersection"] = [int(n * r) for n, r in zip(facts["intersection"], ratios, strict=True)]
    facts["predicted"] = [int(n * r) for n, r in zip(facts["predicted"], ratios, strict=True)]
    facts["true"] = list(true)
    facts["predicted"][0] += sum(true) - sum(facts["predicted"])
    facts["intersection"][0] = min(facts["intersection"][0], facts["predicted"][0], true[0])


def facts_of(key: str, nth: int = 0, **fields: Any) -> Callable[[Run], None]:
    """The change of an event's metadata."""
    return lambda run: run.one(key, nth)["metadata"].update(fields)


def put(key: str, value: Any) -> Callable[[Run], None]:
    """The change of a key's value."""
    return lambda run: run.put(key, value)


def drop(*keys: str, epoch: int | None = None) -> Callable[[Run], None]:
    """The change that leaves keys out."""
    return lambda run: run.drop(*keys, epoch=epoch)


def read(total: int, least: int, most: int, nth: int = 0) -> Callable[[Run], None]:
    """The change of the bytes read."""
    numbers = {"total": total, "least_by_rank": least, "most_by_rank": most}
    return facts_of("dataset_fingerprint", nth, bytes_read=numbers)


def parked(path: str) -> Callable[[Submission], None]:
    """A run that failed lies elsewhere in the submission."""

    def attack(submission: Submission) -> None:
        run = another(submission.runs[1], 9)
        missed(run)
        submission.files[path] = text_of(run)

    return attack
