"""The options of `train.py --io-only`."""

import argparse
import math
from pathlib import Path

EMULATE = ("spin", "sleep", "device")
STORED = "stored"
FORMATS = (STORED, "hdf5", "tfrecord", "tfrecord-gzip", "raw")
MOST_EPOCHS, MOST_SECONDS = 10_000, 3600.0


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options beside those of every run."""
    add = parser.add_argument_group("input on trial, no run and never scored").add_argument
    add("--io-only", action="store_true", help="read as training does, and train nothing")
    add("--io-epochs", type=int, default=2, help="passes over the training split (default: 2)")
    add("--compute-seconds", type=float, help="seconds of a step without waiting for data (default: 0)")
    add("--compute-from", type=Path, metavar="LOG", help="draw them from the steps of a run, or of --steps")
    add("--emulate", choices=EMULATE, default="spin", help="how: cores occupied, cores asleep, or the network itself")
    add("--formats", nargs="+", choices=FORMATS, default=[STORED], help="the same samples in each of these formats")
    add("--scratch", type=Path, help="with --formats: folder for the copies in other formats")
    add("--from", dest="places", nargs="+", type=Path, default=[], help="other folders with a copy of the dataset")


def check_options(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """End the command for options that do not go together."""
    given = [name for name in ("compute_seconds", "compute_from", "scratch") if getattr(args, name) is not None]
    given += ["formats"] * (args.formats != [STORED]) + ["from"] * bool(args.places)
    given += ["io_epochs"] * (args.io_epochs != 2) + ["emulate"] * (args.emulate != EMULATE[0])
    if not args.io_only:
        if given:
            parser.error(f"--{given[0].replace('_', '-')}: found no --io-only, wanted it too")
        return
    for name in ("steps", "trace", "resume", "registry"):
        if getattr(args, name):
            parser.error(f"--io-only: found --{name} too, wanted one of them")
    if not 1 <= args.io_epochs <= MOST_EPOCHS:
        parser.error(f"--io-epochs: found {args.io_epochs}, wanted 1 to {MOST_EPOCHS}")
    seconds = args.compute_seconds
    if seconds is not None and not (math.isfinite(seconds) and 0 <= seconds <= MOST_SECONDS):
        parser.error(f"--compute-seconds: found {seconds}, wanted 0 to {MOST_SECONDS:g}")
    chosen = [name for name in ("compute_seconds", "compute_from") if getattr(args, name) is not None]
    if len(chosen) > (args.emulate != "device"):
        parser.error(f"--{chosen[0].replace('_', '-')}: found another source of computation too, wanted one of them")
    if args.formats != [STORED] and args.scratch is None:
        parser.error("--formats: found no --scratch, wanted a folder for the copies")
    if len(set(args.formats)) < len(args.formats):
        parser.error(f"--formats: found {' '.join(args.formats)}, wanted each once")


def needs_model(args: argparse.Namespace) -> bool:
    """Whether what runs has the network: a trial has it where the device computes, or checkpoints are written."""
    return not args.io_only or args.emulate == "device" or args.checkpoint is not None
