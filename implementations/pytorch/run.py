"""A run on the clock: epochs of training and evaluation until the target is reached."""

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel
from tqdm import tqdm

from benchmark import fingerprint
from benchmark.manifest import Manifest, load_manifest
from benchmark.metric import Counts, dice
from benchmark.problem import Problem
from implementations.pytorch.config import TrainConfig
from implementations.pytorch.data import Batch, Evidence, Reader, evaluation_batches, train_batches
from implementations.pytorch.evaluate import evaluate
from implementations.pytorch.layout import Layout
from implementations.pytorch.runlog import RunLog
from implementations.pytorch.scaffold.schedule import learning_rate
from implementations.pytorch.step import batch_loss, plain_model, train_step
from implementations.pytorch.stop import Aborted, WrongData


@dataclass(frozen=True)
class Run:
    """One run, as one rank sees it. `model` may be wrapped for parallelism, `average` is evaluated in its place
    unless it is None, `weight` (C,) is the loss's."""

    problem: Problem
    config: TrainConfig
    layout: Layout
    model: nn.Module
    average: AveragedModel | None
    optimizer: torch.optim.Optimizer
    weight: Tensor
    seed: int
    reader: Reader
    log: RunLog

    def to_target(self) -> None:
        """Train until the target is reached. Raises Aborted when it cannot be, WrongData for a wrong dataset."""
        self.log.start("run")
        self.layout.barrier()  # no rank touches the dataset before rank 0 has started the clock
        manifest = open_manifest(self.reader.root, self.problem)
        for epoch in range(1, self.config.epochs + 1):
            self.log.epoch = epoch
            proof = [] if epoch == 1 else None
            stats = self.train_epoch(epoch, proof)
            self.prove("train", proof, manifest)
            proof = [] if epoch == 1 else None
            counts = self.evaluate(epoch, proof)
            self.prove("validation", proof, manifest)
            self.log.accuracy(counts, self.problem.validation_samples)
            score = dice(counts)
            if score >= self.problem.target:
                self.log.stop("success")
            self.say(f"epoch {epoch}: loss {stats['loss']:.4f}, Dice {score:.4f}, {stats['throughput']:.1f} samples/s")
            if score >= self.problem.target:
                return
        raise Aborted(f"Dice {score:.4f} after {epoch} epochs, wanted {self.problem.target}")

    def train_epoch(self, epoch: int, proof: list[Evidence] | None) -> dict[str, float]:
        """One pass over the training split; its statistics as logged."""
        self.log.start("epoch", epoch_num=epoch)
        start, waited = time.perf_counter(), 0.0
        total = torch.zeros((), dtype=torch.float64, device=self.config.device)
        samples, batch_size = self.problem.train_samples, self.config.batch_size
        steps = train_batches(self.layout, self.problem.split_samples("train"), batch_size, self.seed, epoch)
        batches = self.reader.batches("train", steps, self.weight.device, proof)
        self.model.train()
        for step, batch in enumerate(tqdm(batches, f"epoch {epoch}", len(steps), leave=False, disable=self.quiet())):
            total += self.step(epoch - 1 + step / len(steps), batch) * min(batch_size, samples - step * batch_size)
            waited += batch.wait
        loss = total.item() / samples  # waits for the device
        seconds = time.perf_counter() - start
        if not math.isfinite(loss):
            raise Aborted(f"the loss is {loss} in epoch {epoch}")
        stats = {
            "throughput": samples / seconds,
            "loss": loss,
            "wait_seconds": waited,
            "compute_seconds": seconds - waited,
        }
        self.log.event("tracked_stats", stats, epoch_num=epoch)
        self.log.end("epoch", epoch_num=epoch, samples_count=samples)
        return stats

    def step(self, time_in_epochs: float, batch: Batch) -> Tensor:
        """One step on this rank's part of a batch; the loss of the whole batch, before the step."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.config, time_in_epochs)
        loss = batch_loss(self.model, batch.volume, batch.label, self.weight, self.layout, self.config)
        train_step(self.model, self.optimizer, loss, self.config.gradient_clip)
        if self.average:
            self.average.update_parameters(plain_model(self.model))
        return loss.detach()

    def evaluate(self, epoch: int, proof: list[Evidence] | None) -> Counts:
        """The counts of the whole validation split."""
        samples = self.problem.split_samples("validation")
        self.log.start("eval", epoch_num=epoch)
        steps = evaluation_batches(self.layout, samples, self.config.eval_batch_size)
        batches = self.reader.batches("validation", steps, self.weight.device, proof)
        model = plain_model(self.average or self.model).eval()
        counts = evaluate(model, batches, self.problem.classes, self.layout, self.config)
        self.log.end("eval", epoch_num=epoch, samples_count=len(samples))
        return counts

    def prove(self, split: str, proof: list[Evidence] | None, manifest: Manifest) -> None:
        """Log the evidence of all that was read of a split, in the first epoch, and hold it against the manifest."""
        if proof is None:
            return
        parts = self.layout.gather(sum(proof, Evidence()))
        evidence = sum(parts, Evidence())
        self.log.evidence(split, evidence, [part.bytes for part in parts])
        found, wanted = fingerprint.to_hex(evidence.fingerprint), manifest.fingerprints[split]
        if found != wanted:
            reason = f"{self.reader.root}: found {split} fingerprint {found}, wanted the manifest's {wanted}"
            raise WrongData(reason, everywhere=True)

    def quiet(self) -> bool | None:
        """tqdm's `disable`: rank 0 alone has a progress bar, and only on a terminal."""
        return None if self.layout.rank == 0 else True

    def say(self, text: str) -> None:
        """A line on stderr, from rank 0."""
        if self.layout.rank == 0:
            tqdm.write(text, file=sys.stderr)


def open_manifest(root: Path, problem: Problem) -> Manifest:
    """The dataset's manifest. Raises WrongData if it is missing, incomplete or another problem's."""
    try:
        return load_manifest(root, problem)
    except ValueError as error:
        raise WrongData(str(error), everywhere=True) from None
