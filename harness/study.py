"""Make a scaling study: for each number of ranks, a set of runs and a measurement of steps.

A strong study keeps the batch, so that every point trains the same; it has runs and measured steps. A weak study keeps
the batch of a rank, so that every point trains something else; it has measured steps only.
"""

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

from benchmark.collect import collect
from benchmark.log import Event, read_log
from benchmark.study import point_system
from benchmark.tree import THROUGHPUT, set_path
from harness.data import make_data
from harness.implementation import Description
from harness.leftovers import put_in_order
from harness.locking import locked
from harness.options import Setup, ranks_of
from harness.processes import SIGNALS, finish
from harness.runset import WRONG, say
from harness.submission import Wanted, describe, make_submission
from harness.superseded import supersede
from harness.system import write_system

KINDS = ("strong", "weak")
STEPS = 20  # measured at each point by default


def make_study(setup: Setup, kind: str, specs: Sequence[str], steps: int, wanted: Wanted) -> int:
    """Make what is missing of a study. `specs` has the points: each a number of ranks, or a layout. Return the exit
    code: 0 complete, 1 some runs missed their target, 2 it cannot go on. Raises ValueError where points contradict each
    other, or where every run of one would be refused."""
    points = [point_of(setup, spec) for spec in specs]
    if len({point.launcher.ranks for point in points}) < len(points):
        raise ValueError(f"--ranks: found {' '.join(specs)}, wanted a different number of ranks at each point")
    if kind == "weak":
        points = grown(points)
    described = [describe(point, 0)[0] for point in points]  # refuses what every run would refuse, before the first
    if steps:
        make_data(setup.problem, setup.data, setup.problems)
        write_system(points[-1], described[-1])  # of the study's own system
    worst = 0
    for point, known in zip(points, described, strict=True):
        if kind == "strong" and wanted.runs != 0:
            one = dataclasses.replace(point, system=point_system(setup.system, point.launcher.ranks))
            say(f"{one.system}: {point.launcher.ranks} ranks")
            code = make_submission(one, wanted)
            if code == WRONG:
                return code
            worst = max(worst, code)
        if steps and not measured(point, known, steps) and (code := measure(point, steps)):
            return code
    if steps:  # a command that was ended may have left the source half copied
        collect(setup.submission, setup.source())
    return worst


def point_of(setup: Setup, spec: str) -> Setup:
    """Return the setup of one point."""
    launcher = dataclasses.replace(setup.launcher, ranks=ranks_of(spec) if "," in spec else int(spec))
    return dataclasses.replace(setup, launcher=launcher, layout=spec if "," in spec else None)


def grown(points: Sequence[Setup]) -> list[Setup]:
    """Return the points with batches in proportion to their ranks. Raises ValueError if one is not a whole number."""
    described = points[0].describe()
    batch = described.settings.get("batch_size") if described else None
    if not isinstance(batch, int):
        raise ValueError("--study weak: found no batch_size in what train.py --describe says, wanted it")
    first, found = points[0].launcher.ranks, []
    for point in points:
        size, rest = divmod(batch * point.launcher.ranks, first)
        if rest:
            at = point.launcher.ranks
            raise ValueError(f"batch_size: found {batch} at {first} ranks, wanted a whole batch at {at} too")
        found.append(dataclasses.replace(point, settings=(*point.settings, f"batch_size={size}")))
    return found


def folder_of(setup: Setup) -> Path:
    """Return the folder of a system's measurements."""
    return set_path(setup.submission, setup.system, setup.benchmark, THROUGHPUT)


def measured(setup: Setup, described: Description | None, steps: int) -> bool:
    """Return whether so many steps of these settings were measured before."""
    if described is None:
        return False
    wanted = (described.ranks, described.config_digest, steps)
    return any(measurement(log) == wanted for log in folder_of(setup).glob("result_*.txt"))


def measure(setup: Setup, steps: int) -> int:
    """Measure steps, in a log of its own. Return the exit code: 0, or 2 if they could not be measured."""
    folder, source = folder_of(setup), setup.source()
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        put_in_order(folder)
        supersede([log for log in folder.glob("result_*.txt") if measurement(log)[0] is None], "broke off")
        found = (re.fullmatch(r"result_(\d+)\.txt", log.name) for log in folder.glob("result_*.txt"))
        log = folder / f"result_{max((int(name[1]) for name in found if name), default=-1) + 1}.txt"
        say(f"{setup.system}: {steps} steps on {setup.launcher.ranks} ranks")
        if code := finish(setup.start(log, ["--steps", str(steps)])):
            supersede([log], "broke off")
            return code if code >= SIGNALS else WRONG
        collect(setup.submission, source)
    return 0


def measurement(log: Path) -> tuple[int | None, str | None, int | None]:
    """Return ranks, digest of settings, and steps of a measurement; None for each if it was interrupted."""
    last = {event.key: event for event in read_log(log) if isinstance(event, Event)}
    if "throughput" not in last:
        return None, None, None
    about = last["throughput"].metadata
    ranks, digest = (last[key].value if key in last else None for key in ("number_of_ranks", "config_digest"))
    return ranks, digest, about.get("steps") if isinstance(about, dict) else None
