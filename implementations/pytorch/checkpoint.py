"""Checkpoints at the end of every epoch, and going on from the last one, on as many ranks in whatever layout.

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
from typing import IO, TYPE_CHECKING, Any

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from benchmark.atomic import sync
from benchmark.log import Event, read_log
from benchmark.workload import AnyProblem
from implementations.pytorch.config import RunConfig
from implementations.pytorch.runlog import RunLog
from implementations.pytorch.stop import Aborted, reason, together
from implementations.pytorch.task import Score

if TYPE_CHECKING:
    from implementations.pytorch.run import Run

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
class Checkpoints:
    """A run's folder of checkpoints; `resumed` is where the run goes on, or None: it is a new one."""

    root: Path
    resumed: Position | None

    def save(self, run: "Run", score: Score) -> None:
        """At the end of the run's epoch, by all ranks. Raises Aborted on all of them if one of them can't."""
        epoch, first = run.log.epoch, run.layout.rank == 0
        target = self.root / NAME.format(epoch)
        temporary = target.with_name(f".{target.name}.partial")
        together(run.layout, str(target), lambda: first and begin(temporary, position(run, score)))
        try:
            dcp.save(state_of(run), checkpoint_id=temporary, no_dist=run.layout.ranks == 1)
            failed = ""
        except dcp.CheckpointException as error:
            failed = "; ".join(f"rank {rank}: {reason(e)}" for rank, (e, _) in error.failures.items())
        if failed:
            raise Aborted(f"{target}: {failed}")
        together(run.layout, str(target), lambda: first and finish(temporary, target))

    def restore(self, run: "Run") -> None:
        """Give the run the state that it goes on with, and say so in its log."""
        at, path = self.resumed, self.root / NAME.format(self.resumed.epoch)
        state = state_of(run)
        dcp.load(state, checkpoint_id=path, no_dist=run.layout.ranks == 1)
        model, optimizer = state["model"], state["optimizer"]
        set_state_dict(run.model, run.optimizer, model_state_dict=model, optim_state_dict=optimizer)
        if run.average:
            run.average.load(state["average"])
        torch.manual_seed((run.seed + 1 + run.layout.place[0] + (at.epoch << 32)) % 2**63)  # dropout, not as before
        run.log.go_on(at.epoch)
        if run.log.path and not evaluated(run.log.path, run.task.metric, at.epoch):  # killed just before it was logged
            run.log.score(run.task.metric, Score(at.score, at.facts), run.problem.validation_samples)
        lost = round(time.time() - at.saved / 1000, 3)
        run.log.event("resumed", run.log.again, epoch_num=at.epoch, lost_seconds=lost)


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


def open_checkpoints(root: Path, resume: bool, log: Path, problem: AnyProblem, config: RunConfig) -> Checkpoints:
    """A folder's checkpoints, for a new run or, if there is one in it, the one to go on with.

    Raises ValueError if what the folder or the log holds is another run's.
    """
    names = sorted(p.name for p in root.glob("epoch_*") if re.fullmatch(r"epoch_\d{6,}", p.name))
    if not names:
        return Checkpoints(root, None)
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
    return Checkpoints(root, at)


def state_of(run: "Run") -> dict[str, Any]:
    """Model, optimizer and average as torch.distributed.checkpoint wants them."""
    model, optimizer = get_state_dict(run.model, run.optimizer)
    return {"model": model, "optimizer": optimizer} | ({"average": run.average.state()} if run.average else {})


def position(run: "Run", score: Score) -> Position:
    """Where the run stands, as rank 0 knows."""
    saved, epoch = int(time.time() * 1000), run.log.epoch
    return Position(
        run.problem.digest(), fixed(run.config), run.seed, started(run.log.path), saved, epoch, score.value, score.facts
    )


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


def open_log(path: Path | None, resumed: bool) -> RunLog:
    """The log of a new run, or of one that goes on, without what a killed writer left of a line."""
    if path and resumed:
        whole = path.read_bytes()
        os.truncate(path, whole.rfind(b"\n") + 1)
    return RunLog(path, resumed)
