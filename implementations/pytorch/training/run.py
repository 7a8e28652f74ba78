"""Make a run: train and evaluate epochs until the target is reached."""

import contextlib
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor, nn
from tqdm import tqdm

from benchmark.clock import now_ms
from benchmark.run import keys
from benchmark.run.errors import Aborted, WrongData, reason
from benchmark.run.log import RunLog
from benchmark.run.reader import Evidence, Reader, published_fingerprints, verify_split
from benchmark.run.trial import Trial
from benchmark.tuning.ending import ENDED
from benchmark.workload import AnyProblem

from ..config import RunConfig
from ..input.order import evaluation_batches, train_batches
from ..input.prefetch import Batch, device_batches
from ..measuring.steps import StepTimes
from ..parallel.gradients import unsharded
from ..parallel.layout import Layout
from ..task import Evaluation, Task
from .checkpoint import Checkpoints
from .seeds import seed_dropout
from .state import TrainingState, tensors_of
from .step import train_step
from .watchdog import Watchdog


@dataclass(frozen=True)
class Files:
    """What a run reads and writes: the dataset, its log, and, where they are asked for, checkpoints and a copy of the
    dataset on the node's own disk."""

    reader: Reader
    log: RunLog
    checkpoints: Checkpoints | None = None
    staging: Any = None  # an input.staging.Staging


@dataclass(frozen=True)
class Run:
    """One run on one rank. The model of its `state` may be wrapped."""

    task: Task
    layout: Layout
    state: TrainingState
    seed: int
    files: Files
    watchdog: Watchdog | None = None
    energy: Any = None  # a startup.energy.EnergyMeter
    trial: Trial | None = None

    @property
    def problem(self) -> AnyProblem:
        return self.task.problem

    @property
    def config(self) -> RunConfig:
        return self.task.config

    @property
    def device(self) -> torch.device:
        return torch.device(self.config.device)

    @property
    def log(self) -> RunLog:
        return self.files.log

    @property
    def reader(self) -> Reader:
        return self.files.reader

    def to_target(self) -> None:
        """Train until the target is reached. Raises Aborted when it cannot be, WrongData for a wrong dataset."""
        first, found = self.start()
        fingerprints = self.fingerprints()
        self.stage()
        self.prepare()
        parts = self.task.evaluations_per_epoch
        for epoch in range(first, self.config.epochs + 1):
            for part in range(parts):
                epochs = epoch if part == parts - 1 else epoch - 1 + (part + 1) / parts
                self.log.epoch = epochs
                stats = self.train_part(epochs, epoch, part)
                if epoch == first == epochs:
                    self.verify("train", fingerprints)
                found = self.evaluate(epochs)
                if epoch == first and part == 0:
                    self.verify("validation", fingerprints)
                self.keep(epochs, found)
                loss, rate = f"loss {stats['loss']:.4f}", f"{stats['throughput']:.1f} samples/s"
                self.print_rank0(f"epoch {epochs:g}: {loss}, {self.quality(found)}, {rate}")
                if self.reached(found):
                    if not self.trial:  # a campaign keeps the weights of its confirmation runs only
                        self.keep_weights()
                    return
                self.end_trial()
        done = f"{self.quality(found) if found else ''} after {max(first - 1, self.config.epochs)} epochs"
        raise Aborted(f"{done}, wanted {self.problem.target}")

    def start(self) -> tuple[int, Evaluation | None]:
        """Start the clock, or resume from a checkpoint, whose clock never stopped. Return the first epoch, and the last
        evaluation of a resumed run."""
        resumed = self.files.checkpoints and self.files.checkpoints.resumed
        if resumed:
            self.resume()
        else:
            self.log.start("run")
        self.layout.barrier()  # no rank touches the dataset before rank 0 has started the clock
        return (resumed.epoch + 1, Evaluation(resumed.score, resumed.facts)) if resumed else (1, None)

    def resume(self) -> None:
        """Restore the state from the checkpoint, and log that the run is resumed."""
        checkpoints, at = self.files.checkpoints, self.files.checkpoints.resumed
        checkpoints.restore(self.state, self.layout)
        self.log.resume(at.epoch)
        if found := checkpoints.missing_evaluation(self.task.metric):
            self.log_evaluation(at.epoch, found)
        lost = (now_ms() - at.saved) / 1000
        self.log.event("resumed", self.log.head, epoch_num=at.epoch, lost_seconds=lost)

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprints in the dataset's manifest, by split: rank 0's. Raises WrongData on all ranks if the
        manifest of any is missing or another problem's, since each node may have a dataset of its own."""
        published: dict[str, str] = {}
        wrong = ""
        try:
            published = published_fingerprints(self.reader.root, self.problem)
        except WrongData as error:
            wrong = f"on rank {self.layout.rank}: {error}" if self.layout.rank else str(error)
        found = self.layout.gather((published, wrong))
        if wrong := next((why for _, why in found if why), ""):
            raise WrongData(wrong, everywhere=True)
        return found[0][0]

    def stage(self) -> None:
        """Copy the data to the node's own disk, if --stage asks for it, and read them there."""
        if self.files.staging:
            self.log.start("staging")
            source, target = self.reader.root, self.files.staging.folder(self.problem, self.seed)
            copied = self.files.staging.fill(source, target, self.problem, self.layout, self.heartbeat)
            self.reader.root = target
            self.log.end("staging", bytes=copied)

    def prepare(self) -> None:
        """Let the task look at the training data, where it has a `prepare`. Raises WrongData for a bad file."""
        if prepare := getattr(self.task, "prepare", None):
            try:
                prepare(self.reader.root, self.layout)
            except ValueError as error:
                raise WrongData(str(error)) from None

    def reached(self, found: Evaluation) -> bool:
        """Return whether an evaluation reaches the target."""
        return found.value <= self.problem.target if self.task.lower else found.value >= self.problem.target

    def quality(self, found: Evaluation) -> str:
        """Return an evaluation in words."""
        return f"{self.task.quantity} {found.value:.4f}"

    def train_part(self, epochs: float, epoch: int, part: int) -> dict[str, float]:
        """Train on a part of the training split, which is all of it where there is one evaluation an epoch. `epochs`
        are those that will be over then. Return the statistics that are logged."""
        self.log.start("epoch", epoch_num=epochs)
        if part == 0:  # so that an epoch follows from the state before it
            seed_dropout(self.seed, self.layout.place[0], epoch - 1)
        start, times = time.perf_counter(), StepTimes()
        early = total = torch.zeros((), dtype=torch.float64, device=self.device)
        config, ids = self.config, self.problem.split_samples("train")
        steps = train_batches(self.layout, ids, config.batch_size, self.seed, epoch, config.accumulate)
        parts = self.task.evaluations_per_epoch
        mine = range(part * len(steps) // parts, (part + 1) * len(steps) // parts)
        batches = device_batches(self.reader, "train", (p.samples for i in mine for p in steps[i]), self.device)
        samples = 0
        self.state.model.train()
        for number in tqdm(mine, f"epoch {epochs:g}", leave=False, disable=self.quiet()):
            ready = [next(batches) for _ in steps[number]]
            size = min(config.batch_size, len(ids) - number * config.batch_size)
            loss = self.step(epoch - 1 + number / len(steps), [p.weight for p in steps[number]], ready)
            total, samples = total + loss * size, samples + size
            early = total / samples if number < mine.start + keys.EARLY else early
            times.add(sum(batch.wait for batch in ready))
        loss = total.item() / samples  # waits for the device
        seconds, waited = time.perf_counter() - start, sum(times.waits)
        if not math.isfinite(loss):
            raise Aborted(f"the loss is {loss} in epoch {epochs:g}")
        stats = {
            "throughput": samples / seconds,
            "loss": loss,
            "early_loss": early.item(),
            "wait_seconds": waited,
            "compute_seconds": seconds - waited,
            **times.statistics(self.layout, seconds, config.device),
        }
        self.log.event(keys.TRACKED_STATS, stats, epoch_num=epochs)
        self.log.end("epoch", epoch_num=epochs, samples_count=samples)
        return stats

    def step(self, epochs: float, weights: list[float], batches: list[Batch]) -> Tensor:
        """Make one step, `epochs` epochs after the start, on this rank's parts of a batch. Return the loss of the
        whole batch before the step."""
        for group in self.state.optimizer.param_groups:
            group["lr"] = self.task.learning_rate(epochs)
        parts = zip(weights, (batch.tensors for batch in batches), strict=True)
        loss = train_step(self.task, self.state.model, self.state.optimizer, parts, self.layout)
        if self.state.average:
            self.state.average.update(self.state.model)
        self.heartbeat()
        return loss

    def evaluate(self, epochs: float) -> Evaluation:
        """Evaluate the whole validation split after `epochs` epochs, and log the interval. Return the score."""
        samples = self.problem.split_samples("validation")
        self.log.start("eval", epoch_num=epochs)
        found = self.evaluate_samples(samples)
        self.log.end("eval", epoch_num=epochs, samples_count=len(samples))
        return found

    def evaluate_samples(self, samples: range) -> Evaluation:
        """Return the score over samples of the validation split."""
        steps = evaluation_batches(self.layout, samples, self.config.eval_batch_size)
        batches = device_batches(self.reader, "validation", steps, self.device)
        with self.evaluated_model() as model:
            return self.task.evaluate(model.eval(), self.watched(batches), self.layout)

    @contextlib.contextmanager
    def evaluated_model(self) -> Iterator[nn.Module]:
        """Yield the plain model with the weights to evaluate: their average, if the run has one."""
        average, model = self.state.average, self.state.model
        with average.in_place_of(model) if average else contextlib.nullcontext(), unsharded(model) as plain:
            yield plain

    def keep(self, epochs: float, found: Evaluation) -> None:
        """Log an evaluation, and stop the clock if it reaches the target; else write a checkpoint at an epoch's end."""
        reached = self.reached(found)
        if self.files.checkpoints and not reached and epochs == int(epochs):
            # Before the score is logged, so that no evaluation is logged twice after an interruption.
            state = self.files.checkpoints.save(self.state, self.layout, self.seed, int(epochs), found)
            found = Evaluation(found.value, found.facts | {"state": state})
        if self.energy:
            self.energy.write()
        self.log_evaluation(epochs, found)
        if reached:
            self.log.stop(keys.SUCCESS)
            if self.energy:
                self.energy.finish()

    def log_evaluation(self, epochs: float, found: Evaluation) -> None:
        """Log the score of an evaluation of the whole validation split."""
        self.log.evaluation(self.task.metric, found.value, epochs, self.problem.validation_samples, **found.facts)

    def keep_weights(self) -> None:
        """Write the final weights beside the log, after the clock has stopped, and log the file."""
        with self.evaluated_model() as model:
            tensors = tensors_of(model) if self.layout.rank == 0 else {}
        if self.layout.rank == 0:
            try:
                self.log.weights(save(tensors))
            except OSError as error:  # the run is over, and its result stays
                self.print_rank0(f"final weights not written: {reason(error)}")

    def verify(self, split: str, fingerprints: dict[str, str]) -> None:
        """Compare what all ranks read of a split with its fingerprint, in the first epoch and in the first one after a
        resumption. It is logged once in a run. Raises WrongData on all ranks if they differ."""
        parts = self.layout.gather(self.reader.evidence(split))
        evidence = sum(parts, Evidence())
        if self.log.epoch <= 1:
            self.log.evidence(split, evidence, [part.bytes for part in parts])
        verify_split(self.reader.root, split, evidence, fingerprints)

    def end_trial(self) -> None:
        """Decide after an evaluation, on rank 0, whether a trial of a campaign goes on. Raises Aborted on all ranks if
        it does not."""
        if self.trial:
            decides = self.layout.rank == 0
            why = self.trial.reason_to_end(self.task.metric, self.task.lower) if decides else ""
            if why := self.layout.gather(why)[0]:
                raise Aborted(f"{ENDED}{why}")

    def watched(self, batches: Iterator[Batch]) -> Iterator[tuple[Tensor, ...]]:
        """Yield the batches' tensors, and report progress to the watchdog."""
        for batch in batches:
            self.heartbeat()
            yield batch.tensors

    def heartbeat(self) -> float:
        """Tell the watchdog that the run is making progress. Return the seconds in which it wants to hear again."""
        if self.watchdog:
            self.watchdog.heartbeat()
        return self.config.timeout_seconds

    def quiet(self) -> bool | None:
        """Return tqdm's `disable`: only rank 0 has a progress bar, and only on a terminal."""
        return None if self.layout.rank == 0 else True

    def print_rank0(self, text: str) -> None:
        """Print a line on rank 0's stderr."""
        if self.layout.rank == 0:
            tqdm.write(text, file=sys.stderr)
