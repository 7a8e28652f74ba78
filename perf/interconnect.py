"""Measure latency and bandwidth between ranks, for the system file of project.py.

    torchrun --nproc-per-node 2 -- perf/interconnect.py         # the link: ranks 0 and 1, 2 and 3, ...
    srun ... perf/interconnect.py --distance 8                  # the network, with 8 ranks a node: ranks 0 and 8, ...

All ranks exchange messages with their partner at the same time, in both directions, as in a halo exchange. Then they
sum a few numbers over all ranks, as norms do. Printed are medians over repetitions on the slowest rank.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch
import torch.distributed as dist

from benchmark.launch import Launch, detect_launch
from benchmark.rendezvous import meet
from implementations.pytorch.config import gpu_of
from implementations.pytorch.parallel.layout import Layout, init_process_group

SIZES = (1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24)  # bytes


def device_of(launch: Launch) -> torch.device:
    """The device of a rank's messages: its GPU, which becomes the current one as NCCL requires, or else the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    device = torch.device("cuda", gpu_of(launch))
    torch.cuda.set_device(device)
    return device


def exchange(wire: torch.Tensor, received: torch.Tensor, peer: int) -> Callable[[], None]:
    """A function that sends a tensor to a rank and receives one from it."""

    def run() -> None:
        for work in dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, wire, peer), dist.P2POp(dist.irecv, received, peer)]
        ):
            work.wait()

    return run


def seconds(run: Callable[[], None], device: torch.device, times: int) -> float:
    """The median seconds of a call on the slowest rank; all ranks start together."""
    took = []
    for _ in range(times):
        dist.barrier()
        start = time.perf_counter()
        run()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        took.append(time.perf_counter() - start)
    slowest = torch.tensor(statistics.median(took[times // 5 :]), dtype=torch.float64, device=device)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--distance", type=int, default=1, help="ranks between partners (default 1: neighbours)")
    parser.add_argument("--times", type=int, default=25)
    options = parser.parse_args()
    launch = detect_launch()
    meet(launch)
    device = device_of(launch)
    torch.set_num_threads(1)
    init_process_group(Layout(launch.world_size, launch.rank), launch, device, 60)
    block, place = divmod(launch.rank, 2 * options.distance)
    peer = 2 * options.distance * block + (place + options.distance) % (2 * options.distance)
    if peer >= launch.world_size or launch.world_size % (2 * options.distance):
        sys.exit(f"interconnect.py: found {launch.world_size} ranks, wanted a multiple of {2 * options.distance}")
    found = {}
    for size in SIZES:
        wire, received = torch.zeros(2, size, dtype=torch.uint8, device=device)
        found[size] = seconds(exchange(wire, received, peer), device, options.times)
    few = torch.zeros(16, dtype=torch.float64, device=device)
    small_sum = seconds(lambda: dist.all_reduce(few), device, options.times)
    if launch.rank == 0:
        for size, took in found.items():
            print(f"{size:>10} bytes {1e6 * took:10.1f} us {size / took / 1e9:8.3f} GB/s")
        print(f"    sum of 16 numbers over {launch.world_size} ranks {1e6 * small_sum:10.1f} us")
        rate = (SIZES[-1] - SIZES[-3]) / (found[SIZES[-1]] - found[SIZES[-3]]) / 1e9
        print(f"{{gb_per_second: {rate:.3g}, microseconds: {1e6 * found[SIZES[0]]:.3g}}}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
