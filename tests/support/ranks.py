"""What forked ranks compute of a case under a layout, against one rank: for the modules `ranks` that have cases."""

import json
import os
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.tensor import DTensor

from benchmark.launch import Launch
from implementations.pytorch.parallel.layout import Layout, init_process_group
from implementations.pytorch.training.step import train_step

Tensors = Mapping[str, Tensor]  # by name, whose first word is the kind
Differences = Callable[[Any, Layout], dict[str, float]]  # of a case, by kind


class Double(nn.Module):
    """A model that takes its input in float64 and keeps its output."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.inner = model

    def forward(self, x: Tensor) -> Tensor:
        self.output = self.inner(x.double())
        return self.output


def trained(task, model: nn.Module, parallel: nn.Module, batch: tuple, layout: Layout, steps: int) -> dict[str, Tensor]:
    """Outputs, loss, gradients and, after some steps, weights; `parallel` is a `Double`."""
    loss = task.loss(parallel, batch, layout)
    loss.backward()
    found = {"outputs": parallel.output.detach()[: len(batch[0])], "loss": loss.detach()}
    found |= {f"gradient of {name}": full(p.grad).clone() for name, p in model.named_parameters()}
    optimizer = task.build_optimizer(model)
    for _ in range(steps):
        train_step(task, parallel, optimizer, [(1.0, batch)], layout)
    return found | {f"weights {name}": full(p.detach()) for name, p in model.named_parameters() if steps}


def scored(task, model: nn.Module, batch: tuple, layout: Layout) -> Tensor:
    """The score of a batch, sample by sample, and its sums."""
    samples = [tuple(x[i : i + 1] for x in batch) for i in range(len(batch[0]))]
    score = task.evaluate(Double(model).eval(), samples, layout)
    return torch.tensor([score.value, *score.facts["sums"]], dtype=torch.float64)


def full(tensor: Tensor) -> Tensor:
    """All of a tensor whose parts ranks may hold."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def largest(found: Tensors, wanted: Tensors) -> dict[str, float]:
    """By kind, the largest difference of what was found."""
    worst: dict[str, float] = {}
    for name, value in found.items():
        kind, difference = name.split()[0], (value - wanted[name]).abs().max().item() if value.numel() else 0.0
        worst[kind] = max(worst.get(kind, 0.0), difference)
    return worst


def work(rank: int, ranks: int, cases: Mapping[str, Any], differences: Differences, port: int, out: Path) -> None:
    """One rank's life: all these cases."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    launch = Launch(rank, ranks, rank, ranks, "none")
    layout, results = init_process_group(Layout(ranks, rank), launch, torch.device("cpu"), 60), {}
    for name, case in cases.items():
        by_rank = layout.gather(differences(case, layout))
        results[name] = {kind: max(r.get(kind, 0.0) for r in by_rank) for kind in by_rank[0]}
    if rank == 0:
        out.write_text(json.dumps(results))
    dist.destroy_process_group()


def main(
    cases: Mapping[str, Any],
    controls: Mapping[str, Any],
    size: Callable[[Any], int],
    alone: Callable[[Any], Tensors],
    differences: Differences,
) -> None:
    """Write JSON to the file that the command line names: the differences of all cases, whose numbers of ranks are
    `size`. What one rank computes `alone` is remembered in the forks. A control has processes of its own, since what it
    breaks stays broken."""
    torch.set_num_threads(1)
    out, results = Path(sys.argv[1]), {}
    launches = [{name: case for name, case in cases.items() if size(case) == n} for n in {*map(size, cases.values())}]
    launches += [{name: case} for name, case in controls.items()]
    for case in (*cases.values(), *controls.values()):
        alone(case)
    for launch in launches:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        ranks = size(next(iter(launch.values())))
        arguments = (ranks, launch, differences, port, out)
        torch.multiprocessing.start_processes(work, arguments, nprocs=ranks, start_method="fork")
        results |= json.loads(out.read_text())
    out.write_text(json.dumps(results))
