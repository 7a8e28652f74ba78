"""Make a run from its setup: open its files, build it, do the work, and end with the exit code that tools rely on."""

import contextlib
import os
import sys
import traceback
from argparse import Namespace
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import NoReturn

import torch
import torch.distributed as dist

from benchmark.clock import set_by
from benchmark.run import keys
from benchmark.run.errors import Aborted, WrongData, reason
from benchmark.run.files import LEDGER
from benchmark.run.log import RunLog
from benchmark.run.reader import Reader
from benchmark.run.resuming import lock_checkpoint_dir

from ..training.checkpoint import Origin, open_checkpoints
from ..training.run import Files, Run
from ..training.stop import lost_peer, watch_signals
from .build import build
from .setup import Setup, set_up

WRONG = 2  # exit code of a run with wrong data or a wrong command


def run_job(
    options: Namespace, work: Callable[[Run], None], reader: type[Reader] = Reader, needs_model: bool = True
) -> int:
    """Make the run that the options ask for, and have it do its `work`. Return the exit code. `reader` reads the data;
    without `needs_model` the network has shapes alone."""
    try:
        setup = set_up(options)
        with open_files(setup, reader) as files:
            code = attempt(setup, files, work, needs_model)
            finish(files.log)
    except (ValueError, OSError) as error:
        print(f"train.py: {reason(error)}", file=sys.stderr)
        return WRONG
    return code


@contextlib.contextmanager
def open_files(setup: Setup, kind: type[Reader]) -> Iterator[Files]:
    """Open the files of a run, and close them at its end. Raises ValueError and OSError for what is in the way."""
    options, config, problem = setup.options, setup.task.config, setup.task.problem
    first = setup.launch.rank == 0
    with contextlib.ExitStack() as stack:
        box = setup.layout.box(problem.shape)
        # Its workers are forked, so no thread may have been started before.
        sizes = (config.workers, config.prefetch, config.cache_gib)
        reader = kind(options.data, problem, box, *sizes, timeout_seconds=config.timeout_seconds)
        stack.callback(reader.close)
        checkpoints = None
        if options.checkpoint:
            if first:
                stack.enter_context(lock_checkpoint_dir(options.checkpoint))
            origin = Origin(problem, config, options.log)
            checkpoints = open_checkpoints(options.checkpoint, options.resume, origin, options.keep_states)
        log = RunLog(options.log if first else None, bool(checkpoints and checkpoints.resumed))
        staging = setup.staging
        if staging:
            stack.callback(staging.clear)
        files = Files(reader, log, checkpoints, staging)
        watch_signals(lambda number: interrupt(files, number.name))
        yield files


def attempt(setup: Setup, files: Files, work: Callable[[Run], None], needs_model: bool) -> int:
    """Build the run and have it do its work. Return the exit code. Any error is logged and printed in one line."""
    rank, log = setup.launch.rank, files.log
    try:
        run = build(setup, files, lambda why: lost(files, rank, why), needs_model)
        work(run)
        log.check_file()
        return 0
    except BaseException as error:
        code, why, told_once = outcome(error)
        log.stop(keys.ABORTED, why)
        if not (told_once and rank > 0):
            print(f"train.py: rank {rank}: {why}", file=sys.stderr, flush=True)
        return code


def outcome(error: BaseException) -> tuple[int, str, bool]:
    """Return the exit code of a run that an error ended, the reason, and whether all ranks have the same reason, so
    that rank 0 says it for all."""
    if isinstance(error, WrongData):
        return WRONG, str(error), error.everywhere
    if isinstance(error, Aborted):
        return 1, str(error), True
    if isinstance(error, OSError):
        return 1, reason(error), False
    if isinstance(error, BrokenProcessPool):
        return 1, "a reader process died", False
    if lost_peer(error):
        return 1, f"another rank ended or cannot be reached: {reason(error)}", False
    traceback.print_exception(error)
    return 1, repr(error), False


def interrupt(files: Files, why: str) -> None:
    """Complete the log of a run that a signal ends. A thread calls this."""
    files.log.stop(keys.ABORTED, why)
    finish(files.log)
    if files.staging:
        files.staging.clear()


def lost(files: Files, rank: int, why: str) -> None:
    """End a run whose main thread waits for ranks that are gone, and say why. A thread calls this."""
    interrupt(files, why)
    print(f"train.py: rank {rank}: {why}", file=sys.stderr, flush=True)


def finish(log: RunLog) -> None:
    """Close the log, and print the head of the ledger."""
    if log.path and abs(seconds := set_by()) > 1:
        what = f"found the system's clock set by {seconds:+.0f} s meanwhile, which changes no time in the log"
        print(f"train.py: {what}", file=sys.stderr)
    try:
        head = log.finish()
        if head and log.status == keys.SUCCESS:  # an error is one line
            print(f"{log.path.parent / LEDGER}: head {head}", file=sys.stderr)
    except (OSError, ValueError) as error:
        place, why = log.path.parent / LEDGER, reason(error)
        print(f"train.py: {why if str(place.parent) in why else f'{place}: {why}'}", file=sys.stderr)


def end_rank(code: int) -> NoReturn:
    """End this rank at once, when everything is written. An orderly end could wait forever for ranks that are gone, and
    threads of libraries could abort the interpreter. After a success all ranks end together."""
    if not code:
        # Without a device NCCL's barrier warns. init_process_group(device_id=...) would do too, but then every group is
        # split off the one of all ranks, which have to take part and to be alive.
        dist.barrier(device_ids=[torch.cuda.current_device()] if dist.get_backend() == "nccl" else None)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
