"""This machine as a system: rates that are measured in a minute, and a training step of one rank on it."""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import yaml

from benchmark.memory import keep_freed_memory
from implementations.pytorch.config import RunConfig, activation_type
from implementations.pytorch.layers.norm import fuse_norms
from implementations.pytorch.measuring.peak import SIDES
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import build_task
from implementations.pytorch.training.step import blank_batch, train_step
from perf.projection.machine import ByPrecision, Storage, System, Wire

ROOT = Path(__file__).resolve().parents[2]
LINE = 64  # bytes of a cache line
SIZE = 1 << 27  # bytes that are copied, and read from a file


def clock(device: str) -> float:
    """The time in seconds when the device has finished its work. Where one thread computes on a CPU it is the
    processor's time, so that other programs do not count."""
    if device == "cuda":
        torch.cuda.synchronize()
    return time.process_time() if device == "cpu" and torch.get_num_threads() == 1 else time.perf_counter()


def seconds(run: Callable[[], object], device: str, times: int) -> list[float]:
    """The seconds of so many calls."""
    took = []
    for _ in range(times):
        start = clock(device)
        run()
        took.append(clock(device) - start)
    return took


def here(device: str, folder: Path, threads: int) -> System:
    """This machine, with a rank of so many threads: the best of a matrix product, a copy, a file read from its disk in
    `folder`, and messages between two processes."""
    torch.set_num_threads(threads)
    keep_freed_memory()
    peaks = {}
    for precision in ("float32", "bfloat16"):
        a, b = torch.randn(2, SIDES[device], SIDES[device], device=device).to(getattr(torch, precision))
        peaks[precision] = 2 * SIDES[device] ** 3 / min(seconds(partial(torch.matmul, a, b), device, 5)) / 1e12
    source, target = torch.zeros(2, SIZE, dtype=torch.uint8, device=device)
    copied = 2 * SIZE / min(seconds(lambda: target.copy_(source), device, 5)) / 1e9
    read, link = reading(folder) / 1e9, interconnect()
    memory = (
        torch.cuda.mem_get_info()[1] if device == "cuda" else os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    )
    ranks = torch.cuda.device_count() if device == "cuda" else max(1, (os.cpu_count() or 1) // threads)
    return System(
        source=f"measured: {name_of(device)}, a rank has {threads} thread{'s' * (threads > 1)}",
        ranks_per_node=ranks,
        memory_gib=memory / 2**30 / (1 if device == "cuda" else ranks),
        reserve_gib=0,
        peak_tflops=ByPrecision(**peaks),
        reached=ByPrecision(1, 1),
        memory_gb_per_second=copied,
        memory_reached=1,
        optimizer_reached=1,
        operation_microseconds=5,
        link=link,
        network=link,
        storage=Storage(read, read),
    )


def name_of(device: str) -> str:
    """The name of the processor or of the GPU."""
    if device == "cuda":
        return torch.cuda.get_device_name()
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((text.partition(": ")[2] for text in lines if text.startswith("model name")), "a processor")


def reading(folder: Path) -> float:
    """The bytes/s at which a file is read that is not in the page cache."""
    with tempfile.TemporaryFile(dir=folder) as file:
        block = os.urandom(1 << 20)
        for _ in range(SIZE >> 20):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(0)
        start = time.perf_counter()
        while file.read(1 << 20):
            pass
        return SIZE / (time.perf_counter() - start)


def interconnect() -> Wire:
    """The connection between two processes, by perf/interconnect.py: of two GPUs, where there are as many."""
    environment = {**os.environ, **({"CUDA_VISIBLE_DEVICES": ""} if torch.cuda.device_count() < 2 else {})}
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--")
    command = (sys.executable, *torchrun, "perf/interconnect.py", "--times", "10")
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return Wire(**yaml.safe_load(done.stdout.splitlines()[-1]))


def measure(problem: Any, config: RunConfig, steps: int) -> tuple[float, int | None]:
    """The median seconds of a training step of one rank on samples of zeros, and the bytes of its memory traffic by
    hardware counters; None where they cannot be read."""
    torch.set_num_threads(config.threads)
    torch.manual_seed(1)
    task, layout = build_task(problem, config), Layout(1)
    model = task.build_model().to(config.device).train()
    if config.compile:
        fuse_norms(model, activation_type(config))
    optimizer = task.build_optimizer(model)
    parts = [(1 / config.accumulate, blank_batch(task, layout, config.batch_size // config.accumulate))]

    def step() -> None:
        train_step(task, model, optimizer, parts * config.accumulate, layout)

    step()
    counters, took = Counters(), seconds(step, config.device, steps)
    counted = counters.stop()
    return statistics.median(took), counted and counted // steps


class Counters:
    """Counts this process's misses of the last cache by `perf stat`, from now on."""

    def __init__(self) -> None:
        command = ("perf", "stat", "-x", ",", "-e", "cache-misses", "-p", str(os.getpid()))
        try:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(0.5)  # until it counts
        except OSError:
            self.process = None

    def stop(self) -> int | None:
        """The bytes of lines that the cache missed; None where the processor, or the system, does not tell."""
        if not self.process:
            return None
        self.process.send_signal(signal.SIGINT)
        return missed(self.process.communicate()[1])


def missed(said: str) -> int | None:
    """The bytes in what `perf stat -x ,` says: 1234,,cache-misses:u,...; None where it has no number."""
    for text in said.splitlines():
        number, *rest = text.split(",")
        if number.isdigit() and any("cache-misses" in word for word in rest):
            return LINE * int(number)
    return None
