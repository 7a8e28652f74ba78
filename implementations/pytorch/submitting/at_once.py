"""Make a throughput set: several models are trained at once on this node, each as a run with a layout of its own.

Before they start, the processor's cores or the GPUs are divided among them.
"""

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmark.collect import collect, snapshot

from ..start import Process
from .aside import move_aside
from .campaign import WRONG, Campaign, alone
from .several import run_all
from .standing import standing

ALONE = ("study", "checkpoint", "register", "entry")  # options for runs that are made one after another
VISIBLE = "CUDA_VISIBLE_DEVICES"
Begin = Callable[[Path, Mapping[str, str]], Process]  # of a log and variables that the run gets


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option of a throughput set."""
    text = "a throughput set: so many models at once, each of the layout's ranks (default of --runs: as many)"
    parser.add_argument("--throughput", type=int, metavar="K", help=text)


def check_options(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """End with exit code 2 where options contradict each other."""
    if args.throughput is None:
        return
    if args.throughput < 2:
        parser.error(f"--throughput: found {args.throughput}, wanted 2 or more models at once")
    for name in ALONE:
        if getattr(args, name) not in (None, False):
            parser.error(f"--throughput: found --{name} too, wanted one of them")
    if args.nodes != 1:
        parser.error(f"--throughput: found --nodes {args.nodes}, wanted one: models are started on this node")
    if args.runs is None:
        args.runs = args.throughput
    if 0 < args.runs < args.throughput:
        parser.error(f"--runs: found {args.runs} with --throughput {args.throughput}, wanted as many or more")


def shares(ranks: int, at_once: int, gpus: int) -> list[dict[str, str]]:
    """Return the variables of each model that runs at once: its GPUs, of the `gpus` of this node, or nothing where no
    GPU computes (0). Raises ValueError if there are too few."""
    if not gpus:
        return [{} for _ in range(at_once)]
    names = os.environ.get(VISIBLE, "").split(",") if os.environ.get(VISIBLE) else list(map(str, range(gpus)))
    if len(names) < ranks * at_once:
        raise ValueError(f"--throughput: found {len(names)} GPUs, wanted {ranks * at_once}, one for each rank")
    return [{VISIBLE: ",".join(names[i * ranks : (i + 1) * ranks])} for i in range(at_once)]


def make(campaign: Campaign, parts: list[dict[str, str]], begin: Begin, anew: bool = False) -> int:
    """Make the missing models of a throughput set, or, `anew`, all of a new one, as many at once as there are `parts`.
    Return the exit code. It raises ValueError and returns codes as `Campaign.make` does."""
    campaign.folder.mkdir(parents=True, exist_ok=True)
    with alone(campaign.folder):
        todo = campaign.to_make(anew, "models")
        return campaign.finish() if _together(campaign, todo, parts, begin) else WRONG


def _together(campaign: Campaign, todo: list[int], parts: list[dict[str, str]], begin: Begin) -> bool:
    """Train the models that are left. Return whether they could be trained."""
    source: dict[str, bytes] = {}
    free = list(range(len(parts)))
    places: dict[int, int] = {}  # by model, the index of its part

    def start(run: int) -> Process:
        source.update(snapshot(*filter(None, [campaign.config_file])))
        if aside := move_aside([campaign.log(run)], "broke off"):
            campaign.say(f"model {run + 1} broke off before: what is there of it is now in {aside}")
        campaign.say(f"model {run + 1} of {campaign.runs}")
        places[run] = free.pop(0)
        return begin(campaign.log(run), parts[places[run]])

    def ended(run: int, code: int) -> bool:
        free.append(places.pop(run))
        collect(campaign.submission, source)
        found = standing(campaign.log(run))
        campaign.say(f"model {run + 1} of {campaign.runs}: {campaign.told(found, code)}")
        return code == WRONG or (code > 0 and not found.started)

    return run_all(todo, len(parts), start, ended)
