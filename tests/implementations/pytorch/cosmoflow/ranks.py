"""Started by test_split.py: what ranks compute of CosmoFlow under a layout, against one rank.

    ranks.py OUT

Forks 2, 3, 4 and 8 ranks, runs every case of that size in them, and writes JSON: by case the greatest absolute
difference of predictions, loss, gradients, weights after three steps, and score.
"""

import functools
import json
import os
import socket
import sys
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[4])

import torch
import torch.distributed as dist
from torch import Tensor, nn

from benchmark.cosmoflow.problem import Problem
from benchmark.launch import Launch
from implementations.pytorch.cosmoflow import split
from implementations.pytorch.cosmoflow.task import Config, Task
from implementations.pytorch.layers.blocks import recompute_blocks
from implementations.pytorch.parallel.layout import Layout, init_process_group, with_mesh
from implementations.pytorch.training.step import train_step

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
    "2;1,1,1": Case((2, 1, 1, 1)),
    "2;1,1,1 uneven": Case((2, 1, 1, 1), samples=3),
    "2;1,1,1 one rank empty": Case((2, 1, 1, 1), samples=1),
    "3;1,1,1 uneven": Case((3, 1, 1, 1), samples=5),
    "3;1,1,1 two ranks empty": Case((3, 1, 1, 1), samples=1),
    "1;2,1,1": Case((1, 2, 1, 1)),
    "1;1,2,1": Case((1, 1, 2, 1)),
    "1;1,1,2": Case((1, 1, 1, 2)),
    "1;2,2,1": Case((1, 2, 2, 1)),
    "1;2,2,1 recomputed": Case((1, 2, 2, 1), recompute=True),
    "1;4,1,1": Case((1, 4, 1, 1), side=16),
    "2;2,1,1 uneven": Case((2, 2, 1, 1), samples=3),
    "2;2,1,1 one replica empty": Case((2, 2, 1, 1), samples=1),
    "1;2,2,2": Case((1, 2, 2, 2)),
    "2;2,2,1 uneven": Case((2, 2, 2, 1), samples=3),
    "kernel 2: 1;2,1,1": Case((1, 2, 1, 1), kernel=2),
    "kernel 2: 1;1,1,2": Case((1, 1, 1, 2), kernel=2),
    "kernel 2: 1;2,2,1": Case((1, 2, 2, 1), kernel=2),
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


class Double(nn.Module):
    """A model that takes its input in float64 and keeps its predictions."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.inner = model

    def forward(self, x: Tensor) -> Tensor:
        self.predicted = self.inner(x.double())
        return self.predicted

    def penalty(self) -> Tensor:
        return getattr(self.inner, "module", self.inner).penalty()


def task_of(case: Case) -> Task:
    """A small network of two blocks with the L2 term on."""
    problem = Problem("small", case.side, 2, 2, 2, case.kernel, 8, 8, 0.1)
    config = Config(batch_size=case.samples, device="cpu", precision="float32", dropout=case.dropout, weight_decay=0.1)
    return Task(problem, config)


def compute(case: Case, layout: Layout) -> dict[str, Tensor]:
    """Predictions of this rank's samples, loss, gradients, weights after some steps and the score, in float64."""
    task, samples = task_of(case), range(case.samples)
    torch.manual_seed(0)
    counts = torch.randint(0, 9, (case.samples, *task.problem.shape, 2), dtype=torch.int16)
    true = torch.rand(case.samples, 4) * 2 - 1
    model = task.build_model().double()
    if case.recompute:
        recompute_blocks(model)
    box = layout.box(task.problem.shape)
    cut = tuple(slice(o, o + n) for o, n in zip(*box, strict=True))
    mine = layout.share(samples)
    batch = (counts[mine][:, *cut], true[mine])
    torch.manual_seed(1)
    if layout.ranks == 1:  # the same draws of dropout
        split.split_samples(model, layout, case.samples)
    parallel = Double(task.parallelize(model, layout))
    loss = task.loss(parallel, batch, layout)
    loss.backward()
    found = {"predictions": parallel.predicted.detach()[: len(mine)], "loss": loss.detach()}
    found |= {f"gradient of {name}": p.grad.clone() for name, p in model.named_parameters()}
    optimizer = task.build_optimizer(model)
    for _ in range(STEPS):
        train_step(task, parallel, optimizer, [(1.0, batch)], layout)
    found |= {f"weights {name}": p.detach() for name, p in model.named_parameters()}
    pairs = [tuple(x[i : i + 1] for x in batch) for i in range(len(mine))]
    score = task.evaluate(Double(model).eval(), pairs, layout)
    return found | {"score": torch.tensor([score.value, *score.facts["sums"]], dtype=torch.float64)}


@functools.cache
def alone(case: Case) -> dict[str, Tensor]:
    """What one rank computes: once, before ranks are forked."""
    return compute(case, Layout(1))


def reference(case: Case) -> Case:
    """The same work without what one rank has no use for."""
    return replace(case, extents=(1, 1, 1, 1), recompute=False, harm="")


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


def differences(case: Case, layout: Layout) -> dict[str, float]:
    """By kind, the greatest difference of this rank's results from one rank's."""
    wanted = dict(alone(reference(case)))
    wanted["predictions"] = wanted["predictions"][layout.share(range(case.samples))]
    if case.harm:
        break_something(case.harm)
    found, worst = compute(case, layout), {}
    for name, value in wanted.items():
        kind = name.split()[0]
        difference = (found[name] - value).abs().max().item() if value.numel() else 0.0
        worst[kind] = max(worst.get(kind, 0.0), difference)
    return worst


def work(rank: int, ranks: int, names: list[str], port: int, out: Path) -> None:
    """One rank's life: all cases of this many ranks; a control comes alone, as what it breaks stays broken."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    init_process_group(Layout(ranks, rank), Launch(rank, ranks, rank, ranks, "none"), torch.device("cpu"), 60)
    results = {}
    for name in names:
        case = (CASES | CONTROLS)[name]
        data, *boxes = case.extents
        layout = with_mesh(Layout(data, rank, *boxes), "cpu", timedelta(seconds=60))
        by_rank = layout.gather(differences(case, layout))
        results[name] = {kind: max(r[kind] for r in by_rank) for kind in by_rank[0]}
    if rank == 0:
        out.write_text(json.dumps(results))
    dist.destroy_process_group()


def launch(names: list[str], ranks: int, out: Path) -> dict[str, dict[str, float]]:
    """The cases' differences, from as many forked ranks."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    torch.multiprocessing.start_processes(work, (ranks, names, port, out), nprocs=ranks, start_method="fork")
    return json.loads(out.read_text())


def main(out: Path) -> None:
    """All cases, by their number of ranks."""
    torch.set_num_threads(1)  # others would not be there in a fork
    for case in (*CASES.values(), *CONTROLS.values()):
        alone(reference(case))
    results, sizes = {}, {name: torch.tensor(case.extents).prod().item() for name, case in CASES.items()}
    for ranks in sorted(set(sizes.values())):
        results |= launch([name for name in CASES if sizes[name] == ranks], ranks, out)
    for name in CONTROLS:
        results |= launch([name], 2, out)
    out.write_text(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
