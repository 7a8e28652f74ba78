"""Reading runs and their scores by epoch from logs, and keeping them in a YAML file.

The file has everything that tables and figures need, so that they can be made again without the logs.
"""

import hashlib
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmark.config import build, plain, read_yaml
from benchmark.problem import load_problem
from benchmark.writing import write_text
from compliance.engine import judge
from compliance.reading.run import Run as LoggedRun
from results.runs.curve import curve
from rules.current import current
from rules.edition import load
from rules.reference import crossing

APART = ("accumulate", "precision", "epochs", "batch_size")  # settings in which the runs of one series may differ


@dataclass(frozen=True)
class Run:
    """One run. `scores` are the validation scores of epochs 1, 2, ...; `seconds` is the time of the whole run."""

    log: str  # sha256
    source: str  # digest of the source, as logged
    seed: int
    device: str
    threads: int  # 0 if not logged
    precision: str
    seconds: float
    scores: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.scores or not all(map(math.isfinite, (self.seconds, *self.scores))):
            raise ValueError(f"found scores {self.scores} and {self.seconds} seconds, wanted finite ones of each epoch")


@dataclass(frozen=True)
class Series:
    """Runs of one problem at one batch size, with the same mathematics."""

    benchmark: str
    problem: str
    problem_digest: str
    width: int  # channels of the U-Net's first level; 0 of other networks, and where it is not known
    batch: int
    target: float
    settings: dict[str, Any]  # the hyperparameters that change the result
    runs: tuple[Run, ...]

    @property
    def lower(self) -> bool:
        """Whether lower scores are better."""
        return load(current()).benchmarks[self.benchmark].lower

    @property
    def common(self) -> tuple:
        """What its runs share; series are sorted by it."""
        return (self.benchmark, natural(self.problem), -self.width, self.batch, self.problem_digest, str(self.settings))

    def reached(self, run: Run) -> int | None:
        """The epoch, from 1, in which a run met the target; None if it did not."""
        met = (s <= self.target if self.lower else s >= self.target for s in run.scores)
        return next((epoch for epoch, yes in enumerate(met, 1) if yes), None)

    @property
    def epochs(self) -> list[int]:
        """The epochs to the target of the runs that met it, fewest first."""
        return sorted(epoch for run in self.runs if (epoch := self.reached(run)))

    @property
    def crossings(self) -> list[float]:
        """Where the runs that met the target crossed it, in epochs, on a straight line from the evaluation before; the
        first evaluation has none before it. Fewest first."""
        found = []
        for run in self.runs:
            if epoch := self.reached(run):
                before, after = run.scores[max(0, epoch - 2)], run.scores[epoch - 1]
                line = ((epoch - 1, before), (epoch, after))
                found.append(crossing(*line, self.target) if epoch > 1 else float(epoch))
        return sorted(found)

    @property
    def seconds(self) -> list[float]:
        """The seconds of the runs that met the target, fewest first."""
        return sorted(run.seconds for run in self.runs if self.reached(run))

    @property
    def variation(self) -> float | None:
        """The coefficient of variation of the epochs; None below two runs."""
        return statistics.stdev(self.epochs) / statistics.fmean(self.epochs) if len(self.epochs) > 1 else None

    @property
    def published(self) -> bool:
        """Whether the runs' problem equals its present definition."""
        try:
            return load_problem(self.problem).digest() == self.problem_digest
        except ValueError:
            return False


def natural(name: str) -> tuple:
    """The key that sorts names of problems: smoke first, then by name and number."""
    digits = "".join(c for c in name if c.isdigit())
    return name != "smoke", name.rstrip("0123456789"), int(digits or 0), name


def from_logs(paths: Iterable[Path]) -> list[Series]:
    """The series of the runs in logs, or in folders of logs. Raises ValueError naming a log that is not usable."""
    verdict = judge(paths)
    for path, why in verdict.missed:
        raise ValueError(f"{path}: {why}")
    logs = [log for runs in verdict.all_sets for log in runs.logs] + list(verdict.logs)
    if not logs:
        raise ValueError("no log of a run was found")
    return merged(of_log(log.run) for log in logs)


def of_log(run: LoggedRun) -> Series:
    """A series with one run. Raises ValueError naming the log and what it lacks."""
    scores, where = curve(run), run.path
    if run.window is None or not scores:
        raise ValueError(f"{where}: found no run with scores, wanted run_start, run_stop and scores between them")
    if [epoch for epoch, _ in scores] != list(range(1, len(scores) + 1)):
        raise ValueError(f"{where}: found scores at epochs {[e for e, _ in scores]}, wanted one after each epoch")
    target = run.value("target") if run.target is None else run.target
    if target is None:
        raise ValueError(f"{where}: found no target, neither in the rules for problem {run.problem!r} nor in the log")
    known, defining = run.value("hyperparameters", {}), load(current()).benchmarks[run.benchmark].settings
    one = Run(
        log=hashlib.sha256(run.file.read_bytes()).hexdigest(),
        source=str(run.value("source", "")),
        seed=run.seeds[0][1] if run.seeds else 0,
        device=str(known.get("device", "")),
        threads=known.get("threads", 0),
        precision=str(run.value("precision", "")),
        seconds=run.seconds,
        scores=tuple(score for _, score in scores),
    )
    return Series(
        benchmark=run.benchmark,
        problem=str(run.problem),
        problem_digest=str(run.value("problem_digest", "")),
        width=width_of(str(run.problem), str(run.value("problem_digest", ""))),
        batch=run.value("global_batch_size"),
        target=float(target),
        settings={name: known[name] for name in sorted(known) if name in defining and name not in APART},
        runs=(one,),
    )


def merged(series: Iterable[Series]) -> list[Series]:
    """The series with runs of equal series joined and every run once, in a fixed order."""
    found: dict[tuple, list[Series]] = {}
    for one in series:
        found.setdefault((*one.common, one.target), []).append(one)
    joined = []
    for key in sorted(found, key=str):
        runs = {run.log: run for one in found[key] for run in one.runs}
        ordered = tuple(sorted(runs.values(), key=lambda run: (run.seconds, run.log)))
        joined.append(Series(**{**vars(found[key][0]), "runs": ordered}))
    return sorted(joined, key=lambda one: one.common)


def width_of(problem: str, digest: str) -> int:
    """The width of a published problem's U-Net; 0 of other networks and of unknown problems."""
    try:
        known = load_problem(problem)
    except ValueError:
        return 0
    return known.width if known.workload == "scaffold" and known.digest() == digest else 0


HEADER = """# Runs of the reference and their validation scores, epoch by epoch: what docs/convergence.md is made of.
# Made from logs by `python perf/convergence.py`; what the fields mean: perf/curves/runs.py.
"""


def write(path: Path, series: Sequence[Series]) -> None:
    """Write series to a file."""
    text = yaml.safe_dump({"series": plain(series)}, sort_keys=False, default_flow_style=None, width=118)
    write_text(path, HEADER + text)


def read(path: Path) -> list[Series]:
    """The series of a file. Raises ValueError naming the file and what is wrong in it."""
    values = read_yaml(path)
    if not isinstance(values, dict) or not isinstance(values.get("series"), list):
        raise ValueError(f"{path}: found no list of series")
    return [build(Series, one, f"{path}: series[{i}]") for i, one in enumerate(values["series"])]
