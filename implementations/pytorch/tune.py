"""Make a tuning campaign: freeze it, draw its shift, make its trials, then the runs that confirm the winner.

    python implementations/pytorch/tune.py implementations/pytorch/campaigns/smoke-2.yaml --org acme --system box

The campaign is frozen in results/<edition>/<org>/results/<system>/tuning/<benchmark>/<name>/, where <name> is the name
of the file or that of --name. The same command again makes what is missing, even after a kill. docs/tuning.md explains
it. Exit codes: 0 complete and confirmed, 1 something is missing or no trial reached the target, 2 nothing could be run,
128 + n ended by signal n.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would, as part of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    __package__ = f"implementations.{Path(__file__).resolve().parent.name}"

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.problem import load_problem
from benchmark.tree import CONFIRMATION, campaign_path
from benchmark.tuning.campaign import Campaign, read_campaign
from benchmark.tuning.folder import Opened, freeze, open_folder
from rules.registry import NAME as REGISTRY

from . import submit
from .config import RunConfig
from .start import Process, Warm, begin, exit_on_signals, warm_process
from .submitting.campaign import Campaign as Runs
from .submitting.campaign import alone
from .training.events import EDITION
from .training.stop import reason as why
from .training.trial import text
from .tuning.outside import ask, need_optuna
from .tuning.shift import of_entry, to_register
from .tuning.trials import Trials, say

ROOT = submit.ROOT


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", type=Path, metavar="CAMPAIGN.yaml", help="what is searched, and at which cost")
    parser.add_argument("--name", help="the campaign's folder (default: the file's name)")
    parser.add_argument("--org", required=True, help="who submits: a folder name")
    parser.add_argument("--system", required=True, help="what on: a file name")
    parser.add_argument("--division", default="closed", choices=("closed", "open"))
    parser.add_argument("--status", default="onprem", choices=("onprem", "cloud", "research"))
    parser.add_argument("--out", type=Path, default=ROOT / "results" / EDITION, help=f"default: results/{EDITION}")
    parser.add_argument("--data", type=Path, help="the dataset (default: data/<problem>)")
    parser.add_argument("--nproc", type=int, default=1, help="ranks a trial, by torchrun (default: 1)")
    parser.add_argument("--entry", type=int, help="number of the registry's entry that the shift follows from")
    parser.add_argument("--registry", type=Path, help="the round's registry (default: registry.yaml in --out)")
    parser.add_argument("--register", action="store_true", help="make no trials, print what to register for a shift")
    parser.add_argument("--points", action="store_true", help="make no trials, print the frozen campaign's points")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--config", type=Path, help="defaults instead of configs/<problem>.yaml")
    args = parser.parse_intermixed_args(arguments)
    args.name = args.name or args.campaign.stem
    args.registry = (args.registry or args.out / REGISTRY).resolve()
    for name in (args.org, args.system, args.name):
        if not re.fullmatch(r"\w[\w.+-]*", name) or name == CONFIRMATION:
            parser.error(f"found the name {name!r}, wanted one of letters, digits and . _ + -, not {CONFIRMATION}")
    return args


def main(arguments: Sequence[str] | None = None) -> int:
    """Freeze the campaign, make its trials, and confirm the winner. Return the exit code."""
    args = parse(arguments)
    try:
        campaign = read_campaign(args.campaign)
        if campaign.sampler == "optuna":
            need_optuna()
        args.problem, args.layout, args.nodes = campaign.problem, None, 1
        args.data = (args.data or ROOT / "data" / args.problem).resolve()
        benchmark = load_problem(args.problem, args.problems).workload
        submission = args.out.resolve() / args.org
        folder = campaign_path(submission, args.system, benchmark, args.name)
        config = checked(args, campaign)
        if not args.points and submit.generate(args):
            return 2
        if args.register:
            args.settings, args.entry = [*args.settings, "--steps", "1"], None
            print(to_register(args, campaign, benchmark, lambda log: submit.run_once(args, log, None)))
            return 0
        folder.mkdir(parents=True, exist_ok=True)
        with exit_on_signals(), alone(folder):
            opened = freeze(folder, campaign, of_entry(args, campaign, benchmark))
            say(f"campaign {campaign.digest[:12]}; head of the ledger with the shift, to be sent to the organisers:")
            say(opened.line)
            if args.points:
                return print_points(opened)
            submit.write_system(submission, args, config)
            with warm_process(args.nproc, config) as warm:
                return made(args, (submission, benchmark, folder), opened, warm)
    except (ValueError, OSError) as error:
        print(f"tune.py: {why(error)}", file=sys.stderr)
        return 2


def made(args: argparse.Namespace, place: tuple[Path, str, Path], opened: Opened, warm: Warm | None) -> int:
    """Make missing trials and confirmation runs. Return the exit code. `place`: submission, benchmark, folder."""
    submission, benchmark, folder = place

    def start(log: Path) -> Process:
        return begin(args.nproc, [*options(args), "--trial", str(folder), "--log", str(log)], warm)

    asking = (lambda index: ask(folder, index)) if opened.campaign.sampler == "optuna" else None
    trials = Trials(submission, folder, opened, start, asking, args.config)
    if code := trials.make():
        return code
    winner = trials.winner()
    if winner is None:
        say("no trial reached the target: there is nothing to confirm")
        return 1
    point = open_folder(folder).point(winner)  # read again, since an outside sampler may have added points
    say(f"winner: trial {winner}, {', '.join(f'{name}={text(value)}' for name, value in point.items())}")
    args.settings, args.entry = settings(opened.campaign, point), None  # which was the campaign's
    runs = Runs(
        *(submission, args.system, benchmark, args.problem, opened.campaign.confirmations),
        submit.check_settings(args),
        lambda log, more: submit.run_once(args, log, warm, more),
        config_file=args.config,
        home=folder / CONFIRMATION,
    )
    return 0 if runs.complete() else runs.make()


def settings(campaign: Campaign, point: dict) -> list[str]:
    """Return the settings of the confirmation runs: those of the winner, without the budget."""
    values = {**campaign.settings, **point, "batch_size": campaign.batch_size}
    return [f"{name}={text(value)}" for name, value in values.items()]


def checked(args: argparse.Namespace, campaign: Campaign) -> RunConfig:
    """Return the config at a corner of the space. Raises ValueError for settings that every trial would refuse."""
    corner = {name: axis.values[0] if axis.values else axis.low for name, axis in campaign.space.items()}
    corner = {name: int(v) if campaign.space[name].integer else v for name, v in corner.items()}
    args.settings = settings(campaign, corner)
    return submit.check_settings(args)


def options(args: argparse.Namespace) -> list[str]:
    """Return train.py's options for every trial."""
    names = ("problem", "problems", "config", "data", "org", "system", "division", "status")
    return [part for name in names if (value := getattr(args, name)) for part in (f"--{name}", str(value))]


def print_points(opened: Opened) -> int:
    """Print the points of a campaign, one a line."""
    for index in range(opened.campaign.trials):
        point = opened.point(index)
        print(index, *(f"{name}={text(value)}" for name, value in point.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
