"""DeepCAM's network at full size: `python perf/deepcam.py [--samples 1] [--steps 2] [field=value ...]`.

The command runs training steps of the published network on samples of 768 x 1152 pixels of noise, or of the twin with
`--problem deepcam-mini`. For each step it prints the seconds forward, backward and in the optimizer, and the peak
memory of the process or the GPU.
"""

import argparse
import os
import sys
import time
from itertools import pairwise
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch

from benchmark.problem import load_problem
from implementations.pytorch.config import resolve
from implementations.pytorch.deepcam.task import Task
from implementations.pytorch.layers.blocks import parameter_count
from implementations.pytorch.measuring.throughput import peak_memory
from implementations.pytorch.parallel.layout import Layout
from perf.settings import reference_settings


def batch_of(samples: int, task: Task) -> tuple[torch.Tensor, ...]:
    """A batch of noise as the reader gives it: data (N, H, W, 16), limits (N, 2, 16), labels (N, H, W)."""
    h, w = task.problem.height, task.problem.width
    limits = torch.tensor([[0.0] * 16, [1.0] * 16]).expand(samples, 2, 16)
    batch = (torch.rand(samples, h, w, 16), limits, torch.randint(3, (samples, h, w), dtype=torch.uint8))
    return tuple(x.to(task.config.device) for x in batch)


def clock(device: str) -> float:
    """The time in seconds after the device has finished its work."""
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description="Seconds and memory of DeepCAM's training steps at full size.")
    parser.add_argument("--problem", default="deepcam", choices=("deepcam", "deepcam-mini"))
    parser.add_argument("--samples", type=int, default=1, help="samples of a batch")
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("settings", nargs="*", metavar="field=value", help="as train.py's")
    options = parser.parse_args()
    config = reference_settings(options.problem, options.settings)
    config = resolve(config, os.cpu_count() or 1, 1)
    torch.set_num_threads(config.threads)
    torch.manual_seed(1)
    task = Task(load_problem(options.problem), config)
    model = task.build_model().to(config.device).train()
    optimizer, batch = task.build_optimizer(model), batch_of(options.samples, task)
    tensors = len(list(model.parameters()))
    print(f"{parameter_count(model)} parameters in {tensors} tensors; {config.device}, {config.precision}")
    for step in range(options.steps):
        times, cpu = [clock(config.device)], time.process_time()
        loss = task.loss(model, batch, Layout(1))
        times.append(clock(config.device))
        loss.backward()
        times.append(clock(config.device))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        times.append(clock(config.device))
        forward, backward, update = (b - a for a, b in pairwise(times))
        gib = peak_memory(config.device) / 2**30
        print(
            f"step {step + 1}: loss {loss.item():.4f}; forward {forward:.2f} s, backward {backward:.2f} s, "
            f"optimizer {update:.2f} s, processor {time.process_time() - cpu:.2f} s; {gib:.2f} GiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
