"""Measure the overhead of the layout 1,1,1,1 over the plain model without layout; at most 1 % is wanted.

    python perf/layout.py [--scale 5] [--repeats 15] [field=value ...]

Both train copies of one network on the same voxels with one thread, and take turns. "layout" goes through the task,
`parallelize` and `train_step`, as train.py does; "plain" is a loop in this file. Printed are the median of the ratios
of neighbouring steps, and the interval that holds half of them.
"""

import argparse
import copy
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch
from torch import nn

from benchmark.memory import keep_freed_memory
from implementations.pytorch.config import activation_type, resolve
from implementations.pytorch.layers.norm import fuse_norms
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.loss import loss_from_sums, loss_sums
from implementations.pytorch.scaffold.model import to_input
from implementations.pytorch.scaffold.task import Task
from implementations.pytorch.training.step import autocast, train_step
from perf.settings import problem_at, reference_settings


def seconds(step: Callable[[], object]) -> float:
    """The seconds of one step."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("settings", nargs="*", metavar="field=value")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    keep_freed_memory()
    config = resolve(reference_settings("scale6", options.settings), 1, 1)
    problem = problem_at(options.scale)
    task, layout = Task(problem, config), Layout(1)
    model = task.build_model()
    if config.compile:
        fuse_norms(model, activation_type(config))
    plain = copy.deepcopy(model)
    wrapped = task.parallelize(model, layout)
    optimizer, adam = (task.build_optimizer(m) for m in (model, plain))
    volume, label = (torch.randint(0, n, (1, *problem.shape), dtype=torch.uint8) for n in (256, problem.classes))

    def with_layout() -> None:
        train_step(task, wrapped, optimizer, [(1.0, (volume, label))], layout)

    def without() -> None:
        with autocast(config):
            logits = plain(to_input(volume))
        adam.zero_grad(set_to_none=True)
        loss_from_sums(loss_sums(logits, label, task.weight)).backward()
        nn.utils.clip_grad_norm_(plain.parameters(), config.gradient_clip)
        adam.step()

    for step in (with_layout, without, with_layout, without):
        step()
    pairs = [(seconds(without), seconds(with_layout)) for _ in range(options.repeats)]
    ratios = [b / a for a, b in pairs]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"torch {torch.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"scale {options.scale}, width {problem.width}, {config.precision}, one thread, {options.repeats} steps each")
    for name, times in zip(("plain", "layout"), zip(*pairs, strict=True), strict=True):
        print(f"  {name:7} {statistics.median(times):.3f} s")
    print(f"  overhead {middle - 1:+.2%} (half of the steps between {low - 1:+.2%} and {high - 1:+.2%})")
    if not all(torch.equal(a, b) for a, b in zip(model.parameters(), plain.parameters(), strict=True)):
        raise RuntimeError("the two have trained different weights")


if __name__ == "__main__":
    main()
