"""Staging: each node's ranks copy what they are going to read to the node's own disk, on the clock."""

import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmark.workload import AnyProblem, module_of

from ..parallel.layout import Layout
from ..training.stop import together

MEETINGS = 10  # of ranks that copy, in the time after which one is taken for lost


@dataclass(frozen=True)
class Staging:
    """A folder on every node's own disk; a run has one of its own in there, as long as it lasts."""

    root: Path
    made: list[Path]  # by this rank's run: to be removed

    def fill(
        self, source: Path, problem: AnyProblem, seed: int, layout: Layout, timeout: float, beat: Callable[[], None]
    ) -> tuple[Path, int]:
        """Copy whole files of a dataset, dealt out to the ranks of a node: where they lie, and bytes over all ranks.

        All ranks call it. `beat` is called every so often, less than `timeout` seconds apart. Raises Aborted on all
        ranks if one of them can't read or write, or a node has not the room.
        """
        target = self.root / f"{problem.name}-{seed:016x}"
        self.made.append(target)
        place, ranks, replicas = node_of(layout)
        mine = dict(list(needed(layout, problem, replicas).items())[place::ranks])
        todo, what = to_copy(source, problem, mine, place), f"staging to {self.root}"
        sizes, copied, host = [], [0], socket.gethostname()
        together(layout, what, lambda: sizes.append(sum(path.stat().st_size for path, read in todo if read)))
        wanted = sum(size for name, size in layout.gather((host, *sizes)) if name == host)
        together(layout, what, lambda: check_room(self.root, wanted))
        while any(layout.gather(bool(todo))):  # ranks meet often: none that has more to copy is taken for lost
            until = time.monotonic() + timeout / MEETINGS
            together(layout, what, lambda until=until: copied.append(copy(source, target, todo, until)))
            beat()
        return target, sum(layout.gather(sum(copied)))

    def clear(self) -> None:
        """Remove the copy; what other ranks of the node have removed already is none of ours."""
        for folder in self.made:
            shutil.rmtree(folder, ignore_errors=True)


def node_of(layout: Layout) -> tuple[int, int, list[int]]:
    """Of this rank's node: its place among the ranks there, how many they are, and the replicas that they belong to."""
    host = socket.gethostname()
    mates = [
        (rank, replica) for rank, (name, replica) in enumerate(layout.gather((host, layout.place[0]))) if name == host
    ]
    return [rank for rank, _ in mates].index(layout.rank), len(mates), sorted({replica for _, replica in mates})


def needed(layout: Layout, problem: AnyProblem, replicas: list[int]) -> dict[tuple[str, int], bool]:
    """Every sample, and whether these replicas read it: every one to train on, as each epoch deals them out anew, and
    their own to evaluate."""
    validation = problem.split_samples("validation")
    own = {sample for replica in replicas for sample in validation[replica :: layout.data]}
    every = {("train", sample): True for sample in problem.split_samples("train")}
    return every | {("validation", sample): sample in own for sample in validation}


def check_room(root: Path, wanted: int) -> None:
    """Raise OSError for a folder on a disk with less room than so many bytes."""
    root.mkdir(parents=True, exist_ok=True)
    room = shutil.disk_usage(root).free
    if room < wanted:
        raise OSError(f"found {room / 1e9:.4g} GB free, wanted {wanted / 1e9:.4g} GB for all that this node reads")


def to_copy(
    source: Path, problem: AnyProblem, samples: dict[tuple[str, int], bool], place: int
) -> list[tuple[Path, bool]]:
    """Samples' files, and for the first rank what lies beside the splits; each with whether the node reads it."""
    paths = [(module_of(problem).sample_path(source, problem, *key), read) for key, read in samples.items()]
    return paths + ([(p, True) for p in source.iterdir() if p.is_file()] if place == 0 else [])


def copy(source: Path, target: Path, todo: list[tuple[Path, bool]], until: float) -> int:
    """Copy files, taking them off the list, at least one and until it is time; their bytes.

    Files that nobody on the node reads are left empty: real data's samples are known by their place in the folder.
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
