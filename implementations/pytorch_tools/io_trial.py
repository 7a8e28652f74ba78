"""Measure the input alone: read a training split as training does, with emulated computation, and train nothing.

    python implementations/pytorch_tools/io_trial.py --problem scale7 --data data/scale7 --log build/io_0.txt \\
        --compute-from build/result_0.txt --formats stored raw --scratch build/copies cache_gib=0
    torchrun --nproc-per-node 4 -- implementations/pytorch_tools/io_trial.py --compute-seconds 0.2 --layout 1,2,2,1 ...

How fast do data arrive, and did they come from a disk or from a cache? The log says `io_only`, and is never scored.
With --checkpoint, a checkpoint is written and read as well. Settings may follow the values of --formats and --from.
Exit codes: 0 measured, 1 aborted, 2 wrong data or a wrong command.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

# The modules before the recorder are not loaded from cached bytecode, either.
sys.pycache_prefix = os.devnull
import benchmark.installed  # noqa: F401
from benchmark.source import install

install()  # it records the repository's modules that are loaded from here on
# ruff: noqa: E402
from benchmark.launch import end_with_launcher

end_with_launcher()  # before anything that takes long to load

import torch.distributed as dist

from benchmark.run.errors import reason
from benchmark.run.options import parse_options
from implementations.pytorch.startup.job import WRONG, end_rank, run_job
from implementations.pytorch_tools.input_trial.options import SUPPORTED, add_options, contradiction, needs_model
from implementations.pytorch_tools.input_trial.reading import CountedReader
from implementations.pytorch_tools.input_trial.trial import trial_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a trial. Return the exit code."""
    options = parse_options(__doc__, sys.argv[1:] if arguments is None else arguments, SUPPORTED, add_options)
    options.settings += options.later_settings
    try:
        if wrong := contradiction(options):
            raise ValueError(wrong)
        trial = trial_of(options)
    except (ValueError, OSError) as error:
        print(f"io_trial.py: {reason(error)}", file=sys.stderr)
        return WRONG
    code = run_job(options, trial.run, CountedReader, needs_model(options))
    if dist.is_initialized():
        end_rank(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
