"""Started by test_ranks.py: what ranks compute of DeepCAM with grouped batch norm, against one rank.

    ranks.py OUT

Forks 2, 3 and 4 ranks, runs every case of that size in them, and writes JSON: by case the greatest absolute difference
of loss, gradients, running statistics, weights after three steps, and score.
"""

import functools
import json
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[4])

import torch
import torch.distributed as dist
from torch import Tensor, nn

from benchmark.deepcam.problem import Problem
from benchmark.launch import Launch
from implementations.pytorch.deepcam import norm
from implementations.pytorch.deepcam.task import Config, Task
from implementations.pytorch.parallel.layout import Layout, init_process_group
from implementations.pytorch.training.step import train_step

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
}
CONTROLS = {
    "each rank its own statistics": Case(2, 1, 4),
    "means of ranks' means": Case(3, 3, 5, harm="counts"),
    "gradients of a rank's own sums": Case(2, 2, 4, harm="adjoint"),
}
PAIRS = Case(4, 2, 6)


class Double(nn.Module):
    """A model that takes its input in float64."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.inner = model

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x.double())


def compute(case: Case, layout: Layout) -> dict[str, Tensor]:
    """Loss, gradients, running statistics, weights after some steps and the score, in float64."""
    config = Config(batch_size=case.samples, device="cpu", precision="float32", batchnorm_group_size=case.group)
    task = Task(PROBLEM, config)
    torch.manual_seed(0)
    n, h, w = case.samples, PROBLEM.height, PROBLEM.width
    limits = torch.tensor([[-3.0] * 16, [3.0] * 16]).expand(n, 2, 16)
    everything = (torch.randn(n, h, w, 16), limits, torch.randint(3, (n, h, w), dtype=torch.uint8))
    model = task.build_model().double()
    mine = layout.share(range(n))
    batch = tuple(x[mine] for x in everything)
    parallel = Double(task.parallelize(model, layout))
    loss = task.loss(parallel, batch, layout)
    loss.backward()
    found = {"loss": loss.detach()}
    found |= {f"gradient of {name}": p.grad.clone() for name, p in model.named_parameters()}
    found |= {f"statistics {name}": b.clone() for name, b in model.named_buffers() if b.is_floating_point()}
    optimizer = task.build_optimizer(model)
    for _ in range(STEPS):
        train_step(task, parallel, optimizer, [(1.0, batch)], layout)
    found |= {f"weights {name}": p.detach() for name, p in model.named_parameters()}
    if case.group == case.ranks:  # else statistics are averages of ranks'
        pairs = [tuple(x[i : i + 1] for x in batch) for i in range(len(mine))]
        score = task.evaluate(Double(model).eval(), pairs, layout)
        found["score"] = torch.tensor([score.value, *score.facts["sums"]], dtype=torch.float64)
    return found


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
    """By kind, the greatest difference of this rank's results from one rank's."""
    wanted = alone(case.samples)
    if case.harm:
        break_something(case.harm)
    found, worst = compute(case, layout), {}
    empty = case.group == 1 and not layout.share(range(case.samples))
    for name in found:
        kind, value = name.split()[0], wanted[name]
        if kind == "statistics" and empty:
            continue  # a rank alone that saw nothing keeps its own
        worst[kind] = max(worst.get(kind, 0.0), (found[name] - value).abs().max().item())
    return worst


def statistics(layout: Layout) -> dict[str, float]:
    """Groups of two among four ranks: by rank, one number made of its running statistics."""
    found = compute(PAIRS, layout)
    total = sum(value.sum().item() for name, value in found.items() if name.startswith("statistics"))
    return {str(rank): value for rank, value in enumerate(layout.gather(total))}


def work(rank: int, ranks: int, names: list[str], port: int, out: Path) -> None:
    """One rank's life: all cases of this many ranks; a control comes alone, as what it breaks stays broken."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    layout = init_process_group(Layout(ranks, rank), Launch(rank, ranks, rank, ranks, "none"), torch.device("cpu"), 60)
    results = {}
    for name in names:
        if name == "pairs":
            results[name] = statistics(layout)
        else:
            by_rank = layout.gather(differences((CASES | CONTROLS)[name], layout))
            results[name] = {kind: max(r.get(kind, 0.0) for r in by_rank) for kind in by_rank[0]}
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
        alone(case.samples)
    results = launch(["pairs"], PAIRS.ranks, out)
    for ranks in (2, 3):
        results |= launch([name for name in CASES if CASES[name].ranks == ranks], ranks, out)
    for name in CONTROLS:
        results |= launch([name], CONTROLS[name].ranks, out)
    out.write_text(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
