"""Read a training split as training does, with emulated computation: how fast do data arrive, and did they come from a
disk or from a cache?"""

import os
import socket
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.run import keys
from benchmark.run.reader import drop_cached_pages, published_fingerprints
from benchmark.workload import module_of
from implementations.pytorch.input.staging import Staging
from implementations.pytorch.training.run import Run
from implementations.pytorch.training.stop import on_all_ranks

from .checkpointing import measure_checkpoint
from .compute import ComputeTimes, compute_times
from .counters import Storage, cache_state, memory_bytes, storage_of
from .figures import Pass, figures, joined
from .formats import convert, copy_path, whole_blank
from .options import STORED
from .passes import Passes
from .table import rates, table

STAGED, SCRATCH = "staged", "scratch"
WRITTEN = (STAGED, SCRATCH)  # places of data that the trial itself writes


@dataclass(frozen=True)
class Variant:
    """A variant to measure: a format, and the folder that has it. `place` is the log's name for the folder."""

    form: str
    root: Path
    place: str


@dataclass(frozen=True)
class Trial:
    """What to measure: passes over the split, how steps compute, formats, and other folders with the dataset."""

    epochs: int
    emulate: str
    times: ComputeTimes
    formats: tuple[str, ...]
    copies: tuple[Path, ...]
    scratch: Path | None

    def run(self, run: Run) -> None:
        """Measure and log everything with a run that is ready. Raises Aborted and WrongData as a run does."""
        run.start()
        for root in (run.reader.root, *self.copies):
            published_fingerprints(root, run.problem)
        run.stage()
        Measurement(self, run).all()
        run.log.stop(keys.SUCCESS)

    def variants(self, own: Path, staging: Staging | None) -> Iterator[Variant]:
        """Yield the dataset as it is stored, here and in other folders, then its copies in other formats."""
        if STORED in self.formats:
            yield Variant(STORED, own, STAGED if staging else "data")
        for number, root in enumerate(self.copies, 1):
            yield Variant(STORED, root, f"from {number}")
        for form in self.formats:
            if form != STORED:
                yield Variant(form, self.scratch, SCRATCH)


def trial_of(options: Namespace) -> Trial:
    """Return the trial that a command asks for. Raises ValueError for a log without times of computation."""
    times = compute_times(options.compute_seconds, options.compute_from)
    folders = tuple(map(Path, options.places))
    return Trial(options.io_epochs, options.emulate, times, tuple(options.formats), folders, options.scratch)


class Measurement:
    """A trial under way."""

    def __init__(self, trial: Trial, run: Run):
        self.trial, self.run = trial, run
        self.hosts = run.layout.gather(socket.gethostname())
        self.first = self.hosts.index(socket.gethostname()) == run.layout.rank  # of its node
        self.passes = Passes(run, trial.emulate, trial.times)
        self.tried = 0

    def all(self) -> None:
        """Measure the loop without reads, every variant, and checkpoints if they are asked for."""
        run, own = self.run, self.run.reader.root
        ceiling = self.passes.null()
        run.log.event("io_setup", self.setup(own, ceiling))
        rows = [self.variant(v, ceiling) for v in self.trial.variants(own, run.files.staging)]
        run.print_rank0(table(rows, ceiling))
        if run.files.checkpoints:
            run.log.event("io_checkpoint", found := measure_checkpoint(run))
            done = ", ".join(f"{name} in {found[f'{name}_seconds']:.4g} s" for name in ("written", "read"))
            run.print_rank0(f"checkpoint of {found['bytes'] / 1e6:.4g} MB: {done}")

    def setup(self, own: Path, ceiling: float | None) -> dict[str, Any]:
        """Return what is measured, and on which data."""
        run, trial, device = self.run, self.trial, self.trial.emulate == "device"
        memory = sum(dict(zip(self.hosts, run.layout.gather(memory_bytes()), strict=True)).values())
        size = run.layout.gather(self.dataset_bytes(Variant(STORED, own, "")) if run.layout.rank == 0 else 0)[0]
        return {
            "epochs": trial.epochs,
            "emulate": trial.emulate,
            "compute_source": "the network" if device else trial.times.source,
            "compute_seconds": None if device else trial.times.mean,
            "null_au": ceiling,
            "sample_bytes": sum(array.nbytes for array in whole_blank(run.problem)),
            "dataset_bytes": size,
            "memory_bytes": memory,
            "dataset_over_memory": size / memory,
        }

    def dataset_bytes(self, variant: Variant) -> int:
        """Return the bytes of the training split's files."""
        return sum(self.path(variant, sample).stat().st_size for sample in self.run.problem.split_samples("train"))

    def path(self, variant: Variant, sample: int) -> Path:
        """Return the file of a sample."""
        if variant.form != STORED:
            return copy_path(variant.root, variant.form, "train", sample)
        return module_of(self.run.problem).sample_path(variant.root, self.run.problem, "train", sample)

    def variant(self, variant: Variant, ceiling: float | None) -> dict[str, Any]:
        """Make all passes over one variant. Return its row of the table."""
        run = self.run
        if variant.form != STORED:
            convert(run.reader.root, variant.root, variant.form, run.problem, run.layout)
        if variant.place in WRITTEN:  # what is not on disk yet stays in the cache
            on_all_ranks(run.layout, "sync", lambda: self.first and os.sync())
        on_all_ranks(run.layout, str(variant.root), lambda: self.first and drop_cached_pages(variant.root))
        reader, own = run.reader, run.reader.root
        reader.turn_to(variant.root, variant.form)
        storage, passes = storage_of(variant.root), []
        said = {"format": variant.form, "place": variant.place, "file_system": storage.file_system}
        for epoch in range(1, self.trial.epochs + 1):
            self.tried += 1
            run.log.epoch = self.tried
            passes.append(self.passes.read(epoch, storage, verified=variant.form == STORED and epoch == 1))
            found = self.figures(passes[-1:], storage, ceiling)
            run.log.event("io_epoch", found, epoch_num=epoch, **self.counts(1), **said)
            run.print_rank0(f"{variant.form} ({variant.place}), pass {epoch}: {rates(found)}")
        total = self.figures(passes, storage, ceiling)
        run.log.event("io_trial", total, epochs=len(passes), **self.counts(len(passes)), **said)
        reader.root = own
        return said | total

    def counts(self, passes: int) -> dict[str, int]:
        """Return the numbers of steps and samples of `passes` passes over all ranks."""
        problem, config = self.run.problem, self.run.config
        steps = -(-problem.train_samples // config.batch_size)
        return {"steps": passes * steps, "samples_count": passes * problem.train_samples}

    def figures(self, passes: list[Pass], storage: Storage, ceiling: float | None) -> dict[str, Any]:
        """Return the figures of passes over all ranks, for the log."""
        utilizations = [au for p in passes if (au := p.utilization) is not None]
        gathered = self.run.layout.gather((joined(passes), utilizations))
        samples = self.counts(len(passes))["samples_count"]
        found = figures([p for p, _ in gathered], samples, [aus for _, aus in gathered])
        read, physical = found["read_bytes"]["total"], found["physical_bytes"] and found["physical_bytes"]["total"]
        au = found["au"] and found["au"]["mean"]
        return found | {
            "au_over_ceiling": au / ceiling if au is not None and ceiling else None,
            "ranks": len(gathered),
            "cache": cache_state(storage, read, physical, found["logical_bytes"]["total"]),
        }
