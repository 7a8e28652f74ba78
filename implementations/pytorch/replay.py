"""Train the first epochs of a logged run again, from its seed and its settings, and compare them with its log.

    python implementations/pytorch/replay.py results/v1.0/acme/results/node/strong/scaffold/result_0.txt
    python implementations/pytorch/replay.py LOG --epochs 3 --data data/smoke
    python implementations/pytorch/replay.py LOG --source results/v1.0/acme/source/0123456789ab --run-their-code

A run of the reference is replayed with this repository's own code. Other code is taken from the submission's folder of
source, and runs only with --run-their-code: **it can do whatever you can do**.

On the same machine, with the same threads and ranks, the numbers are equal to the last digit. Elsewhere rounding
differs, and a replay must stay within the band that the rules publish for the problem (`replay` in limits.yaml).
Exit codes: 0 equal or within the band, 1 outside, 2 it could not be replayed.
"""

import argparse
import hashlib
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would, as part of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    __package__ = f"implementations.{Path(__file__).resolve().parent.name}"

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing

# isort: split
import yaml

from benchmark.config import build
from benchmark.launch import usable_cores
from benchmark.problem import load_problem
from rules.edition import load

from . import start
from .auditing.comparison import Distance, distances
from .auditing.logged import Epoch, LoggedRun, matches, read_run
from .auditing.outcome import record
from .config import RunConfig
from .submit import generate
from .submitting.campaign import few
from .task import config_class
from .training.events import EDITION

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OURS = ("benchmark", "rules")  # this repository's folders that a submission's code gets beside its own files
# Settings of the machine, which the replay takes from this machine and not from the log.
MACHINE = ("workers", "prefetch", "cache_gib", "timeout_seconds", "peak_tflops", "tile", "layout", "device", "threads")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path, help="log of the run")
    parser.add_argument("--epochs", type=int, default=1, help="how many epochs, from the first on (default: 1)")
    parser.add_argument("--data", type=Path, help="the dataset, generated if absent (default: data/<problem>)")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--layout", help="ranks by data,depth,height,width (default: as logged if cores suffice, or 1)")
    parser.add_argument("--threads", type=int, help="CPU threads by rank (default: as logged, or what there is)")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--source", type=Path, help="the submission's folder of source, source/<digest>")
    parser.add_argument("--run-their-code", action="store_true", help="the code in --source may run on this machine")
    parser.add_argument("--keep", type=Path, help="where to keep the replay's log")
    parser.add_argument("--record", type=Path, help="a file to add the outcome to, one line of JSON a replay")
    args = parser.parse_args(arguments)
    if args.epochs < 1:
        parser.error(f"--epochs: found {args.epochs}, wanted 1 or more")
    if args.run_their_code and not args.source:
        parser.error("--run-their-code: found no --source, wanted the folder of the code too")
    return args


def settings_of(run: LoggedRun, args: argparse.Namespace) -> RunConfig:
    """Return the settings of the replay: the logged ones for the training, this machine's for the machine. Raises
    ValueError for an invalid logged setting."""
    cls = config_class(run.benchmark)
    logged = build(cls, run.settings, f"{run.path}: hyperparameters")
    changes = {name: getattr(cls(), name) for name in MACHINE}
    cores = usable_cores()
    layout = (logged.layout or (1, 1, 1, 1)) if run.ranks <= cores else (1, 1, 1, 1)
    if args.layout:
        layout = tuple(int(part) if part.isdecimal() else 0 for part in args.layout.split(","))
    changes |= {"layout": layout, "device": args.device, "epochs": min(args.epochs, len(run.epochs))}
    changes["threads"] = args.threads or (logged.threads if logged.threads <= cores else 0)
    return build(cls, {**logged.fields(), **changes}, "replay")


def strangers(run: LoggedRun, root: Path) -> list[str]:
    """Return the files that the run loaded and that are absent or different below `root`."""
    return [path for path, digest in sorted(run.files.items()) if sha256(root / path) != digest]


def sha256(path: Path) -> str | None:
    """Return the sha256 of a plain file; None if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else None


def program(run: LoggedRun, args: argparse.Namespace, folder: Path) -> Path:
    """Return the train.py to run: this repository's for a run of the reference, else that of a copy of --source, which
    is made in `folder`. Raises ValueError where the code differs and may not run, or is not the code that the log
    names."""
    if args.source is None:
        others = [path for path in strangers(run, ROOT) if path != run.config]
        if others:
            found = f"found other code than the repository's: {few(others)}"
            raise ValueError(f"{run.path}: {found}; wanted --source DIR --run-their-code, if you trust it")
        return HERE / "train.py"
    others = strangers(run, args.source)
    if others:
        raise ValueError(f"{args.source}: {others[0]}: found another file than the log names, wanted its sha256")
    trains = sorted(p for p in run.files if p.startswith("implementations/") and p.endswith("/train.py"))
    if len(trains) != 1:
        raise ValueError(f"{run.path}: source: found {len(trains)} files train.py, wanted one")
    if not args.run_their_code:
        raise ValueError(f"{args.source}: found somebody else's code, wanted --run-their-code, if you trust it")
    for name in OURS:  # for files other than Python, such as problems.yaml
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in run.files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(args.source / path, folder / path, follow_symlinks=False)
    return folder / trains[0]


def train(run: LoggedRun, args: argparse.Namespace) -> tuple[Epoch, ...]:
    """Replay the run and return its epochs. Raises ValueError if it cannot be replayed."""
    problem = load_problem(run.problem, args.problems)
    matches(run, problem)
    config = settings_of(run, args)
    args.problem, args.data = run.problem, (args.data or ROOT / "data" / run.problem).resolve()
    with tempfile.TemporaryDirectory(prefix="replay-") as name:
        folder = Path(name)
        script = program(run, args, folder / "code")
        if generate(args):
            raise ValueError(f"{args.data}: could not be generated")
        settings, log = folder / "settings.yaml", folder / "log.txt"
        settings.write_text(yaml.safe_dump(config.fields()), encoding="utf-8")
        command = [*start.program(script, math.prod(config.layout)), "--problem", run.problem]
        command += ["--data", str(args.data), "--log", str(log)]
        command += ["--problems", str(args.problems.resolve())] if args.problems else []
        command += ["--config", str(settings), "--org", "replay", "--rehearsal-seed", str(run.seed)]
        done = subprocess.run(command, env=start.environment(ROOT), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            epochs = read_run(log).epochs
        except ValueError:
            epochs = ()
        if len(epochs) < config.epochs:
            lines = [line for line in done.stderr.decode(errors="replace").splitlines() if "train.py:" in line]
            raise ValueError(f"{run.path}: the replay ended early: {lines[0] if lines else f'code {done.returncode}'}")
        if args.keep:
            shutil.copyfile(log, args.keep)
    return epochs


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay a run and print how far it is from the log. Return the exit code."""
    args = parse(arguments)
    try:
        run = read_run(args.log)
        replayed = train(run, args)
        band = load(EDITION).problems[run.problem].replay if run.problem in load(EDITION).problems else {}
    except (ValueError, OSError) as error:
        print(f"replay.py: {error}", file=sys.stderr)
        return 2
    found = distances(run.epochs, replayed)
    for number, (logged, again, apart) in enumerate(zip(run.epochs, replayed, found, strict=False), 1):
        print(
            f"epoch {number}: loss {logged.loss:.6f}, again {again.loss:.6f} ({apart.loss:.2%}); "
            f"score {logged.score:.6f}, again {again.score:.6f}"
        )
    code, verdict = judge(found, band)
    print(f"{run.path}: {verdict}")
    if args.record:
        try:
            facts = {"code": "submitted" if args.source else "reference", "epochs": len(found)}
            record(args.record, run.path, "replay", code, verdict, **facts)
        except OSError as error:
            print(f"replay.py: {args.record}: {error.strerror or error}", file=sys.stderr)
            return 2
    return code


def judge(found: Sequence[Distance], band: dict[int, tuple[float, float]]) -> tuple[int, str]:
    """Return exit code and verdict. `band` has, by epoch, the largest honest differences of the loss, relative, and of
    the score."""
    if all(distance.exact for distance in found):
        return 0, f"the same numbers in all of {len(found)} epochs replayed"
    limits = [(n, *band[n]) for n in range(1, len(found) + 1) if n in band]
    if not limits:
        return 2, "not the same numbers, and the rules publish no band for this problem: judge by the differences"
    for number, loss, score in limits:
        distance = found[number - 1]
        if not distance.within(loss, score):
            apart = f"loss {distance.loss:.2%} and score {distance.score:.4f} apart"
            return 1, f"not this run: epoch {number} is {apart}, wanted at most {loss:.2%} and {score:.4f}"
    return 0, f"not the same numbers, but within the band of honest replays in {len(limits)} epochs"


if __name__ == "__main__":
    sys.exit(main())
