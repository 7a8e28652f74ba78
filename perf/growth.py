"""What grows with the number of ranks: `python perf/growth.py [--ranks 2 16] [--parts 4096] [--devices 64 65536]`.

Five tables. What the start of one rank asks of the file system, as `strace` counts it: files opened, paths asked for,
and different paths among both. Ranks in real processes, with gloo, that meet, make the groups of a layout and gather an
object: processor seconds of a rank, on average, and keys of rank 0's store. The same ranks that share a small model
(fsdp), write two checkpoints and read one: seconds of the slowest, and the parts that each rank opens. One rank of so
many that reads its rows of a checkpoint of so many parts: processor seconds, and the parts that it opens. And the bytes
of what a log and an environment manifest say of so many devices, four a node.
"""

import argparse
import datetime
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch
import torch.distributed as dist
from safetensors.torch import save_file
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Shard

from benchmark.energy.choice import Choice
from benchmark.energy.counter import Counter
from benchmark.energy.entry import Marked, event, sources, together
from benchmark.energy.reader import Reading
from benchmark.environment.manifest import Node
from benchmark.environment.manifest import grouped as grouped_nodes
from benchmark.log import LogWriter
from benchmark.problem import load_problem
from benchmark.run.devices import Device, grouped
from implementations.pytorch.config import RunConfig
from implementations.pytorch.parallel.gradients import shard
from implementations.pytorch.parallel.layout import Layout, with_mesh
from implementations.pytorch.task import Evaluation
from implementations.pytorch.training import parts
from implementations.pytorch.training.checkpoint import Checkpoints, Origin, open_checkpoints
from implementations.pytorch.training.state import TrainingState
from perf.projection.trace import fake_ranks

ROOT = Path(__file__).resolve().parents[1]
ROWS, A_NODE, LIMIT = 1 << 14, 4, datetime.timedelta(minutes=5)
OBJECT, GATHERED = "x" * 100, 10  # what ranks gather, and how often


def counted() -> list[str]:
    """Return a list that gets the name of every part that this process opens from now on."""
    names: list[str] = []
    real = parts.safe_open

    def opened(path: Path, framework: str) -> object:
        names.append(path.name)
        return real(path, framework)

    parts.safe_open = opened
    return names


def asked(problem: str) -> tuple[int | str, ...]:
    """Return the files that a rank opens as it starts, the paths that it asks the file system for, and the different
    paths of both; "?" without strace."""
    if not shutil.which("strace"):
        return "?", "?", "?"
    with tempfile.NamedTemporaryFile("r") as traced:
        command = ("strace", "-f", "-qq", "-e", "trace=file", "-o", traced.name, sys.executable)
        describe = ("implementations/pytorch/train.py", "--problem", problem, "--describe")
        subprocess.run((*command, *describe), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        calls = re.findall(r"^\d+ +(\w+)\(.*?\"(.*?)\"", traced.read(), re.M)
    opened = sum(name.startswith("open") for name, _ in calls)
    return opened, len(calls) - opened, len({path for _, path in calls})


def meeting(folder: Path, ranks: int) -> tuple[float, float, float, int]:
    """Return the processor seconds that each of so many processes takes, on average, to meet, to make a layout's
    groups, and to gather an object, and the keys in rank 0's store."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    (folder / "port").write_text(str(port))
    met, grouped_in, gathered, keys = zip(*in_processes(folder, ranks, of_meeting), strict=True)
    return fmean(met), fmean(grouped_in), fmean(gathered), max(keys)


def of_meeting(rank: int, ranks: int, folder: Path) -> tuple[float, float, float, int]:
    """Return the same of one rank."""
    times = [time.process_time()]
    store = dist.TCPStore("127.0.0.1", int((folder / "port").read_text()), ranks, rank == 0, timeout=LIMIT)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks, timeout=LIMIT)
    times.append(time.process_time())
    boxes = (2, 2, 2) if ranks % 8 == 0 else (1, 1, 1)
    layout = with_mesh(Layout(ranks // math.prod(boxes), rank, *boxes), "cpu", LIMIT)
    times.append(time.process_time())
    for _ in range(GATHERED):
        layout.gather(OBJECT)
    times.append(time.process_time())
    met, made, gathered = (b - a for a, b in pairwise(times))
    return met, made, gathered / GATHERED, store.num_keys()


def checkpoint(folder: Path, ranks: int) -> tuple[float, float, int]:
    """Return the seconds of writing two checkpoints and of reading one, of the slowest of so many processes, and the
    most parts that one of them opens."""
    log = LogWriter(folder / "log.txt")
    log.start("run_start")
    log.close()
    saved, read, opened = zip(*in_processes(folder, ranks, of_rank), strict=True)
    return max(saved), max(read), max(opened)


def in_processes(folder: Path, ranks: int, work: Callable[[int, int, Path], tuple]) -> list[list]:
    """Return what each of so many processes finds."""
    children = [pid for rank in range(ranks) if (pid := forked(rank, ranks, folder, work))]
    codes = [os.waitpid(pid, 0)[1] for pid in children]
    if any(codes):
        raise SystemExit("growth.py: a rank failed")
    return [json.loads(path.read_text()) for path in folder.glob("rank_*")]


def forked(rank: int, ranks: int, folder: Path, work: Callable[[int, int, Path], tuple]) -> int:
    """Return the process of a rank."""
    if pid := os.fork():
        return pid
    try:
        torch.set_num_threads(1)
        found = work(rank, ranks, folder)
        (folder / f"rank_{rank}").write_text(json.dumps(found))
        dist.barrier()
        os._exit(0)
    finally:
        os._exit(1)


def of_rank(rank: int, ranks: int, folder: Path) -> tuple[float, float, int]:
    """Return seconds of writing, seconds of reading, and the parts opened, of one rank."""
    store = dist.FileStore(str(folder / "store"), ranks)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks, timeout=LIMIT)
    layout = with_mesh(Layout(ranks, rank), "cpu", LIMIT)
    model = shard(nn.Sequential(nn.Linear(64, 512), nn.Linear(512, 64), nn.Linear(64, 512)))
    state = TrainingState(model, torch.optim.Adam(model.parameters()), None)
    names, origin = counted(), Origin(load_problem("smoke"), RunConfig(), folder / "log.txt")
    layout.barrier()
    times = [time.perf_counter()]
    for epoch in (1, 2):  # the second one removes the first
        Checkpoints(folder, origin).save(state, layout, 7, epoch, Evaluation(0.5, {}))
    times.append(time.perf_counter())
    open_checkpoints(folder, True, origin).restore(state, layout)
    times.append(time.perf_counter())
    return times[1] - times[0], times[2] - times[1], len(names)


def construct(folder: Path, number: int) -> dict[str, tuple[int, int]]:
    """Write a checkpoint's parts, each with its rows of a weight and one number. Return the tensors' places."""
    rows = ROWS // number
    for part in range(number):
        pieces = {"weight": torch.zeros(rows, 16), f"step_{part:06}": torch.ones(1)}
        save_file(pieces, folder / parts.NAME.format(part))
    return {"weight": (0, rows)} | {f"step_{part:06}": (part, 1) for part in range(number)}


def resume(folder: Path, number: int) -> tuple[float, int]:
    """Return the processor seconds of a rank that reads its rows of so many parts, and the parts that it opens."""
    at, names = construct(folder, number), counted()
    with fake_ranks(Layout(number)):
        mesh = DeviceMesh("cpu", list(range(number)))
        mine = torch.empty(ROWS // number, 16)
        tensors = {name: torch.empty(()) for name in at if name != "weight"}
        tensors["weight"] = DTensor.from_local(mine, mesh, [Shard(0)], shape=(ROWS, 16), stride=(16, 1))
        start = time.process_time()
        parts.read(folder, {parts.NAME.format(n) for n in range(number)}, at, parts.share(tensors, 0, number))
        return time.process_time() - start, len(names)


def sizes(devices: int, a_node: int = A_NODE, name: Callable[[int], str] = "nid{:06}".format) -> tuple[int, ...]:
    """Return the bytes of `devices`, of an environment's nodes, of `energy_sources` and of `energy_reading`.
    `name` gives the name of the n-th host, `a_node` the devices of each."""
    hosts = [name(n) for n in range(-(-devices // a_node))]
    named = [Device(hosts[n // a_node], "cuda", "H200", f"{n:032x}") for n in range(devices)]
    nodes = [Node(host, "", {"kernel": {"value": "6.8", "origin": "os.uname"}}) for host in hosts]

    def counter(uuid: str) -> Counter:
        return Counter("nvml", "device", uuid, 1e-3, float, limit_watts=700.0)

    every = [sources(h, Choice(tuple(counter(f"{h}-{n}") for n in range(a_node)), {})) for h in hosts]
    entries, members = together(every)
    reading = Reading(1_700_000_000_000, [123456.789] * a_node, 0.1, {})
    read = event([Marked("epoch_stop", {"epoch_num": 1}, reading) for _ in hosts], members)
    return tuple(len(json.dumps(x, indent=1)) for x in (grouped(named), grouped_nodes(nodes), entries, read))


def row(*cells: object) -> None:
    """Print a row of a table."""
    print(*(f"{cell:.3f}".rjust(15) if type(cell) is float else str(cell).rjust(15) for cell in cells), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="*", default=[2, 4, 8, 16, 64])
    parser.add_argument("--parts", type=int, nargs="*", default=[64, 512, 4096])
    parser.add_argument("--devices", type=int, nargs="*", default=[64, 4096, 65536])
    parser.add_argument("--start", nargs="*", default=["smoke"], metavar="PROBLEM")
    args = parser.parse_args(arguments)
    row("a rank's start", "opened", "asked for", "different")
    for problem in args.start:
        row(problem, *asked(problem))
    for titles, numbers, measure in (
        (("ranks", "meet, cpu s", "groups, cpu s", "gather, cpu s", "keys"), args.ranks, meeting),
        (("ranks", "write two, s", "read, s", "parts opened"), args.ranks, checkpoint),
        (("parts", "processor s", "parts opened"), args.parts, resume),
        (("devices", "devices, bytes", "nodes", "energy_sources", "energy_reading"), args.devices, sizes),
    ):
        row(*titles)
        for number in numbers:
            folder = Path(tempfile.mkdtemp(prefix="growth_"))
            try:
                row(number, *(measure(number) if measure is sizes else measure(folder, number)))
            finally:
                shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
