"""Throughput without convergence: steps on real data in blocks, each one's seconds by phase, rates, bytes and memory.

`train.py --steps N` writes a log that says `throughput_only`: it is no run, and the checker takes it for none.
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

from ..input.reader import Batch, train_batches
from ..training.run import Run, open_manifest
from ..training.stop import Aborted
from .peak import model_flops, peak_rate
from .phases import PHASES, PhaseClock, timed

WARM_UP = 3  # steps that don't count
BLOCKS = 5  # that the counted steps are dealt into, to see how steady they are
TRACED = 3  # steps of a profiler's trace, which don't count either


@dataclass(frozen=True)
class TimedSteps:
    """A block of steps on this rank: seconds by phase, which add up to the whole, and bytes read."""

    steps: int
    samples: int  # over all ranks
    seconds: dict[str, float]
    bytes: int


@dataclass(frozen=True)
class Measurement:
    """The measurement of a run over so many steps, and what it is compared with. FLOPs are per sample, over all ranks;
    `peak` is a rank's, in 10^12 FLOP/s."""

    run: Run
    steps: int
    flops: int
    peak: float
    peak_source: str

    @property
    def block_steps(self) -> int:
        """Steps of a block; the last may have fewer."""
        return math.ceil(self.steps / BLOCKS)

    @cached_property
    def clock(self) -> PhaseClock:
        return PhaseClock(torch.device(self.run.config.device))

    def log_setup(self) -> None:
        """What is going to be measured."""
        setup = {"steps": self.steps, "warm_up_steps": WARM_UP, "block_steps": self.block_steps}
        against = {"flops_per_sample": self.flops, "peak_tflops": self.peak, "peak_source": self.peak_source}
        self.run.log.event("throughput_setup", setup | against)

    def measure(self, trace: Path | None) -> dict[str, Any]:
        """Warm up, measure, and trace if that is asked for; the numbers of all blocks together, as logged."""
        run = self.run
        updates = [(run.optimizer, "step"), *([(run.average, "update")] if run.average else [])]
        run.model.train()
        with timed(self.clock, run.task, run.model, *updates):
            work = self.work(WARM_UP + self.steps + (TRACED if trace else 0))
            self.block(itertools.islice(work, WARM_UP))
            forget_peak(run.config.device)
            measured, blocks = itertools.islice(work, self.steps), []
            while block := list(itertools.islice(measured, self.block_steps)):
                blocks.append(self.block(block))
                stats = self.statistics(blocks[-1:])
                samples = blocks[-1].samples
                run.log.event("tracked_stats", stats, block=len(blocks), steps=len(block), samples_count=samples)
                run.say(f"block {len(blocks)}: {rates(stats)}")
            total = self.statistics(blocks)
            if trace:  # behind what is measured, as a profiler's own memory is much
                self.clock.named = True
                traced(trace, run, lambda: self.block(itertools.islice(work, TRACED)))
                self.clock.named = False
            total |= {"evaluation": self.evaluation()}
        total |= self.epoch(total)
        run.log.event("throughput", total, steps=self.steps, samples_count=sum(b.samples for b in blocks))
        return total

    def work(self, steps: int) -> Iterator[tuple[float, int, list[float], Iterator[Batch]]]:
        """Step after step of one epoch after the other: (epochs so far, samples, weights of its parts, batches)."""
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
        batches = run.reader.batches("train", samples, torch.device(config.device))
        for epochs_done, size, parts in chosen:
            yield epochs_done, size, [p.weight for p in parts], itertools.islice(batches, len(parts))

    def block(self, work: Any) -> TimedSteps:
        """Steps, timed."""
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
        """The numbers of blocks together, from all ranks. A block takes as long as it took the slowest."""
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
        read, memory = [r["read"] for r in ranks], [r["memory"] for r in ranks]
        return {
            "throughput": samples / (steps * step),
            "step_seconds": step,
            "seconds": {name: sum(r["seconds"][name] for r in ranks) / len(ranks) for name in PHASES},
            "most_seconds": {name: max(r["seconds"][name] for r in ranks) for name in PHASES},
            "model_tflops": tflops,
            "peak_share": tflops / (len(ranks) * self.peak),
            "bytes_read": {"total": sum(read), "least_by_rank": min(read), "most_by_rank": max(read)},
            "peak_memory_bytes": {"least_by_rank": min(memory), "most_by_rank": max(memory)},
        }

    def evaluation(self) -> dict[str, float]:
        """The evaluation of as many samples as were trained on, at most of the split."""
        run = self.run
        some = run.problem.split_samples("validation")[: self.steps * run.config.batch_size]
        remember(run, "validation", run.layout.share(some))
        run.evaluate_samples(some[: run.config.eval_batch_size])  # warms up
        self.clock.start()
        run.evaluate_samples(some)
        seconds = max(run.layout.gather(sum(self.clock.seconds().values())))
        return {"samples": len(some), "seconds": seconds, "throughput": len(some) / seconds}

    def epoch(self, total: dict[str, Any]) -> dict[str, Any]:
        """What an epoch would take."""
        problem = self.run.problem
        steps = math.ceil(problem.train_samples / self.run.config.batch_size)
        evaluation = problem.validation_samples / total["evaluation"]["throughput"]
        seconds = total["seconds"] | {"evaluation": evaluation / steps}
        whole = problem.train_samples / total["throughput"] + evaluation
        return {"steps_per_epoch": steps, "epoch_seconds": whole, "seconds": seconds}


def remember(run: Run, split: str, samples: list[int]) -> None:
    """Read of these samples the share that a rank has in memory once it has seen the whole dataset; no more of them
    are remembered then. So steps read as much as they do in the long run."""
    reader, problem, room = run.reader, run.problem, run.config.cache_gib * 2**30
    whole = (problem.train_samples + problem.validation_samples) * sum(a.nbytes for a in reader.blank)
    distinct = list(dict.fromkeys(samples))
    known = distinct[: round(len(distinct) * min(1, room / whole))]
    reader.room = room
    for _ in reader.batches(split, [[sample] for sample in known], torch.device("cpu")):
        pass
    reader.room = 0


def run_steps(run: Run, steps: int, trace: Path | None) -> None:
    """Measure and log the throughput of so many steps. Raises Aborted and WrongData as a run does."""
    run.start()
    open_manifest(run.reader.root, run.problem)
    run.stage()
    flops = model_flops(run.task, run.model, run.layout)
    found = Measurement(run, steps, flops, *peak_rate(run.config, run.layout))
    found.log_setup()
    total = found.measure(trace)
    run.log.stop("success")
    run.say(f"{steps} steps: {rates(total)}; peak: {found.peak:.3g} TFLOP/s a rank, {found.peak_source}")
    run.say(", ".join(f"{name} {seconds:.4g} s" for name, seconds in total["seconds"].items()))


def rates(stats: dict[str, Any]) -> str:
    """The numbers that people look at first."""
    done = f"{stats['throughput']:.4g} samples/s, {stats['step_seconds']:.4g} s a step"
    return f"{done}, {stats['model_tflops']:.3g} TFLOP/s, {stats['peak_share']:.1%} of the peak"


def traced(trace: Path, run: Run, block: Callable[[], Any]) -> None:
    """Run a block under the profiler; its trace, in Chrome's JSON, is a file by rank: in the folder `trace`, or with
    a single rank, the file of that name if it ends in .json."""
    alone = trace.suffix == ".json" and run.layout.ranks == 1
    path = trace if alone else trace.with_suffix("") / f"rank_{run.layout.rank}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with torch.profiler.profile(record_shapes=True) as profile:
        block()
    profile.export_chrome_trace(str(path))
    run.say(f"trace of {TRACED} steps: {path}")


def forget_peak(device: str) -> None:
    """What was on the GPU before doesn't count: cuDNN tries its kernels, and the device's peak is a product of large
    matrices."""
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()


def peak_memory(device: str) -> int:
    """Bytes: the most that tensors took on the GPU; on a CPU the most that the process had resident."""
    if device == "cuda":
        return torch.cuda.max_memory_allocated()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
