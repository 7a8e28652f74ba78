"""What ranks compute of CosmoFlow under a layout, against one rank: by case the largest absolute difference of
predictions, loss, gradients, weights after three steps, and score."""

import functools
import math
from dataclasses import dataclass, replace
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn

from benchmark.cosmoflow.problem import Problem
from implementations.pytorch.cosmoflow import split
from implementations.pytorch.cosmoflow.task import Config, Task
from implementations.pytorch.layers.blocks import recompute_blocks
from implementations.pytorch.parallel.layout import Layout, with_mesh
from tests.support import ranks as support

STEPS = 3


@dataclass(frozen=True)
class Case:
    """A layout of ranks, and what they work on."""

    extents: tuple[int, int, int, int]
    samples: int = 4
    kernel: int = 3
    side: int = 8
    dropout: float = 0.0
    recompute: bool = False
    harm: str = ""  # what a negative control breaks


CASES = {
    "2;1,1,1 uneven": Case((2, 1, 1, 1), samples=3),
    "3;1,1,1 two ranks empty": Case((3, 1, 1, 1), samples=1),
    "1;2,1,1": Case((1, 2, 1, 1)),
    "1;2,2,1 recomputed": Case((1, 2, 2, 1), recompute=True),
    "1;4,1,1": Case((1, 4, 1, 1), side=16),
    "2;2,1,1 uneven": Case((2, 2, 1, 1), samples=3),
    "2;2,1,1 one replica empty": Case((2, 2, 1, 1), samples=1),
    "1;2,2,2": Case((1, 2, 2, 2)),
    "kernel 2: 1;2,2,2": Case((1, 2, 2, 2), kernel=2),
    "dropout: 2;1,1,1 uneven": Case((2, 1, 1, 1), samples=3, dropout=0.5),
    "dropout: 1;2,1,1": Case((1, 2, 1, 1), dropout=0.5),
    "dropout: 2;2,1,1 uneven": Case((2, 2, 1, 1), samples=3, dropout=0.5),
}
CONTROLS = {
    "no gather": Case((1, 2, 1, 1), harm="gather"),
    "dropout by rank": Case((2, 1, 1, 1), dropout=0.5, harm="dropout"),
    "penalty by rank": Case((1, 2, 1, 1), harm="penalty"),
    "kernel 2 padded before": Case((1, 2, 1, 1), kernel=2, harm="padding"),
}


class Double(support.Double):
    def penalty(self) -> Tensor:
        return getattr(self.inner, "module", self.inner).penalty()


def compute(case: Case, layout: Layout) -> dict[str, Tensor]:
    """Predictions of this rank's samples, loss, gradients, weights after some steps and the score, in float64, of a
    network of two blocks with the L2 term on."""
    problem = Problem("small", case.side, 2, 2, 2, case.kernel, 8, 8, 0.1)
    config = Config(batch_size=case.samples, device="cpu", precision="float32", dropout=case.dropout, weight_decay=0.1)
    task, samples = Task(problem, config), range(case.samples)
    torch.manual_seed(0)
    counts = torch.randint(0, 9, (case.samples, *problem.shape, 2), dtype=torch.int16)
    true = torch.rand(case.samples, 4) * 2 - 1
    model = task.build_model().double()
    if case.recompute:
        recompute_blocks(model)
    cut = tuple(slice(o, o + n) for o, n in zip(*layout.box(problem.shape), strict=True))
    mine = layout.share(samples)
    batch = (counts[mine][:, *cut], true[mine])
    torch.manual_seed(1)
    if layout.ranks == 1:  # the same draws of dropout
        split.split_samples(model, layout, case.samples)
    parallel = Double(task.parallelize(model, layout))
    found = support.trained(task, model, parallel, batch, layout, STEPS)
    return found | {"score": support.scored(task, model, batch, layout)}


@functools.cache
def alone(case: Case) -> dict[str, Tensor]:
    """What one rank computes: once, before ranks are forked, without what one rank has no use for."""
    return compute(replace(case, extents=(1, 1, 1, 1), recompute=False, harm=""), Layout(1))


def break_something(harm: str) -> None:
    """What a negative control is about."""
    if harm == "gather":
        split.Layout.add_over_volume = lambda self, sums: sums
    elif harm == "dropout":
        split.SharedDropout = lambda p, layout, samples: nn.Dropout(p)
    elif harm == "penalty":
        penalty = Double.penalty
        Double.penalty = lambda self: penalty(self) * (1 + dist.get_rank())
    elif harm == "padding":
        split.EvenHaloConv3d.forward = wrongly_padded


def wrongly_padded(conv: nn.Module, x: Tensor) -> Tensor:
    """Zeros where the next box's voxels belong."""
    return nn.functional.conv3d(nn.functional.pad(x, (0, 1) * 3), conv.weight, conv.bias)


def differences(case: Case, everybody: Layout) -> dict[str, float]:
    """By kind, the largest difference of this rank's results from one rank's."""
    data, *boxes = case.extents
    layout = with_mesh(Layout(data, everybody.rank, *boxes), "cpu", timedelta(seconds=60))
    wanted = dict(alone(case))
    wanted["outputs"] = wanted["outputs"][layout.share(range(case.samples))]
    break_something(case.harm)
    return support.largest(compute(case, layout), wanted)


if __name__ == "__main__":
    support.main(CASES, CONTROLS, lambda case: math.prod(case.extents), alone, differences)
