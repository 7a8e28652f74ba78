"""Efficiency of 2 ranks that share a volume, on 2 cores, against 1 rank on 1 core; and where the rest went.

    python perf/spatial.py [--scale 5 --scale 6] [--repeats 5] [field=value ...]

Every rank is a process with one thread on a core of its own, in the precision that train.py would choose. Efficiency is
seconds of a step on 1 rank / (2 x seconds on 2 ranks, layout 1,2,1,1). The ideal is half of 1 rank's seconds; above it
come, one after another:
  both cores     what half a volume takes a rank without any communication, while the other core does the same:
                 shared memory bandwidth, and smaller boxes
  halo copies    boxes copied into padded ones, and gradients of halos added back
  halo messages, norm sums    in a second measurement in which ranks meet before each: without waiting
  gradients      the average of as many numbers as there are weights, alone; on a CPU nothing hides it
  waiting        for the other rank, wherever they meet, and all else
"""

import argparse
import multiprocessing
import os
import queue
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch
import torch.distributed as dist

from benchmark.launch import Launch
from benchmark.memory import keep_freed_memory
from implementations.pytorch.config import activation_type, resolve
from implementations.pytorch.layers.blocks import parameter_count
from implementations.pytorch.layers.norm import fuse_norms
from implementations.pytorch.parallel import halo
from implementations.pytorch.parallel.layout import Layout, init_process_group
from implementations.pytorch.scaffold.task import Task
from implementations.pytorch.training.step import train_step
from perf.settings import problem_at, reference_settings

ALONE, PAIR, SPLIT, WATCHED = "1 rank", "both cores", "2 ranks", "2 ranks, watched"


class Watch:
    """Seconds by kind of communication."""

    def __init__(self):
        self.seconds = Counter()

    def wrap(self, owner: object, name: str, kind: str, meet: bool) -> None:
        """Count the seconds of a function, and (meet) of waiting for the other rank before it."""
        function = getattr(owner, name)

        def timed(*args):
            start = time.perf_counter()
            if meet:
                dist.barrier()
                self.seconds[f"waiting for {kind}"] += time.perf_counter() - start
                start = time.perf_counter()
            result = function(*args)
            self.seconds[kind] += time.perf_counter() - start
            return result

        setattr(owner, name, timed)


def watched() -> Watch:
    """Halo, norm and loss report to the watch that is returned. Times of `pad` and `halo_backward` include `swap`'s."""
    watch = Watch()
    watch.wrap(halo, "swap", "messages", meet=True)
    watch.wrap(halo, "pad", "halo", meet=False)
    watch.wrap(halo, "halo_backward", "halo", meet=False)
    watch.wrap(Layout, "add_over_volume", "norm sums", meet=True)
    return watch


def average_seconds(model: torch.nn.Module) -> float:
    """Of the average over the ranks of as many numbers as a model has weights."""
    numbers = torch.zeros(parameter_count(model))
    dist.barrier()
    start = time.perf_counter()
    dist.all_reduce(numbers)
    numbers /= 2
    return time.perf_counter() - start


def rank(
    mode: str, number: int, scale: int, settings: Sequence[str], repeats: int, port: int, results: Callable
) -> None:
    """A rank's process: seconds of its steps, and by kind."""
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[number]})
    torch.set_num_threads(1)
    torch.manual_seed(0)
    keep_freed_memory()
    ranks = 1 if mode in (ALONE, PAIR) else 2
    config = resolve(reference_settings("scale6", [*settings, "device=cpu"]), 1, 1)
    problem = problem_at(scale)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    layout = Layout(1, number, 2) if ranks == 2 else Layout(1)
    if ranks == 2:
        layout = init_process_group(layout, Launch(number, 2, number, 2, "perf"), torch.device("cpu"), 60.0)
    task = Task(problem, config)
    model = task.build_model()
    if config.compile:
        fuse_norms(model, activation_type(config))
    wrapped = task.parallelize(model, layout)
    optimizer = task.build_optimizer(model)
    shape = layout.box(problem.shape).shape if mode != PAIR else (problem.side // 2, problem.side, problem.side)
    volume = torch.randint(0, 256, (1, *shape), dtype=torch.uint8)
    label = torch.randint(0, problem.classes, (1, *shape), dtype=torch.uint8)
    watch = watched() if mode == WATCHED else None
    times = []
    for _ in range(repeats + 2):
        if watch:
            watch.seconds.clear()
        if ranks == 2:
            dist.barrier()
        start = time.perf_counter()
        train_step(task, wrapped, optimizer, [(1.0, (volume, label))], layout)
        took = time.perf_counter() - start
        if watch:
            watch.seconds["gradients"] = average_seconds(model)
        times.append((took, dict(watch.seconds) if watch else {}))
    results.put(times[2:])
    results.close()
    results.join_thread()
    os._exit(0)


def gathered(results: multiprocessing.Queue, processes: Sequence[BaseProcess]) -> list:
    """What each process has put. Raises RuntimeError, and ends the others, once one of them has failed."""
    found = []
    while len(found) < len(processes):
        try:
            found.append(results.get(timeout=0.5))
        except queue.Empty:
            if any(process.exitcode for process in processes):
                for process in processes:
                    process.kill()
                raise RuntimeError("a rank failed; what it said is above") from None
    return found


def run(mode: str, scale: int, settings: Sequence[str], repeats: int) -> list[tuple[float, dict[str, float]]]:
    """The steps of a mode: those of the slower rank of each step."""
    context = multiprocessing.get_context("spawn")
    results, port = context.Queue(), 29000 + os.getpid() % 1000
    numbers = range(1 if mode == ALONE else 2)
    processes = [context.Process(target=rank, args=(mode, n, scale, settings, repeats, port, results)) for n in numbers]
    for process in processes:
        process.start()
    steps = gathered(results, processes)
    for process in processes:
        process.join()
    slower = [max(step, key=lambda s: s[0]) for step in zip(*steps, strict=True)]
    print(f"  {mode:18} {statistics.median(s for s, _ in slower):8.3f} s", flush=True)
    return slower


def report(scale: int, settings: Sequence[str], repeats: int) -> None:
    """Measure and print one scale."""
    found = {mode: run(mode, scale, settings, repeats) for mode in (ALONE, PAIR, SPLIT, WATCHED)}
    one, pair, two, watched_step = (statistics.median(s for s, _ in found[mode]) for mode in found)
    kinds = {k: statistics.median(c[k] for _, c in found[WATCHED]) for k in found[WATCHED][0][1]}
    print(f"scale {scale}: 1 rank {one:.3f} s, 2 ranks {two:.3f} s, efficiency {one / two / 2:.1%}")
    ideal = one / 2
    lines = {
        "ideal": ideal,
        "both cores": pair - ideal,
        "halo copies": kinds["halo"] - kinds["messages"] - kinds["waiting for messages"],
        "halo messages": kinds["messages"],
        "norm sums": kinds["norm sums"],
        "gradients": kinds["gradients"],
    }
    lines["waiting, all else"] = two - sum(lines.values())
    for name, seconds in lines.items():
        print(f"  {name:20} {1000 * seconds:8.1f} ms   {seconds / two:6.1%} of the step")
    waiting = sum(value for kind, value in kinds.items() if kind.startswith("waiting"))
    print(f"  (watched: {watched_step:.3f} s a step, of them waiting at messages {1000 * waiting:.1f} ms)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, action="append", help="default: 5 and 6")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("settings", nargs="*", metavar="field=value")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        sys.exit(f"spatial.py: found {cores} core, wanted 2: each rank has one of its own")
    print(f"torch {torch.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for scale in options.scale or (5, 6):
        report(scale, options.settings, options.repeats)


if __name__ == "__main__":
    main()
