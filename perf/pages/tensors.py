"""The page of the tensors in files of final weights: names and shapes, as the reference's networks have them."""

import re
from collections.abc import Sequence

import torch

from benchmark.config import load_settings
from benchmark.problem import load_problem
from implementations.pytorch.config import config_path
from implementations.pytorch.task import build_task, config_class

INTRO = """# Tensors

A file of final weights, `weights/result_<i>.safetensors`, has these tensors and no others: float32, whole (whatever the
layout of ranks), each under its name. The numbers are their shapes. The weight of a convolution is (outputs, inputs of
a group, taps), that of a transposed convolution (inputs, outputs, taps), that of a dense layer (outputs, inputs). Where
a run keeps an average of its weights, the file has the average. [The mathematics](mathematics.md) says which layer is
which. The order is the one in which the reference builds its layers.

This page is generated: `python perf/contract.py`.
"""
NETWORKS = {
    "ScaFFold": (
        ("smoke", "scale6", "scale7", "scale8"),
        "In a block, `0` and `2` are convolutions, `1` and `3` norms. `rise.0` and `up.0` are at the lowest\n"
        "level. scale9, scale10 and scale11 have the network of scale8.",
    ),
    "CosmoFlow": (("cosmoflow", "cosmoflow-v0.7", "cosmoflow-mini"), "Each block has one convolution."),
    "DeepCAM": (
        ("deepcam", "deepcam-mini"),
        "`i` counts the blocks of the middle: 0 to 15, for deepcam-mini 0 to 3. Running statistics are buffers.\n"
        "They are in the file, but are no weights.",
    ),
    "ScaFFold as published": (
        ("published4", "published7", "published8"),
        "As ScaFFold's, with three input channels. published9 to published11 have the network of published8.",
    ),
}
REPEATED = re.compile(r"(encoder\.middle)\.(\d+)\.")


def page() -> str:
    """Return the Markdown: a table for each workload."""
    parts = [INTRO]
    for name, (problems, said) in NETWORKS.items():
        parts.append(f"## {name}\n\n{said}\n\n{table(problems)}\n")
    return "\n".join(parts)


def table(problems: Sequence[str]) -> str:
    """Return a table with a row for each tensor, and a column for each problem."""
    columns = [shapes(problem) for problem in problems]
    rows = [("tensor", *problems), ("---",) * (1 + len(problems))]
    longest = max(columns, key=len)
    rows += [(f"`{name}`", *(column.get(name, "") for column in columns)) for name in longest]
    totals = [f"{sum_of(problem):,}".replace(",", " ") for problem in problems]
    return "\n".join(f"| {' | '.join(row)} |" for row in [*rows, ("numbers in all", *totals)])


def shapes(problem: str) -> dict[str, str]:
    """Return the shape of each tensor of a problem's network, by name, in words. Blocks of the middle are one."""
    found = {REPEATED.sub(r"\1.i.", name): shape for name, shape in tensors(problem).items()}
    return {name: " x ".join(map(str, shape)) for name, shape in found.items()}


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
