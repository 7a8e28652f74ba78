"""Read a training split as training does, with emulated computation: how fast do data arrive, and did they come from a
disk or from a cache?"""

import os
import socket
import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.run import keys
from benchmark.run.reader import all_files, drop_cached_pages, published_fingerprints
from implementations.pytorch.input.staging import Staging
from implementations.pytorch.training.run import Run
from implementations.pytorch.training.stop import on_all_ranks

from .checkpointing import measure_checkpoint
from .compute import ComputeTimes, compute_times
from .copies import make_copies
from .counters import Storage, cache_state, memory_bytes, storage_of
from .figures import Pass, figures, joined, seconds_by_rank
from .formats import convert, whole_blank
from .options import STORED
from .passes import Passes
from .table import rates, staged, table, verdict
from .variants import COPIES, SCRATCH, STAGED, WRITTEN, Variant


@dataclass(frozen=True)
class Trial:
    """What to measure: passes over the split, how steps compute, formats, other folders with the dataset, and how many
    copies of it to read in its place. With `least_au`, a trial passes or fails, and every pass begins without cached
    pages."""

    epochs: int
    emulate: str
    times: ComputeTimes
    formats: tuple[str, ...]
    folders: tuple[Path, ...]
    scratch: Path | None
    copies: int = 0
    least_au: float | None = None

    def run(self, run: Run) -> None:
        """Measure and log everything with a run that is ready. Raises Aborted and WrongData as a run does."""
        run.start()
        for root in (run.reader.root, *self.folders):
            published_fingerprints(root, run.problem)
        Measurement(self, run).all()
        run.log.stop(keys.SUCCESS)

    def variants(self, own: Path, staging: Staging | None) -> Iterator[Variant]:
        """Yield the dataset as it is stored, or copies of it, then other folders with it, then its samples in other
        formats."""
        if self.copies:
            yield Variant(STORED, self.scratch / COPIES, COPIES, self.copies)
        elif STORED in self.formats:
            yield Variant(STORED, own, STAGED if staging else "data")
        for number, root in enumerate(self.folders, 1):
            yield Variant(STORED, root, f"from {number}")
        for form in self.formats:
            if form != STORED:
                yield Variant(form, self.scratch, SCRATCH)


def trial_of(options: Namespace) -> Trial:
    """Return the trial that a command asks for. Raises ValueError for a log without times of computation."""
    times = compute_times(options.compute_seconds, options.compute_from)
    folders = tuple(map(Path, options.places))
    more = (folders, options.scratch, options.copies, options.least_au)
    return Trial(options.io_epochs, options.emulate, times, tuple(options.formats), *more)


class Measurement:
    """A trial under way."""

    def __init__(self, trial: Trial, run: Run):
        self.trial, self.run = trial, run
        self.hosts = run.layout.gather(socket.gethostname())
        self.first = self.hosts.index(socket.gethostname()) == run.layout.rank  # of its node
        self.memory = sum(dict(zip(self.hosts, run.layout.gather(memory_bytes()), strict=True)).values())
        self.tried = 0

    def all(self) -> None:
        """Measure staging, the loop without reads, every variant, and checkpoints if they are asked for."""
        run, found = self.run, self.stage()
        self.passes = Passes(run, self.trial.emulate, self.trial.times)
        ceiling = self.passes.null()
        run.log.event("io_setup", self.setup(ceiling) | {"staging": found})
        rows = [self.variant(v, ceiling) for v in self.trial.variants(run.reader.root, run.files.staging)]
        run.print_rank0("\n".join([table(rows, ceiling), *staged(found), *verdict(rows, self.trial.least_au)]))
        if run.files.checkpoints:
            run.log.event("io_checkpoint", found := measure_checkpoint(run))
            done = ", ".join(f"{name} in {found[f'{name}_seconds']:.4g} s" for name in ("written", "read"))
            run.print_rank0(f"checkpoint of {found['bytes'] / 1e6:.4g} MB: {done}")

    def stage(self) -> dict[str, Any] | None:
        """Stage as a run does, then wait until all of it is on disk. Return bytes over all nodes, the seconds of
        copying, which are a run's, and those until it is on disk; None without --stage."""
        run, start = self.run, time.perf_counter()
        if not run.files.staging:
            return None
        run.stage()
        copied = time.perf_counter() - start
        self.sync()
        seconds = time.perf_counter() - start
        size = sum(os.stat(path).st_size for path in all_files(run.reader.root)) if self.first else 0
        return {"bytes": sum(run.layout.gather(size)), "seconds": copied, "synced_seconds": seconds}

    def sync(self) -> None:
        """Wait until what was written is on disk, on every node."""
        on_all_ranks(self.run.layout, "sync", lambda: self.first and os.sync())

    def setup(self, ceiling: float | None) -> dict[str, Any]:
        """Return what is measured."""
        trial, device = self.trial, self.trial.emulate == "device"
        return {
            "epochs": trial.epochs,
            "emulate": trial.emulate,
            "compute_source": "the network" if device else trial.times.source,
            "compute_seconds": None if device else trial.times.mean,
            "null_au": ceiling,
            "least_au": trial.least_au,
            "sample_bytes": sum(array.nbytes for array in whole_blank(self.run.problem)),
            "memory_bytes": self.memory,
        }

    def variant(self, variant: Variant, ceiling: float | None) -> dict[str, Any]:
        """Make all passes over one variant. Return its row of the table."""
        run, reader, own = self.run, self.run.reader, self.run.reader.root
        self.write(variant)
        reader.turn_to(variant.root, variant.form, variant.copies)
        storage, passes, size = storage_of(variant.root), [], self.size(variant)
        said = {"format": variant.form, "place": variant.place, "file_system": storage.file_system}
        for epoch in range(1, self.trial.epochs + 1):
            if epoch == 1 or self.trial.least_au is not None:
                on_all_ranks(run.layout, str(variant.root), lambda: self.first and drop_cached_pages(variant.root))
            self.tried += 1
            run.log.epoch = self.tried
            verified = variant.form == STORED and epoch == 1
            passes.append(self.passes.read(epoch, storage, verified, variant.copies))
            found = self.figures(passes[-1:], storage, ceiling, variant)
            found["by_rank"] = seconds_by_rank(run.layout.gather(passes[-1].parts))
            run.log.event("io_epoch", found, epoch_num=epoch, **self.counts(variant, 1), **said)
            run.print_rank0(f"{variant.form} ({variant.place}), pass {epoch}: {rates(found)}")
        total = self.figures(passes, storage, ceiling, variant)
        total |= {"dataset_bytes": size, "dataset_over_memory": size / self.memory}
        run.log.event("io_trial", total, epochs=len(passes), **self.counts(variant, len(passes)), **said)
        reader.root = own
        return said | total

    def write(self, variant: Variant) -> None:
        """Write what a variant wants and is not there yet. What is not on disk yet would stay in the cache."""
        run = self.run
        if variant.form != STORED:
            convert(run.reader.root, variant.root, variant.form, run.problem, run.layout)
        if variant.copies:
            make_copies(run.reader.root, variant.root, run.problem, variant.copies, run.layout, run.heartbeat)
        if variant.place in WRITTEN:
            self.sync()

    def size(self, variant: Variant) -> int:
        """Return the bytes of all files of a variant, which rank 0 asks for."""
        return self.run.layout.gather(variant.bytes(self.run.problem) if self.run.layout.rank == 0 else 0)[0]

    def counts(self, variant: Variant, passes: int) -> dict[str, int]:
        """Return the numbers of steps and samples of `passes` passes over all ranks."""
        samples = self.run.problem.train_samples * max(1, variant.copies)
        steps = -(-samples // self.run.config.batch_size)
        return {"steps": passes * steps, "samples_count": passes * samples}

    def figures(self, passes: list[Pass], storage: Storage, ceiling: float | None, variant: Variant) -> dict[str, Any]:
        """Return the figures of passes over all ranks, for the log."""
        utilizations = [au for p in passes if (au := p.utilization) is not None]
        gathered = self.run.layout.gather((joined(passes), utilizations))
        samples = self.counts(variant, len(passes))["samples_count"]
        found = figures([p for p, _ in gathered], samples, [aus for _, aus in gathered])
        read, physical = found["read_bytes"]["total"], found["physical_bytes"] and found["physical_bytes"]["total"]
        au = found["au"] and found["au"]["mean"]
        return found | {
            "au_over_ceiling": au / ceiling if au is not None and ceiling else None,
            "ranks": len(gathered),
            "cache": cache_state(storage, read, physical, found["logical_bytes"]["total"]),
        }
