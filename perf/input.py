"""Compare the input of the training step, a rank's box from bricks, with whole dense samples read by NumPy.

    python perf/input.py [--scale 7 --scale 8] [--samples 4] [--repeats 5] [--workers 0] [--folder DIR]
        [--against CLONE]

Printed are samples per second. The rank holds 1/8 of every sample, half of each side. The reference's reader:
  memory       later epochs of a run: boxes are kept as uint8 up to `cache_gib`, and all of them fit
  files        later epochs without room to keep boxes: they come from files, each checked against its checksum
  first epoch  boxes from HDF5 files, every brick checked against its sha256, with the evidence of what was read
NumPy:
  dense        `np.load` of a whole sample in float32, volume and label, cut to the box afterwards
  uint8 label  dense, with a quarter of the label's bytes
  mapped       uint8 label, mapped into memory, so that only the parts in the box are read
  dense, kept  dense, with the malloc setting of a training run on a CPU
`--against` names another clone, such as an older commit, whose reader is measured as well.

Sides take turns, in one process (with --workers more) for the reference and one for NumPy. "warm" files are in the page
cache; pages of "cold" ones are dropped before each pass, which is as noisy as the disk. In the first epoch the
reference's process uses a second core if there is one.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would, or in a clone that is measured, too
    sys.path[0] = os.environ.get("SCAFFOLD_INPUT_CLONE", str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch
from torch import Tensor

from benchmark.memory import keep_freed_memory
from benchmark.run.reader import Reader, drop_cached_pages
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.store import read_box, sample_path
from benchmark.scaffold.volume import make_sample
from benchmark.scaffold.writing import write_sample
from implementations.pytorch.input.prefetch import device_batches
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.model import to_input
from perf.settings import published_at

CLONE = "SCAFFOLD_INPUT_CLONE"  # environment variable: the clone whose code a process measures
DEVICE = torch.device("cpu")
DENSE, KEPT = "dense", "dense, kept"
NUMPY = (DENSE, "uint8 label", "mapped")
OURS = ("files", "first epoch")  # sides that are also measured in another clone
Source = Callable[[], Iterator[tuple[Tensor, Tensor]]]
SOURCES: dict[str, Source] = {}  # of this process


def prepare(folder: Path, problem: Problem, samples: int) -> None:
    """Write every sample as the benchmark stores it, and as dense arrays beside it."""
    for sample in range(samples):
        path = sample_path(folder, "train", sample)
        if not path.exists():
            write_sample(path, problem, "train", sample, *make_sample(problem, sample))
        volume, label = read_box(path)
        np.save(folder / f"{sample}_volume.npy", volume.astype(np.float32) / 127.5 - 1)
        np.save(folder / f"{sample}_label.npy", label)
        np.save(folder / f"{sample}_label32.npy", label.astype(np.float32))
    os.sync()


def bricks(
    folder: Path, problem: Problem, samples: int, workers: int, cache_gib: float = 0.0, first: bool = False
) -> Source:
    """The source of the reference's reader; `first` reads every sample as in the first epoch."""
    box = Layout(1, 0, 2, 2, 2).box(problem.shape)
    reader = Reader(folder, problem, box, workers, 2, cache_gib)

    def read() -> Iterator[tuple[Tensor, Tensor]]:
        if first:
            reader.known.clear()
        for batch in device_batches(reader, "train", [[sample] for sample in range(samples)], DEVICE):
            volume, label = batch.tensors
            yield to_input(volume), label

    return read


def dense(folder: Path, problem: Problem, samples: int, label: str = "label32", mode: str | None = None) -> Source:
    """The source of NumPy's loader; mode "r" maps files into memory."""
    half = (slice(problem.side // 2),) * 3

    def read() -> Iterator[tuple[Tensor, Tensor]]:
        for sample in range(samples):
            volume = np.load(folder / f"{sample}_volume.npy", mmap_mode=mode)[half]
            true = np.load(folder / f"{sample}_{label}.npy", mmap_mode=mode)[half].astype(np.uint8)
            yield torch.from_numpy(np.array(volume)[None, None]), torch.from_numpy(true[None])

    return read


def sources(problem: Problem, folder: Path, samples: int, workers: int) -> dict[str, Source]:
    """{side: its source}."""
    return {
        "memory": bricks(folder, problem, samples, workers, cache_gib=1.0),
        "files": bricks(folder, problem, samples, workers),
        "first epoch": bricks(folder, problem, samples, workers, first=True),
        DENSE: dense(folder, problem, samples),
        "uint8 label": dense(folder, problem, samples, "label"),
        "mapped": dense(folder, problem, samples, "label", "r"),
    }


def begin(keep: bool, *arguments: Any) -> None:
    """A process that will read: with the malloc setting of a training run, or without."""
    global SOURCES
    torch.set_num_threads(1)
    if keep:
        keep_freed_memory()
    SOURCES = sources(*arguments)


def seconds(name: str) -> float:
    """Of one pass over the samples, in a process that has begun."""
    start = time.perf_counter()
    for _ in SOURCES[name]():
        pass
    return time.perf_counter() - start


def same(a: Source, b: Source) -> bool:
    """Whether two sources give the same numbers."""
    return all(
        torch.allclose(x, y, atol=1e-6)
        for one, two in zip(a(), b(), strict=True)
        for x, y in zip(one, two, strict=True)
    )


def process(keep: bool, *arguments: Any, clone: Path | None = None) -> ProcessPoolExecutor:
    """Start a process that measures, with the code of this clone or of another one."""
    if clone:
        os.environ[CLONE] = str(clone.resolve())
    started = ProcessPoolExecutor(1, get_context("spawn"), begin, (keep, *arguments))
    started.submit(os.getpid).result()
    os.environ.pop(CLONE, None)
    return started


def measure(problem: Problem, folder: Path, samples: int, repeats: int, workers: int, against: Path | None) -> None:
    """Measure and print the sides of one problem."""
    sides = sources(problem, folder, samples, 0)
    if not all(same(sides["files"], side) for side in sides.values()):
        raise RuntimeError("the sides give different numbers")
    kept, plain = (process(keep, problem, folder, samples, workers) for keep in (True, False))
    started = [kept, plain]
    processes = {name: (plain if name in NUMPY else kept, name) for name in sides} | {KEPT: (kept, DENSE)}
    if against:
        started.append(process(True, problem, folder, samples, workers, clone=against))
        processes |= {f"{name}, {against.name}": (started[-1], name) for name in OURS}
    print(f"{problem.name}: {problem.side}^3, box {problem.side // 2}^3, {samples} samples, {workers} workers")
    for cache in ("warm", "cold"):
        times = {name: [] for name in processes}
        for turn in range(repeats + 1):
            for name, (measuring, side) in processes.items():
                if cache == "cold":
                    drop_cached_pages(folder)
                took = measuring.submit(seconds, side).result()
                if turn:  # the first warms up
                    times[name].append(took)
        width = max(map(len, times))
        for name, found in times.items():
            ratio = statistics.median(b / a for a, b in zip(found, times[DENSE], strict=True))
            rate = samples / statistics.median(found)
            print(f"  {cache}  {name:{width}} {rate:8.1f} samples/s   {ratio:5.1f} times as many as dense", flush=True)
    for one in started:
        one.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, action="append", help="5 is smoke's (default: 7 and 8)")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, default=0, help="reader processes of the reference")
    parser.add_argument("--folder", type=Path, help="where the samples are, or will be (default: a temporary one)")
    parser.add_argument("--against", type=Path, metavar="CLONE", help="another clone, whose reader is measured, too")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as temporary:
        for scale in options.scale or (7, 8):
            folder, problem = (options.folder or Path(temporary)) / f"scale{scale}", published_at(scale)
            prepare(folder, problem, options.samples)
            measure(problem, folder, options.samples, options.repeats, options.workers, options.against)


if __name__ == "__main__":
    main()
