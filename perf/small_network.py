"""Compare a network with a small receptive field with the reference: validation Dice over processor seconds.

    python perf/small_network.py --problem smoke [--seconds 60] [--seed 1] [--rate 0.003] [reference's field=value ...]

The small network has four convolutions 3x3x3 of 16 channels with ReLU, no norm, no pooling, and a head 1x1x1. It
classifies a voxel from the 9^3 voxels around it. Loss, optimizer and batch are the reference's. Its learning rate is
constant after a warm-up, a moving average of its weights is evaluated, and it uses the precision that is faster for it.

Both train in one process with one thread and take turns by epochs: the one with fewer processor seconds goes next. It
ends when the reference has met the target and the small network has used as many seconds, or when both have used
`--seconds`. Evaluations count; making data, building and warming up do not.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch
from torch import Tensor, nn

from benchmark.memory import keep_freed_memory
from benchmark.problem import SPLITS, load_problem
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import make_sample
from implementations.pytorch.config import activation_type, resolve
from implementations.pytorch.layers.norm import fuse_norms
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.task import Config, Task
from implementations.pytorch.training.average import average_of
from implementations.pytorch.training.step import train_step, warm_up
from perf.settings import reference_settings

WIDTH, LAYERS = 16, 4
FIELD = 2 * LAYERS + 1
RATE = 3e-3  # learning rate of the small network
WARMUP, AVERAGE = 0.25, 1.2  # epochs of its warm-up and of its moving average
LAYOUT = Layout(1)
Data = dict[str, tuple[Tensor, Tensor]]


class Small(nn.Module):
    """(N, 1, D, H, W) -> (N, classes, D, H, W) logits, each from the FIELD^3 voxels around it."""

    def __init__(self, classes: int):
        super().__init__()
        layers, channels = [], 1
        for _ in range(LAYERS):
            layers += [nn.Conv3d(channels, WIDTH, 3, padding=1), nn.ReLU()]
            channels = WIDTH
        self.body, self.head = nn.Sequential(*layers), nn.Conv3d(WIDTH, classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


@dataclass(frozen=True)
class Epoch:
    """An epoch: validation Dice, and the network's processor seconds until then."""

    seconds: float
    dice: float


@dataclass
class Network:
    """A network that is trained on data in memory."""

    name: str
    task: Task
    model: nn.Module
    data: Data
    epochs: list[Epoch] = field(default_factory=list)
    steps: int = 0

    def __post_init__(self):
        self.optimizer = self.task.build_optimizer(self.model)
        self.average = average_of(self.model, self.task.config, self.task.problem.train_samples)
        warm_up(self.task, self.model, LAYOUT)

    def epoch(self) -> float:
        """Train an epoch and evaluate: validation Dice."""
        self.train()
        return self.evaluate()

    def train(self) -> None:
        """One pass over the training samples, in a fresh order."""
        volumes, labels = self.data["train"]
        batches = torch.randperm(len(volumes)).split(self.task.config.batch_size)
        self.model.train()
        for batch in batches:
            for group in self.optimizer.param_groups:
                group["lr"] = self.task.learning_rate(self.steps / len(batches))
            parts = [(1.0, (volumes[batch], labels[batch]))]
            train_step(self.task, self.model, self.optimizer, parts, LAYOUT)
            self.steps += 1
            if self.average:
                self.average.update(self.model)

    def evaluate(self) -> float:
        """Validation Dice of the average of the weights, if there is one."""
        size = self.task.config.eval_batch_size
        batches = zip(*(part.split(size) for part in self.data["validation"]), strict=True)
        with self.average.in_place_of(self.model) if self.average else contextlib.nullcontext():
            return self.task.evaluate(self.model.eval(), batches, LAYOUT).value


def make_data(problem: Problem, samples: int | None = None) -> Data:
    """Volumes and labels of each split, or of its first `samples`, uint8 (samples, D, H, W)."""
    data = {}
    for split in SPLITS:
        arrays = zip(*(make_sample(problem, sample) for sample in problem.split_samples(split)[:samples]), strict=True)
        data[split] = tuple(torch.stack([torch.from_numpy(a) for a in part]) for part in arrays)
    return data


def spent(side: Network) -> float:
    """The processor seconds of a side so far."""
    return side.epochs[-1].seconds if side.epochs else 0.0


def compete(
    reference: Network, small: Network, target: float, limit: float, clock: Callable[[], float] = time.process_time
) -> float | None:
    """Train both in turn; the processor seconds after which the reference met the target, None if it did not."""
    met = None
    while True:
        # The small network may use the limit, or the reference's seconds once that has met the target.
        waiting = [] if met is not None or spent(reference) >= limit else [reference]
        waiting += [small] if spent(small) < (limit if met is None else min(met, limit)) else []
        if not waiting:
            return met
        side = min(waiting, key=spent)
        start = clock()
        dice = side.epoch()
        side.epochs.append(Epoch(spent(side) + clock() - start, dice))
        print(f"  {side.name:14} epoch {len(side.epochs):3}  {spent(side):8.1f} s  {dice:.4f}", flush=True)
        if side is reference and dice >= target:
            met = spent(side)


def by_then(side: Network, seconds: float) -> float:
    """The best Dice of a side within so many processor seconds, 0 without an epoch."""
    return max((e.dice for e in side.epochs if e.seconds <= seconds), default=0.0)


def summary(reference: Network, small: Network, target: float, met: float | None) -> list[str]:
    """The result in two lines."""
    best = max(e.dice for e in small.epochs)
    if met is None:
        end = min(spent(reference), spent(small))
        first = (
            f"{reference.name} had {by_then(reference, end):.4f} after {end:.1f} processor seconds, target {target:g}"
        )
    else:
        end, first = met, f"{reference.name} reached {target:g} after {met:.1f} processor seconds"
    return [first, f"{small.name} had {by_then(small, end):.4f} by then, {best:.4f} after {spent(small):.1f}"]


def build_small(problem: Problem, config: Config, data: Data, rate: float) -> Network:
    """The small network, in the precision in which its step is faster."""
    rates = {"learning_rate": rate, "end_learning_rate": rate, "warmup_epochs": WARMUP, "average_epochs": AVERAGE}

    def build(precision: str) -> Network:
        model = Small(problem.classes).to(memory_format=torch.channels_last_3d)
        task = Task(problem, replace(config, **rates, precision=precision))
        return Network(f"small {precision}", task, model, data)

    return min((build(precision) for precision in ("float32", "bfloat16")), key=step_seconds)


def step_seconds(network: Network, steps: int = 3) -> float:
    """The least processor seconds of a few forward and backward passes; weights do not change."""
    seconds, size = [], network.task.config.batch_size
    for _ in range(steps):
        start = time.process_time()
        network.task.loss(network.model, tuple(part[:size] for part in network.data["train"]), LAYOUT).backward()
        network.model.zero_grad(set_to_none=True)
        seconds.append(time.process_time() - start)
    return min(seconds)


def build_reference(problem: Problem, config: Config, data: Data) -> Network:
    """The reference's network with its settings."""
    task = Task(problem, config)
    model = task.build_model()
    if config.compile:
        fuse_norms(model, activation_type(config))
    return Network("reference", task, model, data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", default="smoke")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="processor seconds of each, at most")
    parser.add_argument("--samples", type=int, help="of each split, at most: its first")
    parser.add_argument("--seed", type=int, help="seed of weights and order (default: a fresh one)")
    parser.add_argument("--rate", type=float, default=RATE, help="learning rate of the small network")
    parser.add_argument("settings", nargs="*", metavar="field=value", help="settings of the reference, as for train.py")
    options = parser.parse_args()
    problem = load_problem(options.problem)
    config = reference_settings(options.problem, [*options.settings, "threads=1", "device=cpu"])
    config = resolve(config, 1, 1)
    torch.set_num_threads(config.threads)
    keep_freed_memory()
    seed = torch.seed() if options.seed is None else torch.manual_seed(options.seed).initial_seed()
    data = make_data(problem, options.samples)
    reference = build_reference(problem, config, data)
    small = build_small(problem, config, data, options.rate)
    print(
        f"{options.problem}: seed {seed}, one thread, reference {config.precision}, {small.name}, rate {options.rate:g}"
    )
    met = compete(reference, small, problem.target, options.seconds)
    print(*summary(reference, small, problem.target, met), sep="\n")


if __name__ == "__main__":
    main()
