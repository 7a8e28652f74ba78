"""The options that the commands of the harness share, and the setup of runs that they amount to."""

import argparse
import contextlib
import dataclasses
import math
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from benchmark.collect import snapshot
from benchmark.config import plain
from benchmark.problem import load_problem
from benchmark.source import ROOT
from benchmark.workload import AnyProblem
from harness.container import RUNTIMES, Container
from harness.implementation import DEFAULT, Description, Implementation, find_implementation
from harness.launcher import ALL, Launcher, launcher_words
from harness.processes import Process, Share, ended, finish
from rules.current import EDITION
from rules.edition import load
from rules.limits import Published
from rules.names import same_name
from rules.registry import NAME as REGISTRY

FOLDER = re.compile(r"\w[\w.+-]*")
LAYOUT = re.compile(r"\d{1,6}(,\d{1,6})*")


@dataclass(frozen=True)
class Setup:
    """What is trained, on which data, by which implementation, and in whose name. From it runs are started."""

    implementation: Implementation
    launcher: Launcher
    problem: str
    data: Path
    out: Path
    org: str
    system: str
    division: str = "closed"
    status: str = "onprem"
    problems: Path | None = None
    config: Path | None = None
    layout: str | None = None
    stage: Path | None = None
    registry: Path = Path(REGISTRY)
    entry: int | None = None
    settings: tuple[str, ...] = ()

    @cached_property
    def definition(self) -> AnyProblem:
        """The problem's definition. Raises ValueError for an unknown problem."""
        return load_problem(self.problem, self.problems)

    @property
    def benchmark(self) -> str:
        """The benchmark that the problem belongs to."""
        return self.definition.workload

    @property
    def published(self) -> Published | None:
        """What the rules publish of the problem; None for one that is defined in another file."""
        return None if self.problems else load(EDITION).problems.get(self.problem)

    @property
    def submission(self) -> Path:
        """The folder of the submission."""
        return self.out / self.org

    def options(self) -> list[str]:
        """Return train.py's options, without those of a single run."""
        names = ["problem", "problems", "config", "data", "org", "system", "division", "status", "layout", "stage"]
        names += ["registry", "entry"] if self.entry is not None else []
        return [part for name in names if (value := getattr(self, name)) for part in (f"--{name}", str(value))]

    def start(self, log: Path, more: Sequence[str] = (), share: Share = ALL) -> Process:
        """Start a run that writes this log, with more options, and return at once."""
        options = [*self.options(), "--log", str(log), *self.settings, *more]
        return self.launcher.start(self.implementation.program(options, self.launcher.python), share)

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder for what ranks write and this process reads; it is removed afterwards. It lies among the
        submissions, which all nodes and containers see; a /tmp may be their own."""
        self.out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".scratch-", dir=self.out, ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    def write_head(self, log: Path) -> None:
        """Have train.py write the head of a log. Raises ValueError if it does not."""
        if code := finish(self.start(log, ["--head"])):
            raise ValueError(f"the head of a log was not written: {ended(code)}")
        if not log.is_file():
            raise ValueError(f"{log}: found no log, wanted its head, in a folder that all nodes share")

    def source(self) -> dict[str, bytes]:
        """Return the files that a run that starts now can load, by sha256."""
        return snapshot(*filter(None, [self.config]))

    def describe(self, share: Share = ALL) -> Description | None:
        """Return what a run would be; None if train.py does not describe itself. Raises ValueError for a run that
        cannot be."""
        options = [*dataclasses.replace(self, entry=None).options(), *self.settings]
        found = self.implementation.describe(options, self.launcher, share)
        if found and found.problem != self.problem:
            raise ValueError(f"--describe: found the problem {found.problem!r:.80}, wanted {self.problem}")
        batch = found.settings.get("batch_size") if found else None
        if isinstance(batch, int) and batch > self.definition.train_samples:
            raise ValueError(f"batch_size: found {batch}, wanted at most the {self.definition.train_samples} samples")
        return found


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that all commands share, but for the problem and what it is trained with."""
    parser.add_argument("--implementation", default=DEFAULT, help=f"a folder of implementations/ (default: {DEFAULT})")
    parser.add_argument("--org", required=True, help="who submits: a folder name")
    parser.add_argument("--system", required=True, help="what on: a file name")
    parser.add_argument("--division", default="closed", choices=("closed", "open"))
    parser.add_argument("--status", default="onprem", choices=("onprem", "cloud", "research"))
    parser.add_argument("--data", type=Path, help="the dataset (default: data/<problem>)")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--config", type=Path, help="defaults instead of the implementation's configs/<problem>.yaml")


def add_making_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that make runs: where submissions are, how ranks are started, and the registry."""
    default = ROOT / "results" / EDITION
    parser.add_argument("--out", type=Path, default=default, help=f"default: results/{EDITION}")
    text = (
        "starts the ranks of every run, such as 'srun --ntasks={ranks}' (default: torchrun on this node, or one rank)"
    )
    parser.add_argument("--exec", metavar="COMMAND", help=text)
    parser.add_argument("--nproc", type=int, help="ranks a run (default: the layout's, or 1)")
    parser.add_argument("--python", help="what runs train.py (default: this Python; in a container python3)")
    parser.add_argument("--container", metavar="IMAGE", help="with --exec: runs are in this container")
    parser.add_argument("--runtime", default=RUNTIMES[0], choices=RUNTIMES, help=f"default: {RUNTIMES[0]}")

    parser.add_argument("--entry", type=int, help="number of the entry in the registry that assigns what is random")
    parser.add_argument("--registry", type=Path, help="the round's registry (default: registry.yaml in --out)")
    parser.add_argument("--register", action="store_true", help="make nothing, print what to register")


def setup_of(args: argparse.Namespace, launcher: Launcher | None = None) -> Setup:
    """Return the setup that the options of a command amount to, with another launcher than theirs if one is given.
    Raises ValueError for options that contradict each other, and for an unknown problem or implementation."""
    for name in (args.org, args.system):
        if not FOLDER.fullmatch(name):
            raise ValueError(f"found {name!r}, wanted a name of letters, digits and . _ + -")
    for option, name, folder in (("org", args.org, args.out), ("system", args.system, args.out / args.org / "results")):
        if there := spelled_otherwise(name, folder):
            raise ValueError(f"--{option}: found {name} beside {there}, wanted that name, or one that nobody mistakes")
    if args.registry and args.entry is None:
        raise ValueError("--registry: found no --entry, wanted --entry N too")
    copied = ("problem", "org", "system", "division", "status", "entry")
    setup = Setup(
        find_implementation(args.implementation),
        launcher or launcher_of(args),
        **{name: getattr(args, name) for name in copied},
        problems=absolute(args.problems),
        config=absolute(args.config),
        stage=absolute(getattr(args, "stage", None)),
        data=(args.data or ROOT / "data" / args.problem).resolve(),
        out=args.out.resolve(),
        layout=getattr(args, "layout", None),
        registry=(args.registry or args.out / REGISTRY).resolve(),
        settings=tuple(getattr(args, "settings", ())),
    )
    setup.definition  # noqa: B018  refuses an unknown problem
    return setup


def absolute(path: Path | None) -> Path | None:
    """Return a path that does not depend on the folder in which ranks begin, which in a container is the clone."""
    return path and path.absolute()


def spelled_otherwise(name: str, folder: Path) -> Path | None:
    """Return a folder whose name differs from `name` only in case or punctuation (rule TREE12), None without any."""
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    return next((p for p in there if p.is_dir() and p.name != name and same_name(p.name, name)), None)


def launcher_of(args: argparse.Namespace) -> Launcher:
    """Return how the options have ranks started. Raises ValueError where they contradict each other."""
    count = args.nproc if args.nproc is not None else ranks_of(getattr(args, "layout", None) or "1")
    if count < 1:
        raise ValueError(f"--nproc: found {count}, wanted 1 or more")
    if args.container and not args.exec:
        raise ValueError("--container: found no --exec, wanted the command that starts ranks on nodes too")
    container = Container(args.container, args.runtime, ROOT, tuple(mounted(args))) if args.container else None
    python = {"python": args.python or "python3"} if args.python or args.container else {}
    return Launcher(count, launcher_words(args.exec) if args.exec else (), container=container, **python)


def mounted(args: argparse.Namespace) -> Iterator[Path]:
    """Yield the files and folders that a run in a container must see, as they are named and without links. Folders that
    the command writes to are made: a runtime refuses to mount what is not there. With --register it writes to --out
    alone, and other folders are mounted if they are there."""
    for name in ("out",) if args.register else ("checkpoint", "data", "out"):
        if path := getattr(args, name, None):
            path.mkdir(parents=True, exist_ok=True)
    options = ("problems", "config", "registry", "data", "stage", "checkpoint", "out")
    named = (getattr(args, name, None) for name in options)
    for path in (find_implementation(args.implementation).folder, *filter(None, named)):
        if path.exists() or not args.register:
            yield from (path.absolute(), path.resolve())


def ranks_of(layout: str) -> int:
    """Return how many ranks a layout such as "2,1,1,1" has; 1 for one that train.py will refuse."""
    return math.prod(map(int, layout.split(","))) if LAYOUT.fullmatch(layout) else 1


def assignments(values: Mapping[str, object]) -> list[str]:
    """Return settings as words of a command line, field=value with the value as YAML on one line."""
    return [f"{name}={text(value)}" for name, value in values.items()]


def text(value: object) -> str:
    """Return a value as YAML on one line."""
    return yaml.safe_dump([plain(value)], default_flow_style=True, width=math.inf).strip()[1:-1]
