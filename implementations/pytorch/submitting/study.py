"""Make a scaling study: for each number of ranks, a set of runs and a measurement of steps.

A strong study keeps the batch, so that every point trains the same; it has runs and measured steps. A weak study keeps
the batch of a rank, so that every point trains something else; it has measured steps only.
"""

import argparse
import copy
import re
import sys
from collections.abc import Callable
from pathlib import Path

from benchmark.collect import collect, snapshot
from benchmark.log import Event, read_log
from benchmark.study import point_system
from benchmark.tree import THROUGHPUT, set_path

from ..config import RunConfig
from .aside import move_aside
from .campaign import SIGNALS, WRONG

KINDS = ("strong", "weak")
STEPS = 20  # measured at each point by default
LAYOUT = re.compile(r"[1-9]\d{0,5}(,[1-9]\d{0,5})*")
ALONE = ("entry", "register", "check", "layout", "nproc")  # options for a single system
Args = argparse.Namespace


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a study."""
    parser.add_argument("--study", choices=KINDS, help="a scaling study: a set of runs, and steps, for each of --ranks")
    parser.add_argument("--ranks", nargs="+", metavar="N", help="with --study: ranks, or layouts such as 1,2,2,1")
    parser.add_argument("--steps", type=int, help=f"with --study: steps to measure, 0 for none (default: {STEPS})")


def check_options(parser: argparse.ArgumentParser, args: Args) -> None:
    """End with exit code 2 where options contradict each other."""
    if not args.study:
        if args.ranks or args.steps is not None:
            parser.error("--ranks, --steps: found no --study, wanted --study strong or weak too")
        return
    if not args.ranks:
        parser.error("--study: found no --ranks, wanted --ranks 1 2 4 too")
    if odd := [ranks for ranks in args.ranks if not LAYOUT.fullmatch(ranks)]:
        parser.error(f"--ranks: found {odd[0]!r}, wanted a number, or a layout such as 1,2,2,1")
    for name in ALONE:
        if getattr(args, name) not in (None, False):
            parser.error(f"--{name}: found --study too, wanted one of them: it is of one system")
    if args.aside is not None:
        parser.error("--aside: found --study too, wanted one of them: name the point's system")
    if args.steps is not None and args.steps < 0:
        parser.error(f"--steps: found {args.steps}, wanted 0 or more")
    if args.study == "weak" and args.runs:
        parser.error(f"--runs: found {args.runs} with --study weak, wanted none: each point trains another batch")


def of_point(args: Args, spec: str, ranks: int) -> Args:
    """Return the arguments of one point, as for a single system of that many ranks."""
    one = copy.copy(args)
    one.study, one.nproc, one.layout = None, ranks, spec if "," in spec else None
    one.settings = list(args.settings)
    return one


def run_study(
    args: Args,
    submit: Callable[[Args], int],
    start: Callable[[Args, Path, list[str]], int],
    configure: Callable[[Args], RunConfig],
    ranks: Callable[[str], int],
) -> int:
    """Make what is missing of a study. Return the exit code: 0 complete, 1 some runs missed their target, 2 it cannot
    go on.

    `submit` makes a submission's runs. `start` makes one run, with a log and more options. `configure` returns the
    resolved settings, and `ranks` the number of ranks of a layout. Raises ValueError where points contradict each
    other.
    """
    numbers = [ranks(spec) for spec in args.ranks]
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"--ranks: found {' '.join(args.ranks)}, wanted a different number of ranks at each point")
    points = [of_point(args, spec, number) for spec, number in zip(args.ranks, numbers, strict=True)]
    if args.study == "weak":
        grow(points, configure(points[0]).batch_size)
    for point in points:
        configure(point)  # refuses what every run would refuse, before the first one
    worst, steps = 0, STEPS if args.steps is None else args.steps
    if steps:  # makes the data, and the description of the study's own system
        tree = copy.copy(points[-1])
        tree.runs = 0
        if code := submit(tree):
            return code
    for point in points:
        if args.study == "strong" and args.runs != 0:
            one = copy.copy(point)
            one.system = point_system(args.system, point.nproc)
            print(f"{one.system}: {point.nproc} ranks", file=sys.stderr, flush=True)
            code = submit(one)
            if code == WRONG or code >= SIGNALS:
                return code
            worst = max(worst, code)
        if steps and (code := measure(point, steps, start, configure(point))):
            return code if code >= SIGNALS else WRONG
    return worst


def grow(points: list[Args], batch: int) -> None:
    """Give each point a batch in proportion to its ranks. Raises ValueError if it is not a whole number."""
    first = points[0].nproc
    for point in points:
        size, rest = divmod(batch * point.nproc, first)
        if rest:
            raise ValueError(f"batch_size: found {batch} at {first} ranks, wanted a whole batch at {point.nproc} too")
        point.settings.append(f"batch_size={size}")


def measure(args: Args, steps: int, start: Callable[[Args, Path, list[str]], int], config: RunConfig) -> int:
    """Measure a point's steps, unless they were measured before. Return the exit code."""
    submission = args.out.resolve() / args.org
    folder = set_path(submission, args.system, args.workload, THROUGHPUT)
    if any(said(log) == (args.nproc, config.digest(), steps) for log in sorted(folder.glob("result_*.txt"))):
        return 0
    source = snapshot(*filter(None, [args.config]))
    numbers = [int(m[1]) for log in folder.glob("result_*.txt") if (m := re.fullmatch(r"result_(\d+)\.txt", log.name))]
    log = folder / f"result_{max(numbers, default=-1) + 1}.txt"
    print(f"{args.system}: {steps} steps on {args.nproc} ranks", file=sys.stderr, flush=True)
    if code := start(args, log, ["--steps", str(steps)]):
        if log.exists():
            move_aside([log], "broke off")
        return code if code > 0 else SIGNALS - code
    collect(submission, source)
    return 0


def said(log: Path) -> tuple[int | None, str | None, int | None]:
    """Return ranks, digest of settings, and steps of a measurement; None for each if it was interrupted."""
    values = {event.key: event.value for event in read_log(log) if isinstance(event, Event)}
    if "throughput" not in values or "throughput_setup" not in values:
        return None, None, None
    return values.get("number_of_ranks"), values.get("config_digest"), values["throughput_setup"].get("steps")
