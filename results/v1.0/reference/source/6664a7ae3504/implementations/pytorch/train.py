"""Train on a problem until its target is reached, and write the log for the checker.

    python implementations/pytorch/train.py --problem smoke --data data/smoke --log build/result_0.txt
    torchrun --nproc-per-node 4 -- implementations/pytorch/train.py --layout 2,2,1,1 ...

Exit codes: 0 the target was reached, 1 the run was aborted, 2 wrong data or a wrong command. A run that reached its
target prints one line on stdout, `time to target: 28.381 s`.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would, as part of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    __package__ = f"implementations.{Path(__file__).resolve().parent.name}"

# The modules before the recorder are not loaded from cached bytecode, either.
sys.pycache_prefix = os.devnull
import benchmark.installed  # noqa: F401
from benchmark.source import install

install()  # it records the repository's modules that are loaded from here on
# ruff: noqa: E402
from benchmark.launch import detect_launch, end_with_launcher

end_with_launcher()  # before anything that takes long to load

import torch.distributed as dist

from benchmark.run.errors import reason
from benchmark.run.log import time_to_target
from benchmark.run.options import OPTIONAL, parse_options

from .startup.job import WRONG, end_rank, run_job
from .startup.setup import set_up
from .training.run import Run


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a run, or describe it. Return the exit code."""
    options = parse_options(__doc__, sys.argv[1:] if arguments is None else arguments, OPTIONAL, add_trace)
    if options.trace and not options.steps:
        print("train.py: error: --trace: found no --steps, wanted --steps N: a profiler slows runs", file=sys.stderr)
        return WRONG
    if options.describe:
        return print_description(options)
    code = run_job(options, lambda run: work(run, options))
    if code == 0 and not (options.steps or options.head) and detect_launch().rank == 0:
        print_time(options.log)
    if dist.is_initialized():
        end_rank(code)
    return code


def work(run: Run, options: argparse.Namespace) -> None:
    """Do what the options ask for with a run that is ready: train to the target, measure steps, or nothing."""
    if options.steps:
        from .measuring.throughput import run_steps  # here, because no run loads it

        run_steps(run, options.steps, options.trace)
    elif not options.head:
        run.to_target()


def add_trace(parser: argparse.ArgumentParser) -> None:
    """Add this implementation's own option."""
    parser.add_argument("--trace", type=Path, help="with --steps: folder for the profiler's traces, or a file *.json")


def print_description(options: argparse.Namespace) -> int:
    """Print what would run, as one line of JSON by rank 0. Return the exit code."""
    try:
        setup = set_up(options)
    except (ValueError, OSError) as error:
        print(f"train.py: {reason(error)}", file=sys.stderr)
        return WRONG
    if setup.launch.rank == 0:
        source = install().files_with(setup.config_file, setup.config_data)  # as a run has loaded it by now
        from .startup.describe import describe

        print(json.dumps(describe(setup, source)), flush=True)
    return 0


def print_time(log: Path) -> None:
    """Print the one line on stdout, which is for other tools. An error here does not change the run's result."""
    try:
        print(f"time to target: {time_to_target(log):.3f} s", flush=True)
    except (OSError, ValueError) as error:
        print(f"train.py: {reason(error)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
