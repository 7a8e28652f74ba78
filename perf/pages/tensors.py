"""The tables of docs/tensors.md: names and shapes of the tensors in files of final weights."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby

import torch

from benchmark.problem import load_problem
from implementations.pytorch.task import build_task
from perf.pages.generated import table
from perf.settings import reference_settings

SCAFFOLD = ("smoke", "scale6", "scale7", "scale8", "published4", "published7", "published8")
NETWORKS = {
    "CosmoFlow": ("cosmoflow", "cosmoflow-v0.7", "cosmoflow-mini"),
    "DeepCAM": ("deepcam",),
}
REPEATED = re.compile(r"(encoder\.middle)\.(\d+)\.")
NORM = ["weight", "bias", "running_mean", "running_var"]


def parts() -> dict[str, str]:
    """Return the tables of the page by the names of their workloads."""
    return {"ScaFFold": levels()} | {name: network(problems) for name, problems in NETWORKS.items()}


def levels() -> str:
    """Return a table of ScaFFold's networks: levels, width, and how many numbers a file has."""
    problems = map(load_problem, SCAFFOLD)
    rows = [(p.name, f"{p.levels}", f"{p.width}", numbers(p.name)) for p in problems]
    return table(("problem", "L", "W_0", "numbers in all"), rows)


def network(problems: Sequence[str]) -> str:
    """Return a table with a row for each tensor, and a column for each problem."""
    columns = [shapes(problem) for problem in problems]
    longest = max(columns, key=len)
    rows = [(f"`{name}`", *(column.get(first, "") for column in columns)) for name, first in named(longest)]
    return table(("tensor", *problems), [*rows, ("numbers in all", *map(numbers, problems))])


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


@cache
def tensors(problem: str) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the tensors that a run of a problem writes, layer after layer, without making them."""
    with torch.device("meta"):
        model = build_task(load_problem(problem), reference_settings(problem)).build_model()
    return {
        f"{prefix}.{name}" if prefix else name: tuple(tensor.shape)
        for prefix, module in model.named_modules()
        for name, tensor in (*module.named_parameters(recurse=False), *module.named_buffers(recurse=False))
        if tensor.is_floating_point()
    }
