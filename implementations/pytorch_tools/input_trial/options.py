"""The options of io_trial.py, beside those that every run has."""

import argparse
import math
import re
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark.run.reader import MANIFEST

SUPPORTED = ("--layout", "--stage", "--checkpoint", "--batch-from-table", "--rehearsal-seed", "--problems", "--config")
EMULATE = ("spin", "sleep", "device")
STORED = "stored"
FORMATS = (STORED, "hdf5", "tfrecord", "tfrecord-gzip", "raw")
MOST_EPOCHS, MOST_SECONDS, MOST_COPIES = 10_000, 3600.0, 100_000
SETTING = re.compile(r"\w+=")  # how a setting begins


class ValuesUntilSettings(argparse.Action):
    """Takes several values. Settings among them (field=value) are kept apart, in `later_settings`."""

    def __call__(self, parser: argparse.ArgumentParser, options: Namespace, values: Any, name: str | None = None):
        settings = [value for value in values if SETTING.match(value)]
        setattr(options, self.dest, [value for value in values if value not in settings])
        options.later_settings = [*options.later_settings, *settings]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a trial."""
    add = parser.add_argument_group("what to measure").add_argument
    add("--io-epochs", type=int, default=2, help="passes over the training split (default: 2)")
    add("--compute-seconds", type=float, help="seconds of a step without waiting for data (default: 0)")
    add("--compute-from", type=Path, metavar="LOG", help="draw them from the steps of a run, or of --steps")
    add("--emulate", choices=EMULATE, default="spin", help="how: cores occupied, cores asleep, or the network itself")
    several = {"nargs": "+", "action": ValuesUntilSettings}
    formats = f"the same samples in each of these: {', '.join(FORMATS)} (default: {STORED})"
    add("--formats", metavar="FORMAT", default=[STORED], help=formats, **several)
    add("--scratch", type=Path, help="with --formats or --copies: folder for what they write")
    add("--copies", type=int, default=0, help="read so many copies of the dataset instead, made below --scratch")
    add("--from", dest="places", metavar="DIR", default=[], help="other folders with a copy of the dataset", **several)
    add(
        "--least-au",
        type=float,
        metavar="SHARE",
        help="pass or fail at this AU, such as 0.9; every pass reads from disk",
    )
    parser.set_defaults(io_only=True, later_settings=[])


def contradiction(options: Namespace) -> str:
    """Return what is wrong with the options; "" if nothing is."""
    seconds, formats = options.compute_seconds, options.formats
    if not 1 <= options.io_epochs <= MOST_EPOCHS:
        return f"--io-epochs: found {options.io_epochs}, wanted 1 to {MOST_EPOCHS}"
    if seconds is not None and not (math.isfinite(seconds) and 0 <= seconds <= MOST_SECONDS):
        return f"--compute-seconds: found {seconds}, wanted 0 to {MOST_SECONDS:g}"
    chosen = [name for name in ("compute_seconds", "compute_from") if getattr(options, name) is not None]
    if len(chosen) > (options.emulate != "device"):
        return f"--{chosen[0].replace('_', '-')}: found another source of computation too, wanted one of them"
    if wrong := wrong_formats(formats):
        return f"--formats: {wrong}"
    if (formats != [STORED] or options.copies) and options.scratch is None:
        return f"--{'copies' if options.copies else 'formats'}: found no --scratch, wanted a folder for the copies"
    if not 0 <= options.copies <= MOST_COPIES:
        return f"--copies: found {options.copies}, wanted 1 to {MOST_COPIES}"
    if options.least_au is not None and not 0 < options.least_au <= 1:
        return f"--least-au: found {options.least_au}, wanted a share of 1, such as 0.9"
    for folder in options.places:
        if not (Path(folder) / MANIFEST).is_file():
            return f"--from: found no {Path(folder) / MANIFEST}, wanted folders with the dataset"
    return ""


def wrong_formats(formats: Sequence[str]) -> str:
    """Return what is wrong with the names of formats; "" if nothing is."""
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        return f"found {unknown[0] if unknown else 'none'}, wanted some of {', '.join(FORMATS)}"
    return f"found {' '.join(formats)}, wanted each once" if len(set(formats)) < len(formats) else ""


def needs_model(options: Namespace) -> bool:
    """Return whether the network is needed: where the device computes, or where checkpoints are written."""
    return options.emulate == "device" or options.checkpoint is not None
