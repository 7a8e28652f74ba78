"""Checkpoints are written at the end of every epoch; a run resumes from the last one, under any layout of ranks.

A folder epoch_<n> is a whole checkpoint: it is written under another name and renamed when all of it is on disk. It
holds the model, the optimizer and the average of the weights in parts (parts.py), and then position.json, all else
that a run needs to go on, with the digest of every part and its own (position.py). Nothing in it is unpickled or run.
"""

import fcntl
import json
import os
import platform
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from torch import Tensor

from benchmark.atomic import sync
from benchmark.config import shown
from benchmark.log import Event, read_log
from benchmark.workload import AnyProblem

from ..config import RunConfig
from ..parallel.layout import Layout
from ..task import Evaluation
from . import parts
from .position import Position, load_position, render
from .state import TrainingState
from .stop import Aborted, WrongData, reason, together

NAME, POSITION, LOCK, DAMAGED = "epoch_{:06d}", "position.json", "lock", "damaged checkpoint"
PATIENCE = 3.0  # seconds for a run that was killed to end
# What doesn't change what is computed, and may be different when a run goes on.
FREE = {"layout", "tile", "sharding", "recompute", "recompute_norms", "compile", "device", "threads", "workers"}
FREE |= {"join", "prefetch", "cache_gib", "timeout_seconds", "peak_tflops", "eval_batch_size"}


@dataclass(frozen=True)
class Origin:
    """What all checkpoints of a run have in common: its problem, its settings, the log that rank 0 writes."""

    problem: AnyProblem
    config: RunConfig
    log: Path

    def position(self, seed: int, epoch: int, found: Evaluation, digests: dict[str, str]) -> Position:
        """Where the run stands, as rank 0 knows, with the digests of the parts. Raises ValueError without the log's
        run_start, by which the run is known again."""
        problem, settings = self.problem.digest(), fixed(self.config)
        if (start := started(self.log)) is None:
            raise ValueError(f"{self.log}: found no run_start, wanted this run's log")
        saved = int(time.time() * 1000)
        return Position(problem, settings, seed, start, saved, epoch, found.value, found.facts, digests)


@dataclass(frozen=True)
class Checkpoints:
    """A run's folder of checkpoints; `resumed` is where the run goes on, or None: it is a new one."""

    root: Path
    origin: Origin
    resumed: Position | None = None

    def save(self, state: TrainingState, layout: Layout, seed: int, epoch: int, found: Evaluation) -> None:
        """At the end of an epoch, by all ranks. Raises Aborted on all of them if one of them can't."""
        target = self.root / NAME.format(epoch)
        temporary, first = target.with_name(f".{target.name}.partial"), layout.rank == 0
        tensors, digests = state.tensors(), {}

        def write() -> None:
            digests.update(parts.write(temporary, tensors, layout.rank, layout.ranks))

        def conclude() -> None:
            finish(temporary, target, self.origin.position(seed, epoch, found, digests))

        together(layout, str(target), lambda: first and begin(temporary))
        together(layout, str(target), write)
        for written in layout.gather(digests):
            digests |= written
        together(layout, str(target), lambda: first and conclude())

    def restore(self, state: TrainingState, layout: Layout) -> None:
        """Read the state that the run goes on with. Raises WrongData on all ranks if the checkpoint is damaged."""
        folder, digests = self.root / NAME.format(self.resumed.epoch), self.resumed.parts
        share = dict(list(digests.items())[layout.rank :: layout.ranks])

        def read(tensors: dict[str, Tensor]) -> None:
            together(layout, DAMAGED, lambda: parts.read(folder, digests, tensors))

        try:
            together(layout, DAMAGED, lambda: parts.verify(folder, share))
            state.restore(read)
        except Aborted as error:
            raise WrongData(str(error), everywhere=True) from None

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
    epochs = [int(p.name[6:]) for p in root.glob("epoch_*") if re.fullmatch(r"epoch_[0-9]{6,9}", p.name)]
    if not epochs:
        return Checkpoints(root, origin)
    path = root / NAME.format(max(epochs))
    if not resume:
        raise ValueError(f"{path}: found a checkpoint, wanted a folder without one, or --resume")
    at = load_position(path / POSITION)
    if at.epoch != max(epochs):
        raise ValueError(f"{path / POSITION}: found epoch {at.epoch}, wanted {max(epochs)}, as the folder is named")
    if at.problem != problem.digest():
        raise ValueError(f"{path}: made for problem digest {at.problem}, wanted {problem.digest()} ({problem.name})")
    settings = fixed(config)
    for name in sorted(settings.keys() | at.settings.keys()):
        found, wanted = settings.get(name), at.settings.get(name)
        if found != wanted:
            raise ValueError(f"{name}: found {shown(found)}, wanted {shown(wanted)} as in {path}")
    if at.epoch >= config.epochs and any(events(log, "run_stop")):  # without one it has yet to say that it is over
        raise ValueError(f"{path}: found {at.epoch} epochs, wanted fewer than the limit of {config.epochs}")
    if started(log) != at.started:
        raise ValueError(f"{log}: found run_start at {started(log)}, wanted {at.started}, the log of {path}")
    if any(e.metadata.get("status") == "success" for e in events(log, "run_stop")):
        raise ValueError(f"{log}: found a run that reached its target, wanted one to go on with")
    return Checkpoints(root, origin, at)


def fixed(config: RunConfig) -> dict[str, Any]:
    """The settings that a run keeps, as JSON gives them back."""
    return json.loads(json.dumps({name: value for name, value in config.fields().items() if name not in FREE}))


def begin(temporary: Path) -> None:
    """An empty folder."""
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)


def finish(temporary: Path, target: Path, at: Position) -> None:
    """Write the position, make the folder a checkpoint, and remove all others."""
    (temporary / POSITION).write_text(render(at), encoding="utf-8")
    sync(temporary / POSITION)
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
    found = (e for e in read_log(log) if isinstance(e, Event) and e.key == key) if log.exists() else ()
    return [e for e in found if isinstance(e.metadata, dict)]
