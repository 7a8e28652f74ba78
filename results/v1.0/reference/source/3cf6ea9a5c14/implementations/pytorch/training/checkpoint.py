"""Checkpoints are written at the end of every epoch; a run resumes from the last one, under any layout of ranks.

A folder epoch_<n> is a whole checkpoint: it is written under another name and renamed when all of it is on disk. It
holds the model, the optimizer and the average of the weights, as torch.distributed.checkpoint stores them (full
shapes, whoever holds which part), and position.json, all else that a run needs to go on.
"""

import dataclasses
import fcntl
import json
import os
import platform
import re
import shutil
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import torch.distributed.checkpoint as dcp

from benchmark.atomic import sync
from benchmark.log import Event, read_log
from benchmark.workload import AnyProblem

from ..config import RunConfig
from ..parallel.layout import Layout
from ..task import Evaluation
from .state import TrainingState
from .stop import Aborted, reason, together

NAME, POSITION, LOCK = "epoch_{:06d}", "position.json", "lock"
PATIENCE = 3.0  # seconds for a run that was killed to end
# What doesn't change what is computed, and may be different when a run goes on.
FREE = {"layout", "tile", "sharding", "recompute", "recompute_norms", "compile", "device", "threads", "workers"}
FREE |= {"join", "prefetch", "cache_gib", "timeout_seconds", "peak_tflops", "eval_batch_size"}
warnings.filterwarnings("ignore", "torch.distributed is disabled")  # with one rank it is


@dataclass(frozen=True)
class Position:
    """Where a run stands after an epoch that didn't reach the target. Times in milliseconds since 1970."""

    problem: str  # its digest
    settings: dict[str, Any]
    seed: int
    started: int  # the log's run_start
    saved: int
    epoch: int
    score: float
    facts: dict[str, Any]  # of the score


@dataclass(frozen=True)
class Origin:
    """What all checkpoints of a run have in common: its problem, its settings, the log that rank 0 writes."""

    problem: AnyProblem
    config: RunConfig
    log: Path

    def position(self, seed: int, epoch: int, found: Evaluation) -> Position:
        """Where the run stands, as rank 0 knows."""
        saved, start = int(time.time() * 1000), started(self.log)
        return Position(self.problem.digest(), fixed(self.config), seed, start, saved, epoch, found.value, found.facts)


@dataclass(frozen=True)
class Checkpoints:
    """A run's folder of checkpoints; `resumed` is where the run goes on, or None: it is a new one."""

    root: Path
    origin: Origin
    resumed: Position | None = None

    def save(self, state: TrainingState, layout: Layout, seed: int, epoch: int, found: Evaluation) -> None:
        """At the end of an epoch, by all ranks. Raises Aborted on all of them if one of them can't."""
        first = layout.rank == 0
        target = self.root / NAME.format(epoch)
        temporary = target.with_name(f".{target.name}.partial")
        together(layout, str(target), lambda: first and begin(temporary, self.origin.position(seed, epoch, found)))
        try:
            dcp.save(state.as_dict(), checkpoint_id=temporary, no_dist=layout.ranks == 1)
            failed = ""
        except dcp.CheckpointException as error:
            failed = "; ".join(f"rank {rank}: {reason(e)}" for rank, (e, _) in error.failures.items())
        if failed:
            raise Aborted(f"{target}: {failed}")
        together(layout, str(target), lambda: first and finish(temporary, target))

    def restore(self, state: TrainingState, layout: Layout) -> None:
        """Read the state that the run goes on with."""
        kept = state.as_dict()
        dcp.load(kept, checkpoint_id=self.root / NAME.format(self.resumed.epoch), no_dist=layout.ranks == 1)
        state.load(kept)

    def missing_evaluation(self, metric: str) -> Evaluation | None:
        """The evaluation that the run had made and not logged yet when it was killed, if there is one."""
        at = self.resumed
        return None if evaluated(self.origin.log, metric, at.epoch) else Evaluation(at.score, at.facts)


def hold(root: Path) -> IO[str]:
    """Keep other runs out of a folder, and off the log that goes with it, until the file that is returned is closed or
    this process ends, however it ends. Where the file system knows no locks, nobody is kept out.

    Raises ValueError if a run is at work there, or the folder can't be written to.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        file = open(root / LOCK, "a+", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise ValueError(f"{root}: {reason(error)}") from None
    deadline = time.monotonic() + PATIENCE
    while not locked(file):
        if time.monotonic() > deadline:
            file.seek(0)
            holder = file.read(200)
            file.close()
            raise ValueError(f"{root}: found a run at work in it ({holder}), wanted one at a time")
        time.sleep(0.1)
    file.truncate(0)
    file.write(f"process {os.getpid()} on {platform.node()}")
    file.flush()
    return file


def locked(file: IO[str]) -> bool:
    """Whether nobody else has locked a file."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def open_checkpoints(root: Path, resume: bool, origin: Origin) -> Checkpoints:
    """A folder's checkpoints, for a new run or, if there is one in it, the one to go on with.

    Raises ValueError if what the folder or the log holds is another run's.
    """
    problem, config, log = origin.problem, origin.config, origin.log
    names = sorted(p.name for p in root.glob("epoch_*") if re.fullmatch(r"epoch_\d{6,}", p.name))
    if not names:
        return Checkpoints(root, origin)
    path = root / names[-1]
    if not resume:
        raise ValueError(f"{path}: found a checkpoint, wanted a folder without one, or --resume")
    try:
        at = Position(**json.loads((path / POSITION).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(f"{path / POSITION}: no position of a run: {error}") from None
    if at.problem != problem.digest():
        raise ValueError(f"{path}: made for problem digest {at.problem}, wanted {problem.digest()} ({problem.name})")
    settings = fixed(config)
    for name in sorted(settings.keys() | at.settings.keys()):
        found, wanted = settings.get(name), at.settings.get(name)
        if found != wanted:
            raise ValueError(f"{name}: found {found}, wanted {wanted} as in {path}")
    if at.epoch >= config.epochs:
        raise ValueError(f"{path}: found {at.epoch} epochs, wanted fewer than the limit of {config.epochs}")
    if started(log) != at.started:
        raise ValueError(f"{log}: found run_start at {started(log)}, wanted {at.started}, the log of {path}")
    if any(e.metadata.get("status") == "success" for e in events(log, "run_stop")):
        raise ValueError(f"{log}: found a run that reached its target, wanted one to go on with")
    return Checkpoints(root, origin, at)


def fixed(config: RunConfig) -> dict[str, Any]:
    """The settings that a run keeps, as JSON gives them back."""
    return json.loads(json.dumps({name: value for name, value in config.fields().items() if name not in FREE}))


def begin(temporary: Path, at: Position) -> None:
    """An empty folder, but for the position."""
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    (temporary / POSITION).write_text(json.dumps(dataclasses.asdict(at), indent=1), encoding="utf-8")
    sync(temporary / POSITION)


def finish(temporary: Path, target: Path) -> None:
    """Make the folder a checkpoint, and remove all others."""
    sync(temporary)
    os.rename(temporary, target)
    sync(target.parent)
    for old in (*target.parent.glob("epoch_*"), *target.parent.glob(".epoch_*.partial")):
        if old != target:
            shutil.rmtree(old, ignore_errors=True)


def started(log: Path) -> int | None:
    """When a log's run started."""
    return next((e.time_ms for e in events(log, "run_start")), None)


def evaluated(log: Path, metric: str, epoch: int) -> bool:
    """Whether a log has the score of an epoch."""
    return any(e.metadata.get("epoch_num") == epoch for e in events(log, metric))


def events(log: Path, key: str) -> list[Event]:
    """A log's events of a key; none if there is no log."""
    return [e for e in read_log(log) if isinstance(e, Event) and e.key == key] if log.exists() else []
