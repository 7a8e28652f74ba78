"""Write a checkpoint at the end of every epoch, and resume a run from the last one, under any layout of ranks.

A folder epoch_<n> is a complete checkpoint: it is written under another name and renamed when all of it is on disk. The
model, the optimizer and the average of the weights are in parts (parts.py). metadata.json has everything else that a
run needs to resume, with the digest of every part and its own (metadata.py). Nothing in a checkpoint is unpickled or
executed.
"""

import contextlib
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from benchmark.atomic import sync
from benchmark.clock import now_ms
from benchmark.config import machine_settings, shown
from benchmark.run.errors import Aborted, WrongData
from benchmark.run.resuming import events, latest, started
from benchmark.source import combine
from benchmark.workload import AnyProblem

from ..config import RunConfig
from ..parallel.layout import Layout
from ..task import Evaluation
from . import parts
from .metadata import CheckpointMetadata, load_metadata, render
from .state import TrainingState
from .stop import on_all_ranks

NAME, METADATA, DAMAGED = "epoch_{:06d}", "metadata.json", "damaged checkpoint"
SET_BACK = 1000  # milliseconds by which the clocks of a run's nodes may differ before and after an interruption


@dataclass(frozen=True)
class Origin:
    """What all checkpoints of a run share: its problem, its settings, and the log that rank 0 writes."""

    problem: AnyProblem
    config: RunConfig
    log: Path

    def metadata(
        self, seed: int, epoch: int, found: Evaluation, digests: dict[str, str], places: dict[str, tuple[int, int]]
    ) -> CheckpointMetadata:
        """Return the run's metadata, on rank 0, with the digests of the parts and the places of tensors in them. Raises
        ValueError for a log without a run_start, which identifies the run."""
        problem, settings = self.problem.digest(), fixed(self.config)
        if (start := started(self.log)) is None:
            raise ValueError(f"{self.log}: found no run_start, wanted this run's log")
        content = digests, {name: list(place) for name, place in places.items()}
        return CheckpointMetadata(problem, settings, seed, start, now_ms(), epoch, found.value, found.facts, *content)


@dataclass(frozen=True)
class Checkpoints:
    """A run's folder of checkpoints, the last one or those of `every` epoch. `resumed` is the position from which the
    run is resumed, or None for a new run."""

    root: Path
    origin: Origin
    resumed: CheckpointMetadata | None = None
    every: bool = False

    def save(self, state: TrainingState, layout: Layout, seed: int, epoch: int, found: Evaluation) -> str:
        """Write a checkpoint after an epoch, and return its digest. All ranks call it. All raise Aborted, or none."""
        target = self.root / NAME.format(epoch)
        temporary, first = target.with_name(f".{target.name}.partial"), layout.rank == 0
        tensors, digests = state.tensors(), {}

        def write() -> None:
            digests.update(parts.write(temporary, tensors, layout.rank, layout.ranks))

        def conclude() -> None:
            places = parts.places(tensors, layout.ranks)
            finish(temporary, target, self.origin.metadata(seed, epoch, found, digests, places))

        remove_part(temporary, layout.rank)
        on_all_ranks(layout, str(target), lambda: first and begin(temporary))
        on_all_ranks(layout, str(target), write)
        for written in layout.gather(digests):
            digests |= written
        on_all_ranks(layout, str(target), lambda: first and conclude())
        others = [*self.root.glob(".epoch_*.partial"), *(() if self.every else self.root.glob("epoch_*"))]
        remove([folder for folder in others if folder != target], layout)
        return combine(digests.items())

    def restore(self, state: TrainingState, layout: Layout) -> None:
        """Read the state of the checkpoint. All ranks call it. Raises WrongData on all of them if it is damaged."""
        at, folder = self.resumed, self.root / NAME.format(self.resumed.epoch)
        checked = dict(list(at.parts.items())[layout.rank :: layout.ranks])

        def fill(tensors: dict[str, Tensor]) -> None:
            if differing := at.places.keys() ^ tensors.keys():
                found = f"found other tensors, as {min(differing)[:200]!r}"
                raise ValueError(f"{folder}: {found}, wanted those of this model and optimizer")
            parts.read(folder, at.parts, at.places, parts.share(tensors, layout.rank, layout.ranks))

        def read(tensors: dict[str, Tensor]) -> None:
            on_all_ranks(layout, DAMAGED, lambda: fill(tensors))
            for name, reader in parts.deal_out(tensors, layout.ranks).items():
                layout.broadcast(tensors[name], reader)

        try:
            on_all_ranks(layout, DAMAGED, lambda: parts.verify(folder, checked))
            state.restore(read)
        except Aborted as error:
            raise WrongData(str(error), everywhere=True) from None

    def missing_evaluation(self, metric: str) -> Evaluation | None:
        """Return the evaluation that the run had made but not yet logged when it was killed, or None."""
        at = self.resumed
        logged = any(e.metadata.get("epoch_num") == at.epoch for e in events(self.origin.log, metric))
        return None if logged else Evaluation(at.score, at.facts | {"state": combine(at.parts.items())})


def open_checkpoints(root: Path, resume: bool, origin: Origin, every: bool = False) -> Checkpoints:
    """Return a folder's checkpoints: for a new run, or for the run to resume if the folder has a checkpoint.

    Raises ValueError if the folder or the log is another run's.
    """
    problem, config, log = origin.problem, origin.config, origin.log
    epochs = [int(p.name[6:]) for p in root.glob("epoch_*") if re.fullmatch(r"epoch_[0-9]{6,9}", p.name)]
    if not epochs:
        return Checkpoints(root, origin, every=every)
    path = root / NAME.format(max(epochs))
    if not resume:
        raise ValueError(f"{path}: found a checkpoint, wanted a folder without one, or --resume")
    at = load_metadata(path / METADATA)
    if at.epoch != max(epochs):
        raise ValueError(f"{path / METADATA}: found epoch {at.epoch}, wanted {max(epochs)}, as the folder is named")
    if at.problem != problem.digest():
        raise ValueError(f"{path}: made for problem digest {at.problem}, wanted {problem.digest()} ({problem.name})")
    settings = fixed(config)
    if config.epochs < at.settings.get("epochs", 0):  # a replay ends earlier
        settings["epochs"] = at.settings["epochs"]
    for name in sorted(settings.keys() | at.settings.keys()):
        found, wanted = settings.get(name), at.settings.get(name)
        if found != wanted:
            raise ValueError(f"{name}: found {shown(found)}, wanted {shown(wanted)} as in {path}")
    if at.epoch >= config.epochs and any(events(log, "run_stop")):  # without one the run has yet to log its end
        raise ValueError(f"{path}: found {at.epoch} epochs, wanted fewer than the limit of {config.epochs}")
    if started(log) != at.started:
        raise ValueError(f"{log}: found run_start at {started(log)}, wanted {at.started}, the log of {path}")
    if (ahead := latest(log) - now_ms()) > SET_BACK:
        found = f"found times {ahead / 1000:.0f} s ahead of this clock"
        raise ValueError(f"{log}: {found}, wanted a clock that was not set back")
    if any(e.metadata.get("status") == "success" for e in events(log, "run_stop")):
        raise ValueError(f"{log}: found a run that reached its target, wanted one to resume")
    return Checkpoints(root, origin, at, every)


def fixed(config: RunConfig) -> dict[str, Any]:
    """Return the settings that a resumed run must keep, as JSON returns them: all but those of the machine."""
    free = machine_settings(type(config))
    return json.loads(json.dumps({name: value for name, value in config.fields().items() if name not in free}))


def begin(temporary: Path) -> None:
    """Make an empty folder."""
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)


def finish(temporary: Path, target: Path, at: CheckpointMetadata) -> None:
    """Write the position, and give the folder its final name."""
    (temporary / METADATA).write_text(render(at), encoding="utf-8")
    sync(temporary / METADATA)
    sync(temporary)
    os.rename(temporary, target)
    sync(target.parent)


def remove(folders: list[Path], layout: Layout) -> None:
    """Remove folders of checkpoints. All ranks call it: each removes its part, and rank 0 the rest, since a rank alone
    would take long to remove the parts of thousands."""
    for folder in folders:
        remove_part(folder, layout.rank)
    layout.barrier()
    for folder in folders if layout.rank == 0 else ():
        shutil.rmtree(folder, ignore_errors=True)


def remove_part(folder: Path, rank: int) -> None:
    """Remove a rank's part from a folder, if it is there."""
    with contextlib.suppress(OSError):
        os.unlink(folder / parts.NAME.format(rank))
