"""What forked ranks compute of a case under a layout, against one rank. Scripts that have cases call `main`; tests
start such a script with `differences_of`."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.tensor import DTensor

from benchmark.launch import Launch
from implementations.pytorch.parallel.layout import Layout, init_process_group
from implementations.pytorch.training.step import train_step

Tensors = Mapping[str, Tensor]  # by name, whose first word is the kind
Differences = Callable[[str, Layout], dict[str, float]]  # of a case's name, by kind


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


def work(rank: int, ranks: int, names: Iterable[str], differences: Differences, port: int, out: Path) -> None:
    """One rank's life: all these cases."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    launch = Launch(rank, ranks, rank, ranks, "none")
    layout, results = init_process_group(Layout(ranks, rank), launch, torch.device("cpu"), 60), {}
    for name in names:
        by_rank = layout.gather(differences(name, layout))
        results[name] = {kind: max(r.get(kind, 0.0) for r in by_rank) for kind in by_rank[0]}
    if rank == 0:
        out.write_text(json.dumps(results))
    dist.destroy_process_group()


def main(cases: Mapping[str, int], controls: Mapping[str, int], differences: Differences, out: Path) -> None:
    """Write the differences of all cases, whose numbers of ranks these are. A control has processes of its own, since
    what it breaks stays broken."""
    launches = [(size, [name for name in cases if cases[name] == size]) for size in sorted(set(cases.values()))]
    results: dict[str, dict[str, float]] = {}
    for ranks, names in launches + [(size, [name]) for name, size in controls.items()]:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        arguments = (ranks, names, differences, port, out)
        torch.multiprocessing.start_processes(work, arguments, nprocs=ranks, start_method="fork")
        results |= json.loads(out.read_text())
    out.write_text(json.dumps(results))


def differences_of(script: Path, out: Path) -> dict[str, dict[str, float]]:
    """What a script writes, started with one thread a process: others would not be there in a fork."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, str(script), str(out)], check=True, timeout=300, env=environment)
    return json.loads(out.read_text())


def far(differences: Mapping[str, Mapping[str, float]], close: float) -> dict[str, float]:
    """The cases whose largest difference is not below `close`, with it."""
    worst = {name: max(kinds.values()) for name, kinds in differences.items()}
    return {name: difference for name, difference in worst.items() if not difference < close}
