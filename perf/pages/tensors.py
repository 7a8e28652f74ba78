"""The page of the tensors in files of final weights: names and shapes, as the reference's networks have them."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

import torch

from benchmark.config import load_settings
from benchmark.problem import load_problem
from implementations.pytorch.config import config_path
from implementations.pytorch.task import build_task, config_class

INTRO = """# Tensors

A file of final weights, `weights/result_<i>.safetensors`, has these tensors and no others. Each is float32 and whole,
whatever the layout of ranks. If a run keeps an average of its weights, the file has the average.

The tables give names and shapes. The weight of a convolution is (outputs, inputs of a group, taps), that of a
transposed convolution (inputs, outputs, taps), that of a dense layer (outputs, inputs). The order is the one in which
the reference builds its layers. [The mathematics](mathematics.md) defines the layers.

This page is generated: `python perf/contract.py`.
"""
U_NET = """## ScaFFold

L is the number of levels, and W_l = 2^l W_0 the width of level l ([the mathematics](mathematics.md#8-scaffold)). A
block has two convolutions, `0` and `2`, and two norms, `1` and `3`. Its tensors are, from A to B channels:

| tensor of a block | shape |
| --- | --- |
| `0.weight` | B x A x 3 x 3 x 3 |
| `1.weight`, `1.bias` | B |
| `2.weight` | B x B x 3 x 3 x 3 |
| `3.weight`, `3.bias` | B |

The network in order, where l = L - 1 - i, so that `rise.0` and `up.0` are at the lowest level:

| tensor | shape |
| --- | --- |
| `down.l.`, l = 0 ... L - 1 | block from W_{l-1} to W_l, `down.0.` from 1 (as published: 3) |
| `bottom.` | block from W_{L-1} to W_L |
| `rise.i.weight`, i = 0 ... L - 1 | 2 W_l x W_l x 2 x 2 x 2 |
| `rise.i.bias` | W_l |
| `up.i.`, i = 0 ... L - 1 | block from 2 W_l to W_l |
| `head.weight`, `head.bias` | 6 x W_0 x 1 x 1 x 1, 6 |

All weights of `rise` come before the blocks of `up`. For instance, `up.0.0.weight` of smoke is 64 x 128 x 3 x 3 x 3.
"""
SCAFFOLD = ("smoke", "scale6", "scale7", "scale8", "published4", "published7", "published8")
SAME = "scale9, scale10 and scale11 have the network of scale8, published9 to published11 that of published8."
NETWORKS = {
    "CosmoFlow": (("cosmoflow", "cosmoflow-v0.7", "cosmoflow-mini"), "Each block has one convolution."),
    "DeepCAM": (
        ("deepcam",),
        "`i` counts the blocks of the middle: 0 to 15, for deepcam-mini 0 to 3. A norm, such as `encoder.stem.1.*`,\n"
        "has four tensors of one shape, `weight`, `bias`, `running_mean` and `running_var`, in this order. Running\n"
        "statistics are buffers: they are in the file, but are no weights. deepcam-mini has an eighth of every number\n"
        "of channels but the 16 of the input and the 3 of the output.",
    ),
}
REPEATED = re.compile(r"(encoder\.middle)\.(\d+)\.")
NORM = ["weight", "bias", "running_mean", "running_var"]


def page() -> str:
    """Return the Markdown: a table for each workload."""
    parts = [INTRO, f"{U_NET}\n{levels()}\n\n{SAME}\n"]
    for name, (problems, said) in NETWORKS.items():
        parts.append(f"## {name}\n\n{said}\n\n{table(problems)}\n")
    return "\n".join(parts)


def levels() -> str:
    """Return a table of ScaFFold's networks: levels, width, and how many numbers a file has."""
    rows: list[tuple[str, ...]] = [("problem", "L", "W_0", "numbers in all"), ("---",) * 4]
    for name in SCAFFOLD:
        problem = load_problem(name)
        rows.append((name, f"{problem.levels}", f"{problem.width}", numbers(name)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def table(problems: Sequence[str]) -> str:
    """Return a table with a row for each tensor, and a column for each problem."""
    columns = [shapes(problem) for problem in problems]
    rows = [("tensor", *problems), ("---",) * (1 + len(problems))]
    longest = max(columns, key=len)
    for name, first in named(longest):
        rows.append((f"`{name}`", *(column.get(first, "") for column in columns)))
    return "\n".join(f"| {' | '.join(row)} |" for row in [*rows, ("numbers in all", *map(numbers, problems))])


def named(tensors: Iterable[str]) -> list[tuple[str, str]]:
    """Return the name of each row, and the tensor whose shape it has. A norm's tensors are one row."""
    rows = []
    for prefix, group in groupby(tensors, lambda name: name.rpartition(".")[0]):
        names = list(group)
        norm = [name.rpartition(".")[2] for name in names] == NORM
        rows += [(f"{prefix}.*", names[0])] if norm else [(name, name) for name in names]
    return rows


def shapes(problem: str) -> dict[str, str]:
    """Return the shape of each tensor of a problem's network, by name, in words. Blocks of the middle are one."""
    found = {REPEATED.sub(r"\1.i.", name): shape for name, shape in tensors(problem).items()}
    return {name: " x ".join(map(str, shape)) for name, shape in found.items()}


def numbers(problem: str) -> str:
    """Return how many numbers a file of weights has, in words."""
    return f"{sum_of(problem):,}".replace(",", " ")


def sum_of(problem: str) -> int:
    """Return how many numbers a file of weights has."""
    return sum(torch.Size(shape).numel() for shape in tensors(problem).values())


def tensors(problem: str) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the tensors that a run of a problem writes, layer after layer, without making them."""
    found = load_problem(problem)
    path = config_path(problem)
    config = load_settings(config_class(found.workload), path, path.read_bytes(), [])
    with torch.device("meta"):
        model = build_task(found, config).build_model()
    return {
        f"{prefix}.{name}" if prefix else name: tuple(tensor.shape)
        for prefix, module in model.named_modules()
        for name, tensor in (*module.named_parameters(recurse=False), *module.named_buffers(recurse=False))
        if tensor.is_floating_point()
    }
