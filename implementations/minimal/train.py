"""ScaFFold in one file: train a 3D U-Net until its validation Dice reaches the target, on one CPU or one GPU.

    python implementations/minimal/train.py --problem smoke --data data/smoke --log build/result_0.txt

It is the contract of docs/implementing.md alive: what an implementation must do to be judged, and nothing else. It
shares no code with the reference but `benchmark`. Exit codes: 0 target reached, 1 aborted, 2 wrong data or command.
"""

import copy
import math
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file: the clone's packages are used in place, and never from cached bytecode
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    sys.pycache_prefix = os.devnull
from benchmark.source import install  # isort: skip

install()  # from here on, every file of the clone that is loaded is recorded with its sha256
# ruff: noqa: E402
import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor, nn
from torch.nn import functional as F

from benchmark.config import Settings, setting
from benchmark.metric import Counts, dice
from benchmark.run import keys, seeds
from benchmark.run.describe import Implementation
from benchmark.run.devices import accelerator, processor
from benchmark.run.errors import Aborted, WrongData
from benchmark.run.options import parse_options
from benchmark.run.process import Setup, log_head, run_process
from benchmark.run.reader import Reader, published_fingerprints, verify_split
from rules.current import current

OPTIONS = ("--rehearsal-seed", "--problems", "--config", "--describe", "--head")  # of the optional ones


@dataclass(frozen=True)
class Config(Settings):
    """The settings, whose names are the reference's. Those of the machine do not change what is trained."""

    batch_size: int = setting(4, least=1)
    epochs: int = setting(1000, least=1)
    learning_rate: float = setting(1e-3, above=0)
    end_learning_rate: float = setting(1e-4, least=0)
    decay_epochs: float = setting(100.0, above=0)
    warmup_epochs: float = setting(0.0, least=0)
    beta_1: float = setting(0.9, least=0, below=1)
    beta_2: float = setting(0.999, least=0, below=1)
    epsilon: float = setting(1e-8, above=0)
    weight_decay: float = setting(0.0, least=0)
    gradient_clip: float = setting(1.0, above=0)
    average_epochs: float = setting(0.0, least=0)
    background_weight: float = setting(0.02, above=0)
    precision: str = setting("float32", choices=("float32", "bfloat16"))
    eval_batch_size: int = setting(8, least=1, machine=True)
    device: str = setting("cpu", choices=("cpu", "cuda"), machine=True)


class NormReLU(nn.GroupNorm):
    def forward(self, x: Tensor) -> Tensor:
        return F.relu(super().forward(x))


def block(channels_in: int, channels: int) -> nn.Sequential:
    first, second = (nn.Conv3d(c, channels, 3, padding=1, bias=False) for c in (channels_in, channels))
    return nn.Sequential(first, NormReLU(8, channels), second, NormReLU(8, channels))


class UNet(nn.Module):
    """(N, 1, D, H, W) -> logits (N, classes, D, H, W). Weights are drawn in the order in which layers are built."""

    def __init__(self, classes: int, width: int, levels: int):
        super().__init__()
        widths = [width << level for level in range(levels + 1)]
        self.down = nn.ModuleList(block(a, b) for a, b in zip([1, *widths[:-2]], widths[:-1], strict=True))
        self.bottom = block(widths[-2], widths[-1])
        self.rise = nn.ModuleList(nn.ConvTranspose3d(2 * w, w, 2, stride=2) for w in reversed(widths[:-1]))
        self.up = nn.ModuleList(block(2 * w, w) for w in reversed(widths[:-1]))
        self.head = nn.Conv3d(width, classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        skips = []
        for down in self.down:
            skips.append(down(x))
            x = F.max_pool3d(skips[-1], 2)
        x = self.bottom(x)
        for rise, up in zip(self.rise, self.up, strict=True):
            x = up(torch.cat([skips.pop(), rise(x)], 1))
        return self.head(x)


class Training:
    """The state of a run: its network, the moving average of the weights, which is evaluated, and the optimizer."""

    def __init__(self, problem, c: Config, seed: int):
        torch.manual_seed(seeds.stream_seed(seed, seeds.Stream.WEIGHTS))
        self.model = UNet(problem.classes, problem.width, problem.levels).to(c.device)
        self.average, self.seed, self.c, self.steps = copy.deepcopy(self.model), seed, c, 0
        self.adam = torch.optim.Adam(self.model.parameters(), 0.0, (c.beta_1, c.beta_2), c.epsilon, c.weight_decay)

    def epoch(self, epoch: int, reader: Reader) -> dict[str, float]:
        """Train once on every sample, in the seed's order. Return the mean loss, and that of the first 10 steps."""
        order = seeds.sample_order(self.seed, epoch, reader.problem.split_samples("train"))
        batches = [order[i : i + self.c.batch_size] for i in range(0, len(order), self.c.batch_size)]
        losses, early = [], slice(keys.EARLY)
        for number, arrays in enumerate(reader.batches("train", batches)):
            self.adam.param_groups[0]["lr"] = learning_rate(epoch - 1 + number / len(batches), self.c)
            logits, label = self.logits(self.model, arrays)
            loss = loss_of(logits.float(), label.long(), self.c.background_weight)
            self.adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.c.gradient_clip)
            self.adam.step()
            self.steps += 1
            share = min(1.0, max(self.c.batch_size / (self.c.average_epochs * len(order) or 1), self.steps**-0.7))
            with torch.no_grad():
                torch._foreach_lerp_(list(self.average.parameters()), list(self.model.parameters()), share)
            losses.append(loss.item() * len(label))
        return {"loss": sum(losses) / len(order), "early_loss": sum(losses[early]) / sum(map(len, batches[early]))}

    def logits(self, model: nn.Module, samples: list) -> tuple[Tensor, Tensor]:
        """Return logits (N, classes, D, H, W) and labels (N, D, H, W) of a batch of volumes and labels, uint8."""
        volume, label = (torch.from_numpy(np.stack(a)).to(self.c.device) for a in zip(*samples, strict=True))
        with torch.autocast(self.c.device, torch.bfloat16, enabled=self.c.precision == "bfloat16"):
            return model(volume.unsqueeze(1).float() * (2 / 255) - 1), label

    @torch.inference_mode()
    def evaluate(self, reader: Reader) -> Counts:
        """Return the voxels of the validation split by class: predicted rightly, predicted, and true."""
        samples, classes = reader.problem.split_samples("validation"), reader.problem.classes
        batches = [samples[i : i + self.c.eval_batch_size] for i in range(0, len(samples), self.c.eval_batch_size)]
        confusion = torch.zeros(classes, classes, dtype=torch.int64)
        for arrays in reader.batches("validation", batches):
            logits, label = self.logits(self.average, arrays)
            pairs = (label.long() * classes + logits.argmax(1)).flatten()
            confusion += torch.bincount(pairs, minlength=classes**2).view(classes, classes).cpu()
        return Counts(*(tuple(n.tolist()) for n in (confusion.diagonal(), confusion.sum(0), confusion.sum(1))))


def loss_of(logits: Tensor, label: Tensor, background: float) -> Tensor:
    """Weighted cross-entropy + 1 - the mean soft Dice of the foreground, over all voxels of the batch."""
    weight = torch.tensor([background] + [1.0] * (logits.shape[1] - 1), device=logits.device)
    log_p, true, voxels = F.log_softmax(logits, 1), F.one_hot(label, len(weight)).movedim(-1, 1), (0, 2, 3, 4)
    p = log_p.exp()
    overlap = (2 * (p * true).sum(voxels) + 1) / (p.sum(voxels) + true.sum(voxels) + 1)
    return F.nll_loss(log_p, label, weight) + 1 - overlap[1:].mean()


def learning_rate(epochs: float, c: Config) -> float:
    cosine = (1 + math.cos(math.pi * min(1.0, epochs / c.decay_epochs))) / 2
    rate = c.end_learning_rate + (c.learning_rate - c.end_learning_rate) * cosine
    return rate * min(1.0, epochs / c.warmup_epochs) if c.warmup_epochs else rate


def train(run: Setup) -> None:
    """Make a run, from the head of its log to its final weights. Raises Aborted and WrongData."""
    problem, c, log = run.problem, run.config, run.log
    if problem.workload != "scaffold":
        raise WrongData(f"--problem: found {problem.name}, which is of {problem.workload}, wanted one of scaffold")
    if c.device == "cuda" and not torch.cuda.is_available():
        raise WrongData("device: found no GPU that PyTorch can use, wanted one for cuda")
    torch.backends.cudnn.allow_tf32 = False  # as the log says; by default convolutions round float32 to it
    training, reader = Training(problem, c, run.seed), Reader(run.options.data, problem)
    gpu = torch.cuda.get_device_properties(0) if c.device == "cuda" else None
    device = accelerator("cuda", gpu.name, str(gpu.uuid)) if gpu else processor()
    parameters = sum(p.numel() for p in training.model.parameters())
    log_head(run, device, parameters, keys.scaffold_settings(c), current(), torch=torch.__version__)
    if run.options.head:
        return None
    log.start("run")  # the clock: only from here on the dataset is touched
    fingerprints = published_fingerprints(reader.root, problem)
    for epoch in range(1, c.epochs + 1):
        log.epoch, start, waited = epoch, time.perf_counter(), reader.waited
        log.start("epoch", epoch_num=epoch)
        stats = training.epoch(epoch, reader)
        if not math.isfinite(stats["loss"]):
            raise Aborted(f"the loss is {stats['loss']} in epoch {epoch}")
        seconds, waited = time.perf_counter() - start, reader.waited - waited
        stats |= {"throughput": problem.train_samples / seconds, "wait_seconds": waited}
        log.event(keys.TRACKED_STATS, stats | {"compute_seconds": seconds - waited}, epoch_num=epoch)
        log.end("epoch", epoch_num=epoch, samples_count=problem.train_samples)
        log.start("eval", epoch_num=epoch)
        counts = training.evaluate(reader)
        log.end("eval", epoch_num=epoch, samples_count=problem.validation_samples)
        for split in fingerprints if epoch == 1 else ():
            log.evidence(split, reader.evidence(split))
            verify_split(reader.root, split, reader.evidence(split), fingerprints)
        score = dice(counts)
        log.evaluation(keys.mllog.EVAL_ACCURACY, score, epoch, problem.validation_samples, **vars(counts))
        print(f"epoch {epoch}: loss {stats['loss']:.4f}, Dice {score:.4f}", file=sys.stderr)
        if score >= problem.target:
            log.stop(keys.SUCCESS)
            return log.weights(save({name: p.detach().cpu() for name, p in training.average.named_parameters()}))
    raise Aborted(f"Dice {score:.4f} after {c.epochs} epochs, wanted {problem.target}")


if __name__ == "__main__":
    us = Implementation("minimal", OPTIONS, f"PyTorch {torch.__version__}")
    options = parse_options(__doc__, sys.argv[1:], OPTIONS)
    sys.exit(run_process(options, us, Config, Path(__file__).parent, train))
