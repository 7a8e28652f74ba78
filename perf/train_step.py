"""Measure a training step and an evaluation step by phase, and the share of time outside of the network.

    python perf/train_step.py [--problem smoke --problem scale6] [--steps 5] [--batch 4] [field=value ...]

Loading, copies, loss and logging are outside. A few samples of the problem are generated in a temporary folder. "from
files" reads and hashes them as the first epoch does, "from memory" reads them as later epochs do.
"""

import argparse
import contextlib
import dataclasses
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch

from benchmark.memory import keep_freed_memory
from benchmark.problem import load_problem
from benchmark.run.keys import TRACKED_STATS
from benchmark.run.log import RunLog
from benchmark.run.reader import Reader
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.store import sample_path
from benchmark.scaffold.volume import make_sample
from benchmark.scaffold.writing import write_sample
from benchmark.workload import whole_box
from implementations.pytorch.config import activation_type, resolve
from implementations.pytorch.input.prefetch import device_batches
from implementations.pytorch.layers.norm import fuse_norms
from implementations.pytorch.scaffold.evaluate import confusion_counts
from implementations.pytorch.scaffold.loss import loss_from_sums, loss_sums
from implementations.pytorch.scaffold.model import build_model, to_input
from implementations.pytorch.scaffold.task import Config, Task
from implementations.pytorch.training.step import autocast, ieee_float32
from perf.settings import reference_settings

OUTSIDE = ("load", "copy", "loss", "count", "log")


class FirstReader(Reader):
    """A reader that reads and verifies every sample each time, as in the first epoch."""

    def arguments(self, split: str, sample: int) -> tuple:
        return *super().arguments(split, sample)[:-1], None


class Stopwatch:
    """Seconds by phase of several steps. Call `lap` after each phase and `step` after each step."""

    def __init__(self, device: str):
        self.device, self.steps, self.current = device, [], {}
        self.last = time.perf_counter()

    def lap(self, phase: str) -> None:
        """Count the time since the last lap for `phase`."""
        if self.device == "cuda":
            torch.cuda.synchronize()
        now = time.perf_counter()
        self.current[phase] = self.current.get(phase, 0.0) + now - self.last
        self.last = now

    def step(self) -> None:
        """End a step."""
        self.steps.append(self.current)
        self.current, self.last = {}, time.perf_counter()

    def medians(self) -> dict[str, float]:
        """{phase: median seconds}, without the first step, which warms up."""
        return {phase: statistics.median(s[phase] for s in self.steps[1:]) for phase in self.steps[0]}


def forward(model, batches, config: Config, watch: Stopwatch) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """(logits, label) of each batch, with laps for load, copy and forward."""
    for batch in batches:
        watch.lap("load")
        volume, label = batch.tensors
        x = to_input(volume)
        watch.lap("copy")
        with autocast(config):
            logits = model(x)
        watch.lap("forward")
        yield logits, label


def training(model, optimizer, batches, weight, config: Config, log: RunLog) -> dict[str, float]:
    """{phase: median seconds} of training steps. The loss's part of the backward pass counts as loss."""
    watch = Stopwatch(config.device)
    for logits, label in forward(model, batches, config, watch):
        leaf = logits.detach().requires_grad_()
        loss = loss_from_sums(loss_sums(leaf, label, weight))
        loss.backward()
        watch.lap("loss")
        optimizer.zero_grad(set_to_none=True)
        logits.backward(leaf.grad)
        watch.lap("backward")
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.gradient_clip)
        optimizer.step()
        watch.lap("optimizer")
        log.event(TRACKED_STATS, {"loss": loss.item()}, epoch_num=1)  # a run logs only once per epoch
        watch.lap("log")
        watch.step()
    return watch.medians()


@torch.inference_mode()
def evaluation(model, batches, config: Config) -> dict[str, float]:
    """{phase: median seconds} of evaluation steps."""
    watch = Stopwatch(config.device)
    for logits, label in forward(model, batches, config, watch):
        confusion_counts(logits, label)
        watch.lap("count")
        watch.step()
    return watch.medians()


def report(name: str, medians: dict[str, float]) -> None:
    """Print a line: total seconds, share outside, milliseconds of each phase."""
    total = sum(medians.values())
    outside = sum(medians.get(phase, 0.0) for phase in OUTSIDE) / total
    phases = "  ".join(f"{phase} {1000 * seconds:.1f}" for phase, seconds in medians.items())
    print(f"  {name:24} {total:8.3f} s   outside {outside:6.1%}   ms: {phases}", flush=True)


def readers(problem: Problem, config: Config, folder: Path) -> list[Reader]:
    """Make a batch of samples. Return its readers: for training from files and from memory, and for an evaluation.
    Readers fork."""
    for sample in range(config.batch_size):
        path = sample_path(folder, "train", sample)
        write_sample(path, problem, "train", sample, *make_sample(problem, sample))
    data, ahead = (folder, problem, whole_box(problem)), (config.prefetch, config.cache_gib)
    first = FirstReader(*data, config.workers, config.prefetch, cache_gib=0)
    return [first, Reader(*data, config.workers, *ahead), Reader(*data, 0, *ahead)]


def measure(problem: Problem, config: Config, steps: int, folder: Path, sources: list[Reader]) -> None:
    """Measure and print the steps of one problem."""
    torch.set_num_threads(config.threads)
    size = config.batch_size
    device = torch.device(config.device)
    model = build_model(problem).to(device)
    if device.type == "cpu":
        keep_freed_memory()
    else:
        ieee_float32()
    if config.compile:
        fuse_norms(model, activation_type(config))
    task = Task(problem, config)
    weight, optimizer = task.weight, task.build_optimizer(model)
    print(f"{problem.name}: {problem.side}^3, width {problem.width}, batch {size}, {config.precision}, {config.device}")
    log, plan = RunLog(folder / "log.txt"), [list(range(size))] * (steps + 1)
    log.start("run")
    files, memory, reader_of_evaluation = sources
    list(memory.batches("train", plan[:1]))
    for name, reader in (("train, from files", files), ("train, from memory", memory)):
        batches = device_batches(reader, "train", plan, device)
        report(name, training(model, optimizer, batches, weight, config, log))
        reader.close()
    batches = device_batches(reader_of_evaluation, "train", plan, device)
    report("evaluate, from memory", evaluation(model.eval(), batches, config))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", action="append", help="default: smoke and scale6")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--batch", type=int, help="samples a step (default: the problem's config)")
    parser.add_argument("settings", nargs="*", metavar="field=value")
    options = parser.parse_args()
    print(f"torch {torch.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with contextlib.ExitStack() as stack:
        ready = []
        for name in options.problem or ("smoke", "scale6"):
            config = resolve(reference_settings(name, options.settings), len(os.sched_getaffinity(0)), 1)
            config = dataclasses.replace(config, batch_size=options.batch or config.batch_size)
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            problem = load_problem(name)
            ready.append((problem, config, folder, readers(problem, config, folder)))  # before anything is on a GPU
        for problem, config, folder, sources in ready:
            measure(problem, config, options.steps, folder, sources)


if __name__ == "__main__":
    main()
