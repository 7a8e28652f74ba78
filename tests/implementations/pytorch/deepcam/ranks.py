"""What ranks compute of DeepCAM with grouped batch norm, against one rank: by case the largest absolute difference of
logits, loss, gradients, weights and running statistics after three steps, and score; of four ranks in groups of two,
that of both ranks' running statistics in a group."""

import functools
from dataclasses import dataclass

import torch
from torch import Tensor

from benchmark.deepcam.problem import Problem
from implementations.pytorch.deepcam import norm
from implementations.pytorch.deepcam.task import Config, Task
from implementations.pytorch.parallel.layout import Layout
from tests.support import ranks as support

STEPS = 3
PROBLEM = Problem("small", 32, 48, divisor=8, middle=1, train_samples=8, validation_samples=8, target=0.82)


@dataclass(frozen=True)
class Case:
    """So many ranks in groups of so many, and the samples of a batch."""

    ranks: int
    group: int
    samples: int
    harm: str = ""  # what a negative control breaks


CASES = {
    "2 ranks": Case(2, 2, 4),
    "2 ranks uneven": Case(2, 2, 3),
    "2 ranks, one empty": Case(2, 2, 1),
    "3 ranks uneven": Case(3, 3, 5),
    "3 ranks, two empty": Case(3, 3, 1),
    "3 ranks alone, two empty": Case(3, 1, 1),  # the one rank that has samples has them all
    "pairs": Case(4, 2, 6),
}
CONTROLS = {
    "each rank its own statistics": Case(2, 1, 4),
    "means of ranks' means": Case(3, 3, 5, harm="counts"),
    "gradients of a rank's own sums": Case(2, 2, 4, harm="adjoint"),
}


def compute(case: Case, layout: Layout) -> dict[str, Tensor]:
    """Logits of this rank's samples, loss, gradients, weights and running statistics after some steps, in float64, and
    the score where statistics are not averages of ranks'."""
    config = Config(batch_size=case.samples, device="cpu", precision="float32", batchnorm_group_size=case.group)
    task, n = Task(PROBLEM, config), case.samples
    torch.manual_seed(0)
    size = (n, PROBLEM.height, PROBLEM.width)
    limits = torch.tensor([[-3.0] * 16, [3.0] * 16]).expand(n, 2, 16)
    everything = (torch.randn(*size, 16), limits, torch.randint(3, size, dtype=torch.uint8))
    model = task.build_model().double()
    batch = tuple(x[layout.share(range(n))] for x in everything)
    parallel = support.Double(task.parallelize(model, layout))
    found = support.trained(task, model, parallel, batch, layout, STEPS)
    found |= {f"statistics {name}": b.clone() for name, b in model.named_buffers() if b.is_floating_point()}
    return found | ({"score": support.scored(task, model, batch, layout)} if case.group == case.ranks else {})


@functools.cache
def alone(samples: int) -> dict[str, Tensor]:
    """What one rank computes: once, before ranks are forked."""
    return compute(Case(1, 1, samples), Layout(1))


def break_something(harm: str) -> None:
    """What a negative control is about."""
    add = norm.add
    if harm == "counts":

        def equal_counts(sums: Tensor, group) -> None:
            if len(sums) % 2:  # a forward pass's: two sums by channel, and the count
                sums /= sums[-1].clone()
            add(sums, group)

        norm.add = equal_counts
    elif harm == "adjoint":
        norm.add = lambda sums, group: add(sums, group) if len(sums) % 2 else None


def differences(case: Case, layout: Layout) -> dict[str, float]:
    """By kind, the largest difference of this rank's results from one rank's."""
    break_something(case.harm)
    found, wanted, mine = compute(case, layout), dict(alone(case.samples)), layout.share(range(case.samples))
    wanted["outputs"] = wanted["outputs"][mine]
    statistics = {name: value for name, value in found.items() if name.startswith("statistics")}
    if case == CASES["pairs"]:
        sums = layout.gather(sum(v.sum().item() for v in statistics.values()))
        assert sums[0] != sums[2]
        return {"statistics": abs(sums[layout.rank] - sums[layout.rank ^ 1])}
    if case.group == 1 and not mine:  # a rank alone that saw nothing keeps its own
        found = {name: value for name, value in found.items() if name not in statistics}
    return support.largest(found, wanted)


if __name__ == "__main__":
    support.main(CASES, CONTROLS, lambda case: case.ranks, lambda case: alone(case.samples), differences)
