"""Staging: the ranks of each node copy the samples that they will read to the node's own disk, within the timed run."""

import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmark.run.errors import Aborted, WrongData
from benchmark.workload import AnyProblem, module_of

from ..parallel.layout import Layout
from ..training.stop import on_all_ranks

MEETINGS = 10  # how often copying ranks meet within the timeout after which a rank is lost


@dataclass(frozen=True)
class Staging:
    """A folder on every node's own disk. A run makes a folder of its own in it and removes that at its end."""

    root: Path
    made: list[Path]  # folders of this run, to be removed

    def folder(self, problem: AnyProblem, seed: int) -> Path:
        """Return the folder of this run's copy, which `clear` removes."""
        target = self.root / f"{problem.name}-{seed:016x}"
        self.made.append(target)
        return target

    def fill(
        self, source: Path, target: Path, problem: AnyProblem, layout: Layout, heartbeat: Callable[[], float]
    ) -> int:
        """Copy whole files of a dataset to `target`, dealt out to the ranks of a node. Return the bytes that all ranks
        copied.

        All ranks call it. `heartbeat` is called often enough that no rank seems lost, and returns the seconds in which
        it has to be called again. Raises Aborted on all ranks if one cannot read or write, or if a node's disk is too
        small, and WrongData if a file is missing.
        """
        place, ranks, replicas = node_of(layout)
        mine = dict(list(needed(layout, problem, replicas).items())[place::ranks])
        what = f"staging to {self.root}"
        todo: list[tuple[Path, bool]] = []
        sizes, copied, host = [], [0], socket.gethostname()

        def look() -> None:
            if place == 0:  # what this run copied before it was killed would take the room of the new copy
                shutil.rmtree(target, ignore_errors=True)
            todo.extend(to_copy(source, problem, mine, place))
            sizes.append(sum(path.stat().st_size for path, read in todo if read))

        try:
            on_all_ranks(layout, what, look)
        except Aborted as error:
            raise WrongData(str(error), everywhere=True) from None
        wanted = sum(size for name, size in layout.gather((host, *sizes)) if name == host)
        on_all_ranks(layout, what, lambda: check_free_space(self.root, wanted))
        while any(layout.gather(bool(todo))):  # ranks meet often, so that none with more to copy seems lost
            until = time.monotonic() + heartbeat() / MEETINGS
            on_all_ranks(layout, what, lambda until=until: copied.append(copy(source, target, todo, until)))
        return sum(layout.gather(sum(copied)))

    def clear(self) -> None:
        """Remove the copy. Other ranks of the node may have removed files already."""
        for folder in self.made:
            shutil.rmtree(folder, ignore_errors=True)


def node_of(layout: Layout) -> tuple[int, int, list[int]]:
    """Return this rank's place among the ranks of its node, their number, and the replicas that they belong to."""
    host = socket.gethostname()
    mates = [
        (rank, replica) for rank, (name, replica) in enumerate(layout.gather((host, layout.place[0]))) if name == host
    ]
    return [rank for rank, _ in mates].index(layout.rank), len(mates), sorted({replica for _, replica in mates})


def needed(layout: Layout, problem: AnyProblem, replicas: list[int]) -> dict[tuple[str, int], bool]:
    """Return for every sample whether these replicas read it. They read all training samples, which each epoch deals
    out again, and their own validation samples."""
    validation = problem.split_samples("validation")
    own = {sample for replica in replicas for sample in validation[replica :: layout.data]}
    every = {("train", sample): True for sample in problem.split_samples("train")}
    return every | {("validation", sample): sample in own for sample in validation}


def check_free_space(root: Path, wanted: int) -> None:
    """Raise OSError if the disk of a folder has fewer than `wanted` free bytes."""
    root.mkdir(parents=True, exist_ok=True)
    room = shutil.disk_usage(root).free
    if room < wanted:
        raise OSError(f"found {room / 1e9:.4g} GB free, wanted {wanted / 1e9:.4g} GB for all that this node reads")


def to_copy(
    source: Path, problem: AnyProblem, samples: dict[tuple[str, int], bool], place: int
) -> list[tuple[Path, bool]]:
    """Return the files to copy, and whether the node reads each; for place 0 also the files beside the splits."""
    module = module_of(problem)
    paths = [(module.sample_path(source, problem, *key), read) for key, read in samples.items()]
    if more := getattr(module, "files_beside", None):  # of a sample that has several files
        paths += [(other, read) for path, read in paths for other in more(path)]
    return paths + ([(p, True) for p in source.iterdir() if p.is_file()] if place == 0 else [])


def copy(source: Path, target: Path, todo: list[tuple[Path, bool]], until: float) -> int:
    """Copy files and remove them from the list: at least one, then more until the time `until`. Return their bytes.

    Files that the node does not read are left empty, since real data's samples are identified by their order by name.
    """
    total = 0
    while todo:
        path, read = todo.pop()
        to = target / path.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to) if read else to.touch()
        total += to.stat().st_size
        if time.monotonic() > until:
            break
    return total
