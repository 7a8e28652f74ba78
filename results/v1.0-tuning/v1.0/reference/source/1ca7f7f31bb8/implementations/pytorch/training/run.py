"""A run on the clock: epochs of training and evaluation until the target is reached."""

import contextlib
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm import tqdm

from benchmark import fingerprint
from benchmark.manifest import Manifest, load_manifest
from benchmark.workload import AnyProblem

from ..config import RunConfig
from ..input.reader import Batch, Evidence, Reader, evaluation_batches, train_batches
from ..input.staging import Staging
from ..measuring.energy import EnergyMeter
from ..measuring.steps import StepTimes
from ..parallel.gradients import whole
from ..parallel.layout import Layout
from ..task import Evaluation, Task
from .average import Average
from .checkpoint import Checkpoints
from .events import RunLog
from .seeds import seed_dropout
from .state import TrainingState
from .step import train_step
from .stop import Aborted, WrongData, reason
from .trial import Trial
from .watchdog import Watchdog
from .weights import save_weights, tensors_of


@dataclass(frozen=True)
class Run:
    """One run, as one rank sees it. `model` may be wrapped for parallelism; `average` is evaluated in its place
    unless it is None."""

    task: Task
    layout: Layout
    model: nn.Module
    average: Average | None
    optimizer: torch.optim.Optimizer
    seed: int
    reader: Reader
    log: RunLog
    checkpoints: Checkpoints | None = None
    staging: Staging | None = None
    watchdog: Watchdog | None = None
    energy: EnergyMeter | None = None
    trial: Trial | None = None

    @property
    def problem(self) -> AnyProblem:
        return self.task.problem

    @property
    def config(self) -> RunConfig:
        return self.task.config

    @property
    def state(self) -> TrainingState:
        return TrainingState(self.model, self.optimizer, self.average)

    def to_target(self) -> None:
        """Train until the target is reached. Raises Aborted when it cannot be, WrongData for a wrong dataset."""
        first = self.start()
        epoch, result = first - 1, self.before()
        manifest = open_manifest(self.reader.root, self.problem)
        self.stage()
        for epoch in range(first, self.config.epochs + 1):
            self.log.epoch = epoch
            proof = [] if epoch == first else None
            stats = self.train_epoch(epoch, proof)
            self.prove("train", proof, manifest)
            proof = [] if epoch == first else None
            found = self.evaluate(epoch, proof)
            self.prove("validation", proof, manifest)
            if self.checkpoints and not self.reached(found):
                # Before the score is logged, so that no evaluation comes twice.
                self.checkpoints.save(self.state, self.layout, self.seed, epoch, found)
            if self.energy:
                self.energy.write()
            self.log.evaluation(self.task.metric, found, self.problem.validation_samples)
            if self.reached(found):
                self.log.stop("success")
                if self.energy:
                    self.energy.finish()
            result = f"{self.task.quantity} {found.value:.4f}"
            self.say(f"epoch {epoch}: loss {stats['loss']:.4f}, {result}, {stats['throughput']:.1f} samples/s")
            if self.reached(found):
                if not self.trial:  # of a campaign, whose confirmation runs have theirs
                    self.keep_weights()
                return
            if self.trial:
                self.trial.decide(self.layout, self.task.metric, self.task.lower)
        raise Aborted(f"{result} after {epoch} epochs, wanted {self.problem.target}")

    def start(self) -> int:
        """Start the clock, or go on from a checkpoint by the clock that never stopped; the first epoch."""
        resumed = self.checkpoints and self.checkpoints.resumed
        if resumed:
            self.resume()
        else:
            self.log.start("run")
        self.layout.barrier()  # no rank touches the dataset before rank 0 has started the clock
        return resumed.epoch + 1 if resumed else 1

    def before(self) -> str:
        """The last evaluation of a run that goes on, in words."""
        resumed = self.checkpoints and self.checkpoints.resumed
        return f"{self.task.quantity} {resumed.score:.4f}" if resumed else ""

    def resume(self) -> None:
        """Take the state from the checkpoint, and say so in the log."""
        at = self.checkpoints.resumed
        self.checkpoints.restore(self.state, self.layout)
        seed_dropout(self.seed, self.layout.place[0], at.epoch)  # not as before
        self.log.go_on(at.epoch)
        if found := self.checkpoints.missing_evaluation(self.task.metric):
            self.log.evaluation(self.task.metric, found, self.problem.validation_samples)
        lost = round(time.time() - at.saved / 1000, 3)
        self.log.event("resumed", self.log.again, epoch_num=at.epoch, lost_seconds=lost)

    def stage(self) -> None:
        """Copy the data to the node's own disk, if that is asked for, and read it there."""
        if self.staging:
            self.log.start("staging")
            data = (self.reader.root, self.problem)
            self.reader.root, copied = self.staging.fill(
                *data, self.seed, self.layout, self.config.timeout_seconds, self.beat
            )
            self.log.end("staging", bytes=copied)

    def reached(self, found: Evaluation) -> bool:
        """Whether an evaluation meets the target."""
        return found.value <= self.problem.target if self.task.lower else found.value >= self.problem.target

    def train_epoch(self, epoch: int, proof: list[Evidence] | None) -> dict[str, float]:
        """One pass over the training split; its statistics as logged."""
        self.log.start("epoch", epoch_num=epoch)
        start, times = time.perf_counter(), StepTimes()
        total = torch.zeros((), dtype=torch.float64, device=self.config.device)
        samples, config = self.problem.train_samples, self.config
        ids = self.problem.split_samples("train")
        steps = train_batches(self.layout, ids, config.batch_size, self.seed, epoch, config.accumulate)
        parts = (part.samples for step in steps for part in step)
        batches = self.reader.batches("train", parts, torch.device(config.device), proof)
        self.model.train()
        for number, step in enumerate(tqdm(steps, f"epoch {epoch}", leave=False, disable=self.quiet())):
            ready = [next(batches) for _ in step]
            weights = [part.weight for part in step]
            loss = self.step(epoch - 1 + number / len(steps), weights, ready)
            total += loss * min(config.batch_size, samples - number * config.batch_size)
            times.add(sum(batch.wait for batch in ready))
        loss = total.item() / samples  # waits for the device
        seconds, waited = time.perf_counter() - start, sum(times.waits)
        if not math.isfinite(loss):
            raise Aborted(f"the loss is {loss} in epoch {epoch}")
        stats = {
            "throughput": samples / seconds,
            "loss": loss,
            "wait_seconds": waited,
            "compute_seconds": seconds - waited,
            **times.statistics(self.layout, seconds, config.device),
        }
        self.log.event("tracked_stats", stats, epoch_num=epoch)
        self.log.end("epoch", epoch_num=epoch, samples_count=samples)
        return stats

    def step(self, epochs: float, weights: list[float], batches: list[Batch]) -> Tensor:
        """One step on this rank's parts of a batch; the loss of the whole batch, before the step."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.task.learning_rate(epochs)
        parts = zip(weights, (batch.tensors for batch in batches), strict=True)
        loss = train_step(self.task, self.model, self.optimizer, parts, self.layout)
        if self.average:
            self.average.update(self.model)
        self.beat()
        return loss

    def evaluate(self, epoch: int, proof: list[Evidence] | None) -> Evaluation:
        """The score over the whole validation split."""
        samples = self.problem.split_samples("validation")
        self.log.start("eval", epoch_num=epoch)
        found = self.evaluate_samples(samples, proof)
        self.log.end("eval", epoch_num=epoch, samples_count=len(samples))
        return found

    def evaluate_samples(self, samples: range, proof: list[Evidence] | None = None) -> Evaluation:
        """The score over samples of the validation split."""
        steps = evaluation_batches(self.layout, samples, self.config.eval_batch_size)
        batches = self.reader.batches("validation", steps, torch.device(self.config.device), proof)
        with self.scoring_model() as model:
            return self.task.evaluate(model.eval(), self.followed(batches), self.layout)

    @contextlib.contextmanager
    def scoring_model(self) -> Iterator[nn.Module]:
        """The plain model with the weights that are evaluated: their average, if the run has one."""
        averaged = self.average.in_place_of(self.model) if self.average else contextlib.nullcontext()
        with averaged, whole(self.model) as model:
            yield model

    def keep_weights(self) -> None:
        """Write the weights that scored beside the log, off the clock, and say in the log what the file holds."""
        with self.scoring_model() as model:
            tensors = tensors_of(model) if self.layout.rank == 0 else {}
        if self.layout.rank == 0:
            try:
                self.log.weights(*save_weights(tensors, self.log.path))
            except OSError as error:  # the run is over, and its time stands
                self.say(f"final weights not written: {reason(error)}")

    def prove(self, split: str, proof: list[Evidence] | None, manifest: Manifest) -> None:
        """Hold the evidence of all that was read of a split against the manifest, in the first epoch and the first
        after a resumption, and log it, once in a run."""
        if proof is None:
            return
        parts = self.layout.gather(sum(proof, Evidence()))
        evidence = sum(parts, Evidence())
        if self.log.epoch == 1:
            self.log.evidence(split, evidence, [part.bytes for part in parts])
        found, wanted = fingerprint.to_hex(evidence.fingerprint), manifest.fingerprints[split]
        if found != wanted:
            reason = f"{self.reader.root}: found {split} fingerprint {found}, wanted the manifest's {wanted}"
            raise WrongData(reason, everywhere=True)

    def followed(self, batches: Iterator[Batch]) -> Iterator[tuple[Tensor, ...]]:
        """The batches' tensors; the run has come so far with each."""
        for batch in batches:
            self.beat()
            yield batch.tensors

    def beat(self) -> None:
        """The run is making progress."""
        if self.watchdog:
            self.watchdog.beat()

    def quiet(self) -> bool | None:
        """tqdm's `disable`: rank 0 alone has a progress bar, and only on a terminal."""
        return None if self.layout.rank == 0 else True

    def say(self, text: str) -> None:
        """A line on stderr, from rank 0."""
        if self.layout.rank == 0:
            tqdm.write(text, file=sys.stderr)


def open_manifest(root: Path, problem: AnyProblem) -> Manifest:
    """The dataset's manifest. Raises WrongData if it is missing, incomplete or another problem's."""
    try:
        return load_manifest(root, problem)
    except ValueError as error:
        raise WrongData(str(error), everywhere=True) from None
