"""Measure throughput without convergence: steps on real data in blocks, with seconds by phase, rates, bytes and memory.

`train.py --steps N` writes a log that says `throughput_only`. The checker never takes it for a scored run.
"""

import itertools
import math
import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from benchmark.run import keys
from benchmark.run.errors import Aborted
from benchmark.run.log import spread_of

from ..input.order import train_batches
from ..input.prefetch import Batch, device_batches
from ..training.run import Run
from .peak import model_flops, peak_rate
from .phases import PHASES, PhaseClock, timed

WARM_UP = 3  # steps that do not count
BLOCKS = 5  # into which the counted steps are divided, to see how steady they are
TRACED = 3  # steps of a profiler's trace, which do not count either


@dataclass(frozen=True)
class TimedSteps:
    """A block of steps on this rank: its seconds by phase, which add up to the whole, and the bytes read."""

    steps: int
    samples: int  # over all ranks
    seconds: dict[str, float]
    bytes: int


@dataclass(frozen=True)
class Measurement:
    """The measurement of a run over `steps` steps, with the peak that it is compared with. `flops` are per sample, over
    all ranks; `peak` is a rank's, in 10^12 FLOP/s."""

    run: Run
    steps: int
    flops: int
    peak: float
    peak_source: str

    @property
    def block_steps(self) -> int:
        """The number of steps of a block. The last block may have fewer."""
        return math.ceil(self.steps / BLOCKS)

    @cached_property
    def clock(self) -> PhaseClock:
        return PhaseClock(torch.device(self.run.config.device))

    def log_setup(self) -> None:
        """Log what is going to be measured."""
        setup = {"steps": self.steps, "warm_up_steps": WARM_UP, "block_steps": self.block_steps}
        against = {"flops_per_sample": self.flops, "peak_tflops": self.peak, "peak_source": self.peak_source}
        self.run.log.event("throughput_setup", setup | against)

    def measure(self, trace: Path | None) -> dict[str, Any]:
        """Warm up, measure, and trace if `trace` is set. Return the numbers of all blocks together, as logged."""
        run = self.run
        updates = [(run.state.optimizer, "step"), *([(run.state.average, "update")] if run.state.average else [])]
        run.state.model.train()
        with timed(self.clock, run.task, run.state.model, *updates):
            work = self.work(WARM_UP + self.steps + (TRACED if trace else 0))
            self.block(itertools.islice(work, WARM_UP))
            if run.config.device == "cuda":  # cuDNN's search for kernels and the large matrix product do not count
                torch.cuda.reset_peak_memory_stats()
            measured, blocks = itertools.islice(work, self.steps), []
            while block := list(itertools.islice(measured, self.block_steps)):
                blocks.append(self.block(block))
                stats = self.statistics(blocks[-1:])
                samples = blocks[-1].samples
                run.log.event("tracked_stats", stats, block=len(blocks), steps=len(block), samples_count=samples)
                run.print_rank0(f"block {len(blocks)}: {rates(stats)}")
            total = self.statistics(blocks)
            if trace:  # after the measurement, because a profiler needs much memory
                self.clock.named = True
                traced(trace, run, lambda: self.block(itertools.islice(work, TRACED)))
                self.clock.named = False
            total |= {"evaluation": self.evaluation()}
        total |= self.epoch(total)
        run.log.event("throughput", total, steps=self.steps, samples_count=sum(b.samples for b in blocks))
        return total

    def work(self, steps: int) -> Iterator[tuple[float, int, list[float], Iterator[Batch]]]:
        """Yield the steps of successive epochs: (epochs so far, samples, weights of its parts, batches)."""
        run, config = self.run, self.run.config
        ids = run.problem.split_samples("train")
        epochs = (
            (epoch, train_batches(run.layout, ids, config.batch_size, run.seed, epoch, config.accumulate))
            for epoch in itertools.count(1)
        )
        order = (
            (epoch - 1 + number / len(batches), min(config.batch_size, len(ids) - number * config.batch_size), parts)
            for epoch, batches in epochs
            for number, parts in enumerate(batches)
        )
        chosen = list(itertools.islice(order, steps))
        samples = [part.samples for *_, parts in chosen for part in parts]
        remember(run, "train", list(itertools.chain.from_iterable(samples)))
        batches = device_batches(run.reader, "train", samples, run.device)
        for epochs_done, size, parts in chosen:
            yield epochs_done, size, [p.weight for p in parts], itertools.islice(batches, len(parts))

    def block(self, work: Any) -> TimedSteps:
        """Run and time a block of steps."""
        run, clock, read = self.run, self.clock, self.run.reader.bytes_read
        steps = samples = 0
        total = torch.zeros((), dtype=torch.float64, device=run.config.device)
        clock.start()
        for epochs, size, weights, batches in work:
            with clock.phase("wait"):
                ready = list(batches)
            total += run.step(epochs, weights, ready)
            steps, samples = steps + 1, samples + size
        seconds = clock.seconds()
        if not math.isfinite(total.item()):
            raise Aborted(f"the loss is {total.item() / steps} after {steps} steps")
        return TimedSteps(steps, samples, seconds, run.reader.bytes_read - read)

    def statistics(self, blocks: list[TimedSteps]) -> dict[str, Any]:
        """Return the numbers of blocks together, from all ranks. A block takes as long as its slowest rank."""
        steps, samples = sum(b.steps for b in blocks), sum(b.samples for b in blocks)
        mine = {name: sum(b.seconds[name] for b in blocks) / steps for name in PHASES}
        own = {
            "seconds": mine,
            "blocks": [sum(b.seconds.values()) for b in blocks],
            "read": sum(b.bytes for b in blocks),
        }
        ranks = self.run.layout.gather(own | {"memory": peak_memory(self.run.config.device)})
        step = sum(map(max, zip(*(r["blocks"] for r in ranks), strict=True))) / steps
        tflops = self.flops * samples / (steps * step) / 1e12
        memory = [r["memory"] for r in ranks]
        return {
            "throughput": samples / (steps * step),
            "step_seconds": step,
            "seconds": {name: sum(r["seconds"][name] for r in ranks) / len(ranks) for name in PHASES},
            "most_seconds": {name: max(r["seconds"][name] for r in ranks) for name in PHASES},
            "model_tflops": tflops,
            "peak_share": tflops / (len(ranks) * self.peak),
            "bytes_read": spread_of([r["read"] for r in ranks]),
            "peak_memory_bytes": {"least_by_rank": min(memory), "most_by_rank": max(memory)},
        }

    def evaluation(self) -> dict[str, float]:
        """Time the evaluation of as many samples as were trained on, at most the validation split."""
        run = self.run
        some = run.problem.split_samples("validation")[: self.steps * run.config.batch_size]
        remember(run, "validation", run.layout.share(some))
        run.evaluate_samples(some[: run.config.eval_batch_size])  # warms up
        self.clock.start()
        run.evaluate_samples(some)
        seconds = max(run.layout.gather(sum(self.clock.seconds().values())))
        return {"samples": len(some), "seconds": seconds, "throughput": len(some) / seconds}

    def epoch(self, total: dict[str, Any]) -> dict[str, Any]:
        """Return how long an epoch would take."""
        problem = self.run.problem
        steps = math.ceil(problem.train_samples / self.run.config.batch_size)
        evaluation = problem.validation_samples / total["evaluation"]["throughput"]
        seconds = total["seconds"] | {"evaluation": evaluation / steps}
        whole = problem.train_samples / total["throughput"] + evaluation
        return {"steps_per_epoch": steps, "epoch_seconds": whole, "seconds": seconds}


def remember(run: Run, split: str, samples: list[int]) -> None:
    """Read as large a share of these samples as a rank has in memory after it has seen the whole dataset, and keep no
    further ones. So the measured steps read as much as a run's later epochs."""
    reader, problem, room = run.reader, run.problem, run.config.cache_gib * 2**30
    whole = (problem.train_samples + problem.validation_samples) * sum(a.nbytes for a in reader.blank)
    distinct = list(dict.fromkeys(samples))
    known = distinct[: round(len(distinct) * min(1, room / whole))]
    reader.free_bytes = int(room)
    for _ in reader.batches(split, [[sample] for sample in known]):
        pass
    reader.free_bytes = 0


def run_steps(run: Run, steps: int, trace: Path | None) -> None:
    """Measure and log the throughput of `steps` steps. Raises Aborted and WrongData as a run does."""
    run.start()
    run.fingerprints()
    run.stage()
    flops = model_flops(run.task, run.state.model, run.layout)
    found = Measurement(run, steps, flops, *peak_rate(run.config, run.layout))
    found.log_setup()
    total = found.measure(trace)
    run.log.stop(keys.SUCCESS)
    run.print_rank0(f"{steps} steps: {rates(total)}; peak: {found.peak:.3g} TFLOP/s a rank, {found.peak_source}")
    run.print_rank0(", ".join(f"{name} {seconds:.4g} s" for name, seconds in total["seconds"].items()))


def rates(stats: dict[str, Any]) -> str:
    """Return the most important numbers, in words."""
    done = f"{stats['throughput']:.4g} samples/s, {stats['step_seconds']:.4g} s a step"
    return f"{done}, {stats['model_tflops']:.3g} TFLOP/s, {stats['peak_share']:.1%} of the peak"


def traced(trace: Path, run: Run, block: Callable[[], Any]) -> None:
    """Run a block under the profiler. The trace, in Chrome's JSON, is a file for each rank in the folder `trace`, whose
    name loses an ending .json. With a single rank such a `trace` is the file itself."""
    named = trace.suffix == ".json"
    folder = trace.with_suffix("") if named else trace
    path = trace if named and run.layout.ranks == 1 else folder / f"rank_{run.layout.rank}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with torch.profiler.profile(record_shapes=True) as profile:
        block()
    profile.export_chrome_trace(str(path))
    run.print_rank0(f"trace of {TRACED} steps: {path}")


def peak_memory(device: str) -> int:
    """Return the peak of memory in bytes: of tensors on a GPU, of the resident process on a CPU."""
    if device == "cuda":
        return torch.cuda.max_memory_allocated()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
