"""Make a submission: generate the data if it is absent, make the missing runs, and write the submission tree.

    python harness/submit.py --problem smoke --runs 5 --org reference --system laptop
    python harness/submit.py --implementation acme --problem scale9 --org acme --system box --exec 'srun --ntasks=64'

Every run is a process of its own with a seed of its own. The files that a run loaded are copied to source/ in the
submission. The same command again makes what is missing: finished runs stay, and interrupted ones are moved to
superseded/ and made again, or resumed from a checkpoint. Nothing is deleted.
Exit codes: 0 every run reached the target, 1 some did not or were interrupted, 2 nothing could be run, 128 + n ended by
signal n.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.problem import UNREACHED
from benchmark.run.errors import reason
from benchmark.writing import put
from harness.data import make_data
from harness.options import add_making_options, add_options, setup_of
from harness.processes import exit_on_signals
from harness.registration import request_of
from harness.study import KINDS, STEPS, make_study, measure
from harness.submission import Wanted, check_use, describe, make_submission
from harness.system import write_system

POINT = re.compile(r"[1-9]\d{0,5}(,[1-9]\d{0,5})*")
OF_ONE = {  # options that others exclude: of a single system, or of runs one after another
    "study": ("throughput", "run", "entry", "register", "check", "layout", "nproc", "witness"),
    "witness": ("entry", "register"),
    "throughput": ("run", "checkpoint", "register", "entry", "exec", "steps"),
}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", required=True, help=f"smoke, scale6, ...; {UNREACHED}")
    add_options(parser)
    add_making_options(parser)
    parser.add_argument("--runs", type=int, help="how many runs, 0 for none (default: what the rules ask for)")
    parser.add_argument("--run", type=int, metavar="I", help="make this one only, as an element of a job array does")
    parser.add_argument("--layout", help="ranks by data,depth,height,width (default: all by data)")
    parser.add_argument("--stage", type=Path, help="folder on each node's own disk to copy the data to, on the clock")
    parser.add_argument("--checkpoint", type=Path, help="a folder for checkpoints, from which runs are resumed")
    parser.add_argument(
        "--keep-states", action="store_true", help="keep the checkpoints of all epochs, for spot checks"
    )
    parser.add_argument("--anew", action="store_true", help="move the runs aside, or that of --run, and make new ones")
    parser.add_argument("--check", action="store_true", help="make no runs, say beforehand what is wrong with them")
    parser.add_argument("--steps", type=int, help=f"make no runs, measure so many steps; of a study: default {STEPS}")
    parser.add_argument("--study", choices=KINDS, help="a scaling study: a set of runs, and steps, for each of --ranks")
    parser.add_argument("--ranks", nargs="+", metavar="N", help="with --study: ranks, or layouts such as 1,2,2,1")
    text = "a throughput set: so many models at once, each of the layout's ranks (default of --runs: as many)"
    parser.add_argument("--throughput", type=int, metavar="K", help=text)
    text = "address of the round's witness, which draws the seeds and sees runs start and end (docs/witness.md)"
    parser.add_argument("--witness", metavar="URL", help=text)
    parser.add_argument("settings", nargs="*", metavar="field=value", help="passed on to train.py")
    args = parser.parse_intermixed_args(arguments)
    check_options(parser, args)
    return args


def check_options(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """End with exit code 2 where options contradict each other."""
    given = {name for name, value in vars(args).items() if value is not None and value is not False}
    for name, others in OF_ONE.items():
        if name in given and (found := [other for other in others if other in given]):
            parser.error(f"--{name}: found --{found[0]} too, wanted one of them")
    for name, least in (("runs", 0), ("run", 0), ("throughput", 2), ("steps", 0 if args.study else 1)):
        if (number := getattr(args, name)) is not None and number < least:
            parser.error(f"--{name}: found {number}, wanted {least} or more")
    if args.keep_states and not args.checkpoint:
        parser.error("--keep-states: found no --checkpoint, wanted --checkpoint DIR too")
    if bool(args.study) != bool(args.ranks):
        parser.error("--study: found one of --study and --ranks, wanted both or none")
    if odd := [ranks for ranks in args.ranks or () if not POINT.fullmatch(ranks)]:
        parser.error(f"--ranks: found {odd[0]!r}, wanted a number, or a layout such as 1,2,2,1")
    if args.study == "weak" and args.runs:
        parser.error(f"--runs: found {args.runs} with --study weak, wanted none: each point trains another batch")
    if args.throughput and args.runs and args.runs < args.throughput:
        parser.error(f"--runs: found {args.runs} with --throughput {args.throughput}, wanted as many or more")


def make(args: argparse.Namespace) -> int:
    """Make what the options ask for. Return the exit code. Raises ValueError, and OSError."""
    setup = setup_of(args)
    models = args.throughput or 0
    kept = args.checkpoint and args.checkpoint.absolute(), args.keep_states
    wanted = Wanted(args.runs, args.run, args.anew, args.check, models, *kept, not args.study, args.witness)
    if args.register:
        put(f"{request_of(setup).text}\n")
        return 0
    if args.study:
        steps = STEPS if args.steps is None else args.steps
        return make_study(setup, args.study, args.ranks, steps, wanted)
    if args.steps:
        described, _ = describe(setup, 0)
        check_use(setup, described)
        write_system(setup, described)
        make_data(setup.problem, setup.data, setup.problems)
        return measure(setup, args.steps)
    return make_submission(setup, wanted)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a submission. Return the exit code."""
    args = parse(arguments)
    try:
        with exit_on_signals():
            return make(args)
    except SystemExit:
        print("submit.py: interrupted; the same command goes on with what is missing", file=sys.stderr)
        raise
    except (ValueError, OSError) as error:
        print(f"submit.py: {reason(error)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
