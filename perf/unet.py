"""Compare the seconds of a training step of the reference with a plain textbook version of the same network.

    python perf/unet.py [--scale 5 --scale 6] [--precision float32 --precision bfloat16] [--repeats 5] [--batch 1]
    python perf/unet.py --device cuda --precision bfloat16 --scale 7 --scale 8 [--side "kernels searched"]

The textbook version is in this file: contiguous memory, eager nn.GroupNorm and nn.ReLU, concatenated skips, a loss of
one-hot tensors, and PyTorch's default Adam. Each side is a process of its own with one thread, with the same weights
and voxels. On a CPU the sides take turns, one step each, and the ratio is the median of the ratios of neighbouring
steps. On a GPU they run one after the other, since two may not fit, and the ratio is that of medians; float32 is IEEE
on all sides. Gradients must agree with the textbook's in float32: to 0.1 % in float32, and in bfloat16 to 1.25 times
the textbook's own difference.

Sides: "reference" is what train.py runs. These are the reference with one change: "eager" without compiled kernels,
"norms again" with recompute_norms, "blocks again" with recompute, "split" with join=split, "kernels searched" with
cudnn.benchmark. "textbook, memory kept" is the textbook
version with the reference's malloc setting. "keeps" is the memory that the forward pass leaves for the backward pass,
without weights; "peak" is the largest resident size of the process, or on a GPU the most that steps allocated.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from benchmark.memory import keep_freed_memory
from implementations.pytorch.config import cpu_has_bfloat16
from implementations.pytorch.layers.blocks import recompute_blocks
from implementations.pytorch.layers.norm import fuse_norms
from implementations.pytorch.measuring.peak import product_seconds
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.loss import SMOOTH
from implementations.pytorch.scaffold.model import GROUPS, to_input
from implementations.pytorch.scaffold.task import Config, Task
from implementations.pytorch.training.step import ieee_float32, train_step
from perf.projection.op_costs import OpCosts
from perf.settings import problem_at

CLASSES, WIDTH, LEVELS = 6, 64, 3
REFERENCE, EAGER, TEXTBOOK, KEPT = "reference", "eager", "textbook", "textbook, memory kept"
SPLIT, SEARCHED = "split", "kernels searched"
AGAIN = {"norms again": "norms", "blocks again": "block"}
WIDE = "textbook in float32"
OURS = (REFERENCE, EAGER, SPLIT, SEARCHED, *AGAIN)
SIDES = (*OURS, TEXTBOOK, KEPT)
# Allowed relative difference in float32, which is 2e-3 at scale 4 on a processor without AVX-512; in bfloat16, times
# the textbook's own.
CLOSE, WORSE = 4e-3, 1.25


class Textbook(nn.Module):
    """The U-Net in its plainest form: (N, 1, D, H, W) -> (N, classes, D, H, W). Parameters are in the order of
    `UNet`."""

    def __init__(self, classes: int, width: int, levels: int):
        super().__init__()
        widths = [width << level for level in range(levels + 1)]
        self.down = nn.ModuleList(double(a, b) for a, b in zip([1, *widths[:-2]], widths[:-1], strict=True))
        self.bottom = double(widths[-2], widths[-1])
        self.rise = nn.ModuleList(nn.ConvTranspose3d(2 * w, w, 2, stride=2) for w in reversed(widths[:-1]))
        self.up = nn.ModuleList(double(2 * w, w) for w in reversed(widths[:-1]))
        self.head = nn.Conv3d(width, classes, 1)
        self.pool = nn.MaxPool3d(2)

    def forward(self, x: Tensor) -> Tensor:
        skips = []
        for down in self.down:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottom(x)
        for rise, up in zip(self.rise, self.up, strict=True):
            x = up(torch.cat([skips.pop(), rise(x)], dim=1))
        return self.head(x)


def double(a: int, b: int) -> nn.Sequential:
    """(conv 3x3x3, GroupNorm, ReLU) twice."""
    layers = [
        nn.Conv3d(a, b, 3, padding=1, bias=False), nn.GroupNorm(GROUPS, b), nn.ReLU(inplace=True),
        nn.Conv3d(b, b, 3, padding=1, bias=False), nn.GroupNorm(GROUPS, b), nn.ReLU(inplace=True),
    ]  # fmt: skip
    return nn.Sequential(*layers)


def textbook_loss(logits: Tensor, label: Tensor, weight: Tensor) -> Tensor:
    """Weighted cross-entropy + 1 - mean soft Dice of the foreground."""
    label = label.long()
    true = F.one_hot(label, logits.shape[1]).movedim(-1, 1).float()  # (N, C, D, H, W)
    p = F.softmax(logits, dim=1)
    axes = (0, 2, 3, 4)
    dice = (2 * (p * true).sum(axes) + SMOOTH) / (p.sum(axes) + true.sum(axes) + SMOOTH)
    return F.cross_entropy(logits, label, weight) + 1 - dice[1:].mean()


@dataclass(frozen=True)
class Setting:
    """The problem's size and the way of computing that are measured."""

    scale: int
    precision: str
    batch: int
    device: str

    def arguments(self) -> list[str]:
        return [f"--{name}={getattr(self, name)}" for name in ("scale", "precision", "batch", "device")]


def build(side: str, setting: Setting) -> tuple[nn.Module, Callable[[], Tensor], Callable[[], object]]:
    """(model, function that computes the loss, function that makes a step) of a side."""
    torch.manual_seed(0)
    device, shape = torch.device(setting.device), (setting.batch, *(1 << setting.scale,) * 3)
    problem = problem_at(setting.scale)
    join = "split" if side == SPLIT else "auto"
    task = Task(problem, Config(device=device.type, precision=setting.precision, join=join))
    model = task.build_model().to(device)
    volume = torch.randint(0, 256, shape, dtype=torch.uint8).to(device)
    label = torch.randint(0, problem.classes, shape, dtype=torch.uint8).to(device)
    if side in OURS:
        recompute_blocks(model, AGAIN.get(side, ""))
        batch, layout, optimizer = (volume, label), Layout(1), task.build_optimizer(model)
        return (
            model,
            lambda: task.loss(model, batch, layout),
            lambda: train_step(task, model, optimizer, [(1.0, batch)], layout),
        )

    book = Textbook(problem.classes, problem.width, LEVELS).to(device)
    for mine, theirs in zip(book.parameters(), model.parameters(), strict=True):
        mine.data.copy_(theirs.data)
    adam = torch.optim.Adam(book.parameters(), lr=task.config.learning_rate)

    def loss() -> Tensor:
        with torch.autocast(device.type, torch.bfloat16, enabled=setting.precision == "bfloat16"):
            return textbook_loss(book(to_input(volume)), label, task.weight)

    def step() -> None:
        adam.zero_grad()
        loss().backward()
        nn.utils.clip_grad_norm_(book.parameters(), task.config.gradient_clip)
        adam.step()

    return book, loss, step


def work(side: str, setting: Setting, results: Path) -> None:
    """Run a side's process: save loss and gradients to `results`, then make a step for each line on stdin."""
    torch.set_num_threads(1)
    ieee_float32()
    torch.backends.cudnn.benchmark = side == SEARCHED
    cuda = setting.device == "cuda"
    if side != TEXTBOOK and not cuda:
        keep_freed_memory()
    model, loss, step = build(side, setting)
    with OpCosts() as costs:
        first = loss()
        kept = costs.live
    first.backward()
    gradients = torch.cat([p.grad.flatten().float().cpu() for p in model.parameters()])
    if side in OURS and side != EAGER:
        fuse_norms(model, getattr(torch, setting.precision))
    torch.save({"loss": first.item(), "gradients": gradients, "kept": kept}, results)
    print("ready", flush=True)
    for number, _ in enumerate(sys.stdin):
        if not number:
            step()  # to warm up
            if cuda:
                torch.cuda.synchronize()
                torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter()
        step()
        if cuda:
            torch.cuda.synchronize()
        took = time.perf_counter() - start
        peak = torch.cuda.max_memory_allocated() if cuda else 1024 * getrusage(RUSAGE_SELF).ru_maxrss
        print(took, peak, flush=True)


class Worker:
    """The handle of a side's process."""

    def __init__(self, side: str, setting: Setting, folder: Path):
        self.results = folder / f"{side} {setting.precision}.pt"
        command = [sys.executable, __file__, f"--work={side}", f"--results={self.results}", *setting.arguments()]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the process of {side} failed")
        self.seconds, self.peak = [], 0

    def step(self) -> None:
        """Have the process make one step, which it times itself."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        took, peak = self.process.stdout.readline().split()
        self.seconds.append(float(took))
        self.peak = int(peak)

    def close(self) -> dict[str, Tensor]:
        """End the process, and return its loss and gradients."""
        self.process.stdin.close()
        self.process.wait()
        return torch.load(self.results)


def distance(found: Tensor, true: Tensor) -> float:
    """The relative L2 difference of `found` from `true`."""
    return float((found - true).norm() / true.norm())


def take_turns(setting: Setting, sides: list[str], repeats: int, folder: Path) -> tuple[dict, dict]:
    """({side: worker}, {side: loss and gradients}), with the textbook in float32 as a side. On a CPU sides make their
    steps in turn; on a GPU they run one after the other."""
    starts = {side: (side, setting) for side in sides}
    if setting.precision != "float32":
        starts[WIDE] = TEXTBOOK, replace(setting, precision="float32")
    workers, results = {}, {}
    for together in [[name] for name in starts] if setting.device == "cuda" else [list(starts)]:
        workers |= {name: Worker(*starts[name], folder) for name in together}
        for _ in range(repeats):
            for name in together:
                workers[name].step()
        results |= {name: workers[name].close() for name in together}
    return workers, results


def times_as_fast(mine: list[float], other: list[float], device: str) -> float:
    """The ratio of two sides' step times: the median over neighbouring steps, on a GPU the ratio of medians."""
    if device == "cuda":
        return statistics.median(other) / statistics.median(mine)
    return statistics.median(b / a for a, b in zip(mine, other, strict=True))


def compare(setting: Setting, sides: list[str], repeats: int, folder: Path) -> None:
    """Measure one setting and print its table. Raises RuntimeError if gradients do not agree."""
    workers, results = take_turns(setting, sides, repeats, folder)
    true = results.get(WIDE, results[TEXTBOOK])["gradients"]
    own = distance(results[TEXTBOOK]["gradients"], true)
    flops = step_flops(setting)
    rate = product_rate(setting)
    print(
        f"scale {setting.scale}, batch {setting.batch}, {setting.precision}, {setting.device}: {flops / 1e12:.2f} TFLOP"
    )
    print(f"  a matrix product's rate: {rate / 1e9:.0f} GFLOP/s")
    for side, worker in workers.items():
        ratio = times_as_fast(worker.seconds, workers[TEXTBOOK].seconds, setting.device)
        median, off = statistics.median(worker.seconds), distance(results[side]["gradients"], true)
        line = [
            f"{side:21} {median:7.3f} s, {ratio:4.2f} times as fast as the textbook",
            f"{flops / median / 1e9:6.0f} GFLOP/s ({flops / median / rate:4.0%})",
            f"keeps {results[side]['kept'] / 2**20:5.0f} MiB, peak {worker.peak / 2**20:6.0f} MiB",
            f"gradients off by {off:.1e}, loss {results[side]['loss']:.6f}",
        ]
        print("  " + "   ".join(line), flush=True)
        if off > max(WORSE * own, CLOSE):
            raise RuntimeError(f"{side}: the gradients are off by {off:.1e}, the textbook's own by {own:.1e}")
    if WIDE in workers:
        ratio = times_as_fast(workers[REFERENCE].seconds, workers[WIDE].seconds, setting.device)
        print(f"  the reference is {ratio:.2f} times as fast as the {WIDE}", flush=True)


def product_rate(setting: Setting) -> float:
    """The FLOP/s of multiplying two large square matrices in the setting's precision, on one core or the GPU."""
    ieee_float32()
    n = 8192 if setting.device == "cuda" else 2048
    a = torch.randn(n, n, device=setting.device).to(getattr(torch, setting.precision))
    return 2 * n**3 / min(product_seconds(a, a) for _ in range(6))


def step_flops(setting: Setting) -> float:
    """The FLOPs of the convolutions in a step: forward, and twice as many backward."""
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        Textbook(CLASSES, WIDTH, LEVELS)(torch.empty(setting.batch, 1, *(1 << setting.scale,) * 3))
    return 3.0 * counter.get_total_flops()


def precisions(device: str) -> tuple[str, ...]:
    """The precisions that a device has instructions for. Emulated on a CPU, bfloat16 takes minutes a step."""
    return ("float32", "bfloat16") if device == "cuda" or cpu_has_bfloat16() else ("float32",)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, action="append", help="default: 5 and 6")
    parser.add_argument("--precision", action="append", help="default: float32, and bfloat16 where the device has it")
    parser.add_argument("--side", action="append", choices=SIDES, help="measured beside reference and textbook")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    settings = [
        Setting(scale, precision, options.batch, options.device)
        for scale in options.scale or (5, 6)
        for precision in options.precision or precisions(options.device)
    ]
    if options.work:
        work(options.work, settings[0], options.results)
        return
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    sides = list(dict.fromkeys([REFERENCE, *(options.side or []), TEXTBOOK]))
    with tempfile.TemporaryDirectory() as folder:
        for setting in settings:
            compare(setting, sides, options.repeats, Path(folder))


if __name__ == "__main__":
    main()
