"""Train the first epochs of a logged run again, from its seed and its settings, and compare them with its log.

    python harness/replay.py results/v1.0/acme/results/node/strong/scaffold/result_0.txt
    python harness/replay.py LOG --epochs 3 --data data/smoke compile=false
    python harness/replay.py LOG --code theirs --source results/v1.0/acme/source/0123456789ab --run-their-code

    python harness/replay.py LOG --from-epoch 3 --checkpoint FOLDER
    python harness/replay.py LOG --weights

With --from-epoch, training goes on from the state after that epoch, a checkpoint in the folder, whose digest must be
the logged one: so any epoch can be checked, also one that was drawn after the logs were handed in.

With --weights, it trains to the end, and puts the final weights beside the log, where submissions leave them out:
`weights/result_<i>.safetensors`. They must have the logged digest, which needs the same kind of machine.

By default this repository's reference trains, whoever wrote the log: an honest implementation computes the same. With
`--code theirs` the submission's own code does, from its folder of source, started by the command line that
docs/implementing.md describes. It runs only with --run-their-code: **it can do whatever you can do**.

From the log come the seed and the settings that define what is trained. Settings of the machine are those of this
machine: the reference's configuration has them, and `name=value` changes them.

On the same machine, by the same code with the same threads and ranks, the numbers are equal to the last digit.
Elsewhere rounding differs, and a replay must stay within the bands that the rules publish for the problem: `replay` of
the first epochs, and `replay_early` of the loss in the first steps, before differences have grown (limits.yaml).
Exit codes: 0 equal or within the band, 1 outside, 2 it could not be replayed.
"""

import argparse
import dataclasses
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing

# isort: split
import yaml

from benchmark.launch import usable_cores
from benchmark.printable import printable
from benchmark.problem import load_problem
from benchmark.run.errors import reason
from benchmark.run.files import weights_path
from benchmark.source import ROOT
from benchmark.writing import copy_file, copy_tree, write_text
from harness.auditing.comparison import Distance, distances
from harness.auditing.logged import LoggedRun, matches, read_run
from harness.auditing.record import record
from harness.auditing.settings import average_in_epochs, defining, precision_of, unknown
from harness.auditing.spot import OtherState, begin_after
from harness.data import make_data
from harness.implementation import Implementation, sha256
from harness.launcher import Launcher
from harness.options import assignments
from harness.processes import exit_on_signals
from rules.current import EDITION
from rules.edition import Edition, load
from rules.published import REFERENCE, origin

OURS = ("benchmark", "rules")  # this repository's folders that a submission's code gets beside its own files
NAMES = ("--org", "replay", "--system", "replay", "--division", "open", "--status", "research")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path, help="log of the run")
    parser.add_argument("settings", nargs="*", metavar="name=value", help="settings of the machine")
    parser.add_argument("--epochs", type=int, default=1, help="how many epochs, from the first on (default: 1)")
    parser.add_argument(
        "--from-epoch", type=int, default=0, metavar="K", help="begin after epoch K, with its checkpoint"
    )
    parser.add_argument("--checkpoint", type=Path, help="with --from-epoch: the folder of the run's checkpoints")
    parser.add_argument("--weights", action="store_true", help="train to the end, and write the final weights")
    parser.add_argument("--data", type=Path, help="the dataset, generated if absent (default: data/<problem>)")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--layout", help="ranks by data,depth,height,width (default: as logged if cores suffice, or 1)")
    parser.add_argument("--threads", type=int, help="CPU threads by rank (default: as logged, or what there is)")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--code", default="reference", choices=("reference", "theirs"), help="default: reference")
    parser.add_argument("--source", type=Path, help="with --code theirs: the submission's folder of source")
    parser.add_argument("--run-their-code", action="store_true", help="the code in --source may run on this machine")
    parser.add_argument("--keep", type=Path, help="where to keep the replay's log")
    parser.add_argument("--record", type=Path, help="a file to add the outcome to, one line of JSON a replay")
    args = parser.parse_intermixed_args(arguments)
    if args.epochs < 1:
        parser.error(f"--epochs: found {args.epochs}, wanted 1 or more")
    if args.from_epoch < 0 or bool(args.from_epoch) != bool(args.checkpoint):
        parser.error(f"--from-epoch: found {args.from_epoch}, wanted 1 or more with --checkpoint FOLDER, or neither")
    if args.code == "theirs" and not args.source:
        parser.error("--code theirs: found no --source, wanted the folder of their code, source/<digest>")
    if args.code == "reference" and (args.source or args.run_their_code):
        parser.error("--source, --run-their-code: found --code reference, wanted --code theirs")
    for setting in args.settings:
        if "=" not in setting:
            parser.error(f"found {setting!r}, wanted one log, and settings as name=value")
    return args


def settings_of(run: LoggedRun, args: argparse.Namespace, edition: Edition, samples: int) -> dict[str, Any]:
    """Return the settings of the replay: the logged ones that define what is trained, and few of the machine. An epoch
    has so many `samples`. Raises ValueError where the log leaves one out, and if the command line changes one."""
    found = defining(run, edition)
    for name in (setting.partition("=")[0] for setting in args.settings):
        if name in found:
            wanted = "settings of the machine alone: the log has it"
            raise ValueError(f"{name}: found it on the command line, wanted {wanted}")
    last = math.ceil(run.epochs[-1].number)
    found["epochs"] = last if args.weights else min(args.from_epoch + args.epochs, last)
    if args.code == "reference":
        found = average_in_epochs(run, found, samples)
        found["precision"] = precision_of(found)
    else:  # whatever else their code knows
        found |= {name: run.settings[name] for name in unknown(run, edition) if name.isidentifier()}
    threads = args.threads or run.settings.get("threads")
    if type(threads) is int and (args.threads or 0 < threads <= usable_cores()):
        found["threads"] = threads
    if args.device != "auto":
        found["device"] = args.device
    return found


def layout_of(run: LoggedRun, args: argparse.Namespace) -> list[int]:
    """Return the layout of ranks: that of the command line, the logged one if this machine has a core for each of its
    ranks, or one rank."""
    if args.layout:
        return [int(part) if part.isdecimal() else 0 for part in args.layout.split(",")]
    logged = run.settings.get("layout")
    if isinstance(logged, list) and len(logged) == 4 and all(type(extent) is int and extent > 0 for extent in logged):
        return logged if math.prod(logged) == run.ranks <= usable_cores() else [1, 1, 1, 1]
    return [1, 1, 1, 1]


def program(run: LoggedRun, args: argparse.Namespace, folder: Path) -> Implementation:
    """Return the implementation to run: the reference, or a copy of the submission's, which is made in `folder`. Raises
    ValueError where that may not run, or is not the code that the log names."""
    if args.code == "reference":
        return Implementation(ROOT / REFERENCE)
    for path, digest in sorted(run.files.items()):
        if (args.source / path).is_symlink() or sha256(args.source / path) != digest:
            raise ValueError(f"{args.source}: {path}: found another file than the log names, wanted sha256 {digest}")
    scripts = sorted(p for p in run.files if p.startswith("implementations/") and p.endswith("/train.py"))
    if len(scripts) != 1:
        raise ValueError(f"{run.path}: source: found {len(scripts)} files train.py, wanted one")
    if not args.run_their_code:
        raise ValueError(f"{args.source}: found somebody else's code, wanted --run-their-code, if you trust it")
    for name in OURS:  # for files other than Python, such as problems.yaml
        copy_tree(ROOT / name, folder / name, shutil.ignore_patterns("__pycache__"))
    for path in run.files:
        copy_file(args.source / path, folder / path)
    return Implementation((folder / scripts[0]).parent)


def options_of(run: LoggedRun, args: argparse.Namespace, settings: dict[str, Any], folder: Path) -> list[str]:
    """Return the options of train.py but --log. Files for it are written to `folder`."""
    layout = layout_of(run, args)
    options = ["--problem", run.problem, "--data", str(args.data), *NAMES, "--rehearsal-seed", str(run.seed)]
    options += ["--layout", ",".join(map(str, layout))] if args.layout or math.prod(layout) > 1 else []
    options += ["--problems", str(args.problems.resolve())] if args.problems else []
    if args.problems and args.code == "reference":  # which has no configuration of such a problem
        config = folder / "config.yaml"
        write_text(config, yaml.safe_dump(settings))
        options += ["--config", str(config)]
    elif args.code == "theirs" and run.config and not run.config.startswith("implementations/"):
        options += ["--config", str((args.source / run.config).resolve())]
    return [*options, *assignments(settings), *args.settings]


def train(run: LoggedRun, args: argparse.Namespace, edition: Edition) -> LoggedRun:
    """Replay the run and return the replay. Raises ValueError if it cannot be replayed, and OtherState."""
    problem = load_problem(run.problem, args.problems)
    matches(run, problem)
    settings = settings_of(run, args, edition, problem.train_samples)
    args.data = (args.data or ROOT / "data" / run.problem).resolve()
    with exit_on_signals(), tempfile.TemporaryDirectory(prefix="replay-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        implementation = program(run, args, folder / "code")
        make_data(run.problem, args.data, args.problems)
        log = folder / "log.txt"
        after = begin_after(run, args.from_epoch, args.checkpoint, folder / "states", log) if args.from_epoch else []
        options = [*options_of(run, args, settings, folder), *after, "--log", str(log)]
        done = Launcher(max(1, math.prod(layout_of(run, args)))).ask(implementation.program(options))
        try:
            replayed = read_run(log)
        except ValueError:
            replayed = None
        if not replayed or replayed.epochs[-1].number < settings["epochs"]:
            lines = [line for line in done.stderr.splitlines() if "train.py:" in line]
            raise ValueError(f"{run.path}: the replay ended early: {lines[0] if lines else f'code {done.returncode}'}")
        if args.keep:
            copy_file(log, args.keep)
        if args.weights:
            keep_weights(run, replayed)
    new = tuple(epoch for epoch in replayed.epochs if epoch.number > args.from_epoch)
    return dataclasses.replace(replayed, epochs=new)


def refuse_weights(run: LoggedRun) -> None:
    """Raise ValueError if final weights have no place beside the log of a run, or no digest in it."""
    path = weights_path(run.path)
    if run.weights is None:
        raise ValueError(f"{run.path}: found no final weights, wanted their sha256 after run_stop")
    if os.path.lexists(path):
        raise ValueError(f"{path}: found a file, wanted none: nothing is overwritten")


def keep_weights(run: LoggedRun, replayed: LoggedRun) -> None:
    """Put a replay's final weights beside the log of the run. Raises ValueError unless they are the logged ones, or if
    there is a file, and OSError."""
    path = weights_path(run.path)
    if None in (run.weights, replayed.weights) or run.weights != replayed.weights:
        found, wanted = (one or "no final weights" for one in (replayed.weights, run.weights))
        raise ValueError(
            f"{run.path}: the replay has {found}, wanted {wanted}: another kind of machine rounds otherwise"
        )
    refuse_weights(run)
    copy_file(weights_path(replayed.path), path)
    print(printable(f"{path}: made again, sha256 {run.weights}"))


def say_whose(run: LoggedRun, args: argparse.Namespace, edition: Edition) -> None:
    """Print whose code trains, and whose source the log names."""
    whose = f"the reference, {REFERENCE}" if args.code == "reference" else f"theirs, {args.source}"
    print(printable(f"code that trains: {whose}"))
    print(printable(f"code of the log: {origin(run.files.items(), edition.releases).details}"))
    others = unknown(run, edition) if args.code == "reference" else []
    if others:
        print(printable(f"settings of the log that the reference does not know, left out: {', '.join(others)}"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay a run and print how far it is from the log. Return the exit code."""
    args, edition = parse(arguments), load(EDITION)
    try:
        run = read_run(args.log)
        settings_of(run, args, edition, load_problem(run.problem, args.problems).train_samples)
        if args.weights:
            refuse_weights(run)
        say_whose(run, args, edition)
        epochs, code, verdict = held_against(run, args, edition)
        print(printable(f"{run.path}: {verdict}"))
        if args.record:
            facts = {"code": "submitted" if args.code == "theirs" else "reference", "epochs": epochs}
            record(args.record, run.path, "replay", code, verdict, **facts)
    except (ValueError, OSError) as error:
        print(printable(f"replay.py: {reason(error)}"), file=sys.stderr)
        return 2
    return code


def held_against(run: LoggedRun, args: argparse.Namespace, edition: Edition) -> tuple[int, int, str]:
    """Replay a run and print both beside each other. Return how many epochs could be compared, the exit code and the
    verdict. Raises ValueError if it cannot be replayed, and OSError."""
    try:
        replayed = train(run, args, edition)
    except OtherState as other:
        return 0, 1, f"not this run: {other}"
    found = distances(run.epochs, replayed.epochs)
    for again in replayed.epochs:
        for logged in (epoch for epoch in run.epochs if epoch.number == again.number):
            loss = f"loss {logged.loss:.6f}, again {again.loss:.6f} ({found[again.number].loss:.2%})"
            if (early := found[again.number].early) is not None:
                loss += f", of its first steps {early:.1e} apart"
            print(f"epoch {again.number:g}: {loss}; score {logged.score:.6f}, again {again.score:.6f}")
    weights = {run.weights, replayed.weights} - {None}
    if found and all(distance.exact for distance in found.values()) and len(weights) > 1:
        return len(found), 1, "not this run: the same numbers, but other final weights"
    published = edition.problems.get(run.problem)
    band = published.replay if published and not args.from_epoch else {}
    return len(found), *judge(found, band, published.replay_early if published else None)


def judge(
    found: dict[float, Distance], band: dict[int, tuple[float, float]], early: float | None = None
) -> tuple[int, str]:
    """Return exit code and verdict. `band` has, by epoch, the largest honest differences of the loss, relative, and of
    the score, and `early` is the largest of the loss, relative, in the first steps of the replay, before rounding has
    grown."""
    if not found:
        return 2, "the replay was evaluated after no epoch after which the run was"
    if all(distance.exact for distance in found.values()):
        return 0, f"the same numbers in all of {len(found)} epochs replayed"
    limits = {number: band[number] for number in found if number in band}
    first = min(found)
    held = early if early and found[first].early is not None else None
    if held and found[first].early > held:
        apart = f"the first steps of epoch {first:g} have a loss {found[first].early:.1e} apart"
        return 1, f"not this run: {apart}, wanted at most {held:.1e}"
    if not limits and not held:
        return 2, "not the same numbers, and the rules publish no band for this problem: judge by the differences"
    for number, (loss, score) in limits.items():
        distance = found[number]
        if not distance.within(loss, score):
            apart = f"loss {distance.loss:.2%} and score {distance.score:.4f} apart"
            return 1, f"not this run: epoch {number:g} is {apart}, wanted at most {loss:.2%} and {score:.4f}"
    where = [f"in {len(limits)} epochs"] if limits else []
    where += [f"in the first steps ({found[first].early:.1e}, at most {held:.1e})"] if held else []
    return 0, f"not the same numbers, but within the band of honest replays {' and '.join(where)}"


if __name__ == "__main__":
    sys.exit(main())
