"""Speed of the loaders at full size: `python perf/loaders.py [--workload cosmoflow] [--samples 8] [--rounds 5]`.

The command prints samples per second from files in the page cache, in one process and in two: for each format's loader
as the reference calls it, checks included, and for plain Python on the same numbers. Plain Python reads a file of the
raw arrays, gzipped if the format is compressed, with `gzip` or `open` and NumPy. The two take turns, so that other load
affects both alike; printed are medians over the rounds. A new workload adds its formats to `FORMATS`.
"""

import argparse
import gzip
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from benchmark.cosmoflow import files
from benchmark.cosmoflow.universe import make_universe
from benchmark.deepcam import files as weather_files
from benchmark.problem import load_problem
from benchmark.workload import whole_box

Read = Callable[[Path], object]


@dataclass(frozen=True)
class Format:
    """A format. `write` writes so many samples into a folder, `read` reads a file, `arrays` gives the arrays of a
    sample, and `compressed` says whether the format compresses most of them."""

    name: str
    write: Callable[[Path, int], list[Path]]
    read: Read
    arrays: Callable[[int], tuple[np.ndarray, ...]]
    compressed: bool


def read_plain(dtypes: tuple[str, ...], sizes: tuple[int, ...], path: Path) -> list[np.ndarray]:
    """The arrays of a plain file, gzipped or not, from their types and bytes."""
    with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
        raw = file.read()
    arrays, start = [], 0
    for dtype, size in zip(dtypes, sizes, strict=True):
        arrays.append(np.frombuffer(raw[start : start + size], dtype).copy())
        start += size
    return arrays


def write_plain(folder: Path, form: Format, samples: int) -> tuple[list[Path], Read]:
    """Write the same samples as plain files; (paths, the function that reads one)."""
    folder.mkdir()
    paths = [folder / f"{i}.raw{'.gz' if form.compressed else ''}" for i in range(samples)]
    for i, path in enumerate(paths):
        raw = b"".join(a.tobytes() for a in form.arrays(i))
        path.write_bytes(gzip.compress(raw, files.GZIP_LEVEL) if form.compressed else raw)
    arrays = form.arrays(0)
    return paths, partial(read_plain, tuple(a.dtype.str for a in arrays), tuple(a.nbytes for a in arrays))


def seconds(run: Callable[[Read, list[Path]], object], read: Read, paths: list[Path]) -> float:
    """Seconds that reading all files takes."""
    start = time.perf_counter()
    run(read, paths)
    return time.perf_counter() - start


def read_all(read: Read, paths: list[Path]) -> int:
    """Read all files; their number."""
    for path in paths:
        read(path)
    return len(paths)


def read_in(pool, processes: int, read: Read, paths: list[Path]) -> None:
    """Read all files in several processes of a pool."""
    pool.map(partial(read_all, read), [paths[i::processes] for i in range(processes)], chunksize=1)


def compare(form: Format, samples: int, rounds: int) -> Iterator[str]:
    """Lines of text: the format's sizes, and its speed in one process and in two."""
    with tempfile.TemporaryDirectory() as folder, multiprocessing.get_context("spawn").Pool(2) as pool:
        paths = form.write(Path(folder), samples)
        plain = write_plain(Path(folder) / "plain", form, samples)
        size, raw = paths[0].stat().st_size / 2**20, sum(a.nbytes for a in form.arrays(0)) / 2**20
        yield f"{form.name}: a sample is {raw:.1f} MiB, its file {size:.1f} MiB"
        for processes, run in ((1, read_all), (2, partial(read_in, pool, 2))):
            pairs = [(seconds(run, form.read, paths), seconds(run, plain[1], plain[0])) for _ in range(rounds + 1)][1:]
            ours, theirs = (samples / statistics.median(column) for column in zip(*pairs, strict=True))
            ratio = statistics.median(p / o for o, p in pairs)
            yield f"  {processes} process(es): {ours:7.1f} samples/s, plain {theirs:7.1f} samples/s, ratio {ratio:.2f}"


full = cache(load_problem)  # a problem by name


def universe(sample: int) -> tuple[np.ndarray, np.ndarray]:
    """A synthetic universe of full size with one particle per voxel; later samples are the first, shifted."""
    x, y = first_universe()
    return np.roll(x, 8 * sample, axis=0), y


@cache
def first_universe() -> tuple[np.ndarray, np.ndarray]:
    """The first universe, made once."""
    mini = load_problem("cosmoflow-mini").universe
    return make_universe(replace(full("cosmoflow"), universe=replace(mini, density=(1.0, 1.0))), 0)


def write_universes(ending: str, folder: Path, samples: int) -> list[Path]:
    """Write universes in the format of a file name's ending."""
    paths = [folder / f"universe_{i}{ending}" for i in range(samples)]
    for i, path in enumerate(paths):
        files.write_sample(path, full("cosmoflow"), *universe(i))
    return paths


def read_universe(path: Path) -> tuple[np.ndarray, ...]:
    """A whole sample, read as the reference reads it."""
    return files.read_sample(path, full("cosmoflow"), whole_box(full("cosmoflow")))


def weather(sample: int) -> tuple[np.ndarray, np.ndarray]:
    """A full-size DeepCAM sample of noise: its format compresses nothing."""
    draw, problem = np.random.default_rng(sample), full("deepcam")
    shape = (problem.height, problem.width)
    return draw.random((*shape, 16), np.float32), draw.integers(0, 3, shape, np.uint8)


def write_weather(folder: Path, samples: int) -> list[Path]:
    """Write samples as published, with their stats.h5."""
    weather_files.write_stats(folder, np.zeros(16, np.float32), np.ones(16, np.float32))
    paths = [folder / "train" / f"data-{i:06d}.h5" for i in range(samples)]
    for i, path in enumerate(paths):
        weather_files.write_sample(path, full("deepcam"), *weather(i))
    return paths


def read_weather(path: Path) -> tuple[np.ndarray, ...]:
    """A whole sample, read as the reference reads it."""
    return weather_files.read_sample(path.parents[1], full("deepcam"), "train", int(path.stem.partition("-")[2]))


FORMATS = {
    "cosmoflow": [
        Format("CosmoFlow TFRecord", partial(write_universes, ".tfrecord.gz"), read_universe, universe, True),
        Format("CosmoFlow HDF5", partial(write_universes, ".h5"), read_universe, universe, True),
    ],
    "deepcam": [Format("DeepCAM HDF5", write_weather, read_weather, weather, False)],
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Samples a second of the loaders, against plain Python.")
    parser.add_argument("--workload", choices=FORMATS, nargs="*", default=list(FORMATS))
    parser.add_argument("--samples", type=int, default=8, help="files a round")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions")
    options = parser.parse_args()
    for workload in options.workload:
        for form in FORMATS[workload]:
            for line in compare(form, options.samples, options.rounds):
                print(line, flush=True)


if __name__ == "__main__":
    main()
