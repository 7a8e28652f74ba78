"""Started by test_predict.py: what 2 ranks that split a volume in width really send each other in a step.

    ranks_messages.py OUT

Writes JSON: the bytes of every message of rank 0, forward and backward, of the smoke problem with 2 samples.
"""

import json
import os
import socket
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[3])

import torch
import torch.distributed as dist

from benchmark.launch import Launch
from benchmark.problem import load_problem
from implementations.pytorch.parallel.layout import Layout, init_process_group
from implementations.pytorch.task import build_task
from implementations.pytorch.training.step import blank_batch
from perf.settings import reference_settings

SETTINGS = ["batch_size=2", "device=cpu", "threads=1", "precision=bfloat16"]


def work(rank: int, port: int, out: Path) -> None:
    """One rank's step."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    task = build_task(load_problem("smoke"), reference_settings("smoke", SETTINGS))
    layout = init_process_group(Layout(1, rank, 1, 1, 2), Launch(rank, 2, rank, 2, "none"), torch.device("cpu"), 60)
    model = task.parallelize(task.build_model(), layout)
    batch = blank_batch(task, layout, 2)
    sent, real = [], dist.P2POp

    def noted(operation, tensor, *rest):
        if operation is dist.isend:
            sent.append(tensor.nbytes)
        return real(operation, tensor, *rest)

    dist.P2POp = noted
    task.loss(model, batch, layout).backward()
    if rank == 0:
        out.write_text(json.dumps(sent))
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    torch.multiprocessing.start_processes(work, (port, Path(sys.argv[1])), nprocs=2, start_method="fork")
