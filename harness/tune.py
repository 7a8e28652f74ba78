"""Make a tuning campaign: freeze it, draw its shift, make its trials, then the runs that confirm the winner.

    python harness/tune.py harness/campaigns/smoke-2.yaml --org acme --system box

The campaign is frozen in results/<edition>/<org>/results/<system>/tuning/<benchmark>/<name>/, where <name> is the name
of the file or that of --name. The same command again makes what is missing, even after a kill. docs/tuning.md explains
it. Exit codes: 0 complete and confirmed, 1 something is missing or no trial reached the target, 2 nothing could be run,
128 + n ended by signal n.
"""

import argparse
import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.run.errors import reason
from benchmark.tree import CONFIRMATION, campaign_path
from benchmark.tuning.campaign import Campaign, read_campaign
from benchmark.tuning.folder import Opened, freeze, open_folder
from benchmark.writing import put
from harness.data import make_data
from harness.implementation import Description, takes
from harness.locking import locked
from harness.options import FOLDER, Setup, add_making_options, add_options, assignments, setup_of
from harness.optuna_sampler import ask, need_optuna
from harness.processes import Share, exit_on_signals
from harness.registration import entry_of, request_of
from harness.runset import WRONG, RunSet, say
from harness.system import write_system
from harness.throughput import trial_shares
from rules.registry import Request
from rules.tuning import registered_shift, request


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", type=Path, metavar="CAMPAIGN.yaml", help="what is searched, and at which cost")
    parser.add_argument("--name", help="the campaign's folder (default: the file's name)")
    add_options(parser)
    add_making_options(parser)
    parser.add_argument("--points", action="store_true", help="make no trials, print the frozen campaign's points")
    args = parser.parse_args(arguments)
    args.name = args.name or args.campaign.stem
    if not FOLDER.fullmatch(args.name) or args.name == CONFIRMATION:
        parser.error(f"--name: found {args.name!r}, wanted letters, digits and . _ + -, and not {CONFIRMATION}")
    return args


def make(args: argparse.Namespace) -> int:
    """Freeze the campaign, make its trials, and confirm the winner. Return the exit code. Raises ValueError, and
    OSError."""
    campaign = read_campaign(args.campaign)
    if campaign.sampler == "optuna":
        need_optuna()
    args.problem = campaign.problem
    setup = setup_of(args)
    folder = campaign_path(setup.submission, setup.system, setup.benchmark, args.name)
    described = check(setup, campaign)
    if args.register:
        put(f"{registered(setup, campaign, args.name, request_of(setup).source).text}\n")
        return 0
    shift = shift_of(setup, campaign, args.name)
    setup = dataclasses.replace(setup, entry=None)  # it was the campaign's
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        opened = freeze(folder, campaign, shift)
        say(f"campaign {campaign.digest[:12]}; head of the ledger with the shift, to be sent to the organisers:")
        say(opened.line)
    if args.points:
        points = (" ".join([str(i), *assignments(opened.point(i))]) for i in range(campaign.trials))
        put("".join(f"{point}\n" for point in points))
        return 0
    make_data(setup.problem, setup.data, setup.problems)
    write_system(setup, described)
    gpus = described.accelerators.count if described and described.device != "cpu" and not setup.launcher.words else 0
    return make_trials(setup, folder, opened, trial_shares(setup.launcher.ranks, campaign.parallel, gpus))


def make_trials(setup: Setup, folder: Path, opened: Opened, parts: Sequence[Share]) -> int:
    """Make the trials that are missing, as many at once as there are parts of this node, and the runs that confirm the
    winner. Return the exit code."""
    trials = RunSet(
        setup, folder, opened.campaign.trials, options_of=lambda index: options(folder, index), what="trial"
    )
    if code := trials.make(parts):
        return code
    reached = [(found.seconds, run) for run, found in enumerate(trials.statuses()) if found.state == "reached"]
    if not reached:
        say("no trial reached the target: there is nothing to confirm")
        return 1
    winner = min(reached)[1]
    point = open_folder(folder).point(winner)  # read again, since an outside sampler may have added points
    say(f"winner: result_{winner}, {', '.join(assignments(point))}")
    setup = dataclasses.replace(setup, settings=settings(opened.campaign, point))
    count = opened.campaign.confirmations
    runs = RunSet(setup, folder / CONFIRMATION, count, setup.describe())
    code = runs.make()
    return code if code == WRONG else runs.report()


def options(folder: Path, index: int) -> list[str]:
    """Return the options of a trial: its campaign and its settings. An outside sampler is asked for them first."""
    opened = open_folder(folder)
    if opened.campaign.sampler == "optuna" and index not in opened.asked:
        ask(folder, index)
        opened = open_folder(folder)
    return ["--trial", str(folder), *assignments(opened.settings(index))]


def settings(campaign: Campaign, point: Mapping[str, object]) -> tuple[str, ...]:
    """Return the settings of a run at a point of the space, without the budget."""
    return tuple(assignments({**campaign.settings, **point, "batch_size": campaign.batch_size}))


def check(setup: Setup, campaign: Campaign) -> Description | None:
    """Return what a run at a corner of the space would be. Raises ValueError for settings that every trial would
    refuse, and for a train.py that makes no trials."""
    corner = {name: axis.values[0] if axis.values else axis.low for name, axis in campaign.space.items()}
    corner |= {name: int(axis.low or 0) for name, axis in campaign.space.items() if axis.integer}
    described = dataclasses.replace(setup, settings=settings(campaign, corner)).describe()
    if described and not takes(described, "--trial"):
        raise ValueError(f"{setup.implementation.script}: found no option --trial, wanted one that makes trials")
    return described


def shift_of(setup: Setup, campaign: Campaign, name: str) -> tuple[str, str] | None:
    """Return (shift, source) of the registry's entry; None without one. Raises ValueError for another campaign's."""
    if setup.entry is None:
        return None
    entry = entry_of(setup.registry, setup.entry)
    wanted = registered(setup, campaign, name, entry.source)
    if wanted.key != entry.key or wanted.config != entry.config:
        raise ValueError(f"{setup.registry}: found entry {setup.entry}, of {entry.title}, wanted one of {wanted.title}")
    return registered_shift(entry), f"registry {setup.entry}"


def registered(setup: Setup, campaign: Campaign, name: str, source: str) -> Request:
    """Return what is registered for a campaign. `source` is the digest of its trials' source."""
    return request(setup.org, setup.system, setup.benchmark, setup.problem, name, source, campaign.digest)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a campaign. Return the exit code."""
    args = parse(arguments)
    try:
        with exit_on_signals():
            return make(args)
    except (ValueError, OSError) as error:
        print(f"tune.py: {reason(error)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
