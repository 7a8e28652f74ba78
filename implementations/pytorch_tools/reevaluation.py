"""Evaluate the final weights of a logged run again, as a run does. Nothing but tensors is loaded from their file."""

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load
from torch import Tensor, nn

from benchmark import fingerprint
from benchmark.run.errors import Aborted
from benchmark.run.log import RunLog
from benchmark.run.reader import Reader
from benchmark.workload import AnyProblem
from harness.auditing.logged import Epoch, flat
from implementations.pytorch.config import activation_type
from implementations.pytorch.layers.norm import fuse_norms
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import Evaluation, Task
from implementations.pytorch.training.run import Files, Run
from implementations.pytorch.training.state import TrainingState, tensors_of
from implementations.pytorch.training.step import ieee_float32

HEADER = 1 << 20  # most bytes of a file beside its numbers
WIDTH = 4  # bytes of a number


class Other(ValueError):
    """The weights can be read but are not those of the log."""


@dataclass(frozen=True)
class Apart:
    """The differences between an evaluation and the logged one: the largest difference of a count (or sum), relative to
    the larger of the two, and that of the score. `exact` says that all numbers are equal."""

    counts: float
    score: float
    exact: bool


def apart(logged: Epoch, found: Evaluation) -> Apart:
    """Return the distance of an evaluation from a logged one, which may have other lists of numbers beside its counts.
    Raises ValueError if it lacks a count."""
    facts = {name: tuple(flat(numbers)) for name, numbers in found.facts.items()}
    counts = {name: logged.facts.get(name, ()) for name in facts}
    logs, wanted = ({name: len(numbers) for name, numbers in one.items()} for one in (counts, facts))
    if logs != wanted:
        raise ValueError(f"found an evaluation with {logs} in the log, wanted {wanted}")
    pairs = [pair for name in facts for pair in zip(counts[name], facts[name], strict=True)]
    largest = max(abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0 for a, b in pairs)
    return Apart(largest, abs(found.value - logged.score), facts == counts and found.value == logged.score)


def read_weights(path: Path, digest: str, model: nn.Module) -> dict[str, Tensor]:
    """Return the float32 tensors of a file, which must be those of the model's state. Raises Other if the file has
    another digest, and ValueError, naming the file, for anything but a plain file of these tensors. A file that is
    larger than these tensors is not read."""
    state = tensors_of(model)
    data = _bytes(path, WIDTH * sum(tensor.numel() for tensor in state.values()) + HEADER)
    try:
        found = load(data)
    except (SafetensorError, ValueError, RuntimeError, MemoryError) as error:
        raise ValueError(f"{path}: found no safetensors ({str(error)[:100]}), wanted the run's file") from None
    _match(path, found, state)
    if (sha256 := hashlib.sha256(data).hexdigest()) != digest:
        raise Other(f"{path}: found other weights, with the sha256 {sha256}, wanted the log's {digest}")
    return found


def _bytes(path: Path, most: int) -> bytes:
    """Return all of a plain file of at most `most` bytes. Raises ValueError, naming the file, for any other."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError(f"{path}: found no regular file, wanted one")
        if facts.st_size > most:
            raise ValueError(f"{path}: found {facts.st_size} bytes, wanted at most {most} for this model")
        return file.read(most)


def _match(path: Path, found: dict[str, Tensor], state: dict[str, Tensor]) -> None:
    """Raise ValueError unless a file's tensors have the names, shapes and types of the model's."""
    held = {name: f"{tensor.dtype} {tuple(tensor.shape)}" for name, tensor in found.items()}
    wanted = {name: f"{torch.float32} {tuple(tensor.shape)}" for name, tensor in state.items()}
    wrong = sorted(name for name in held.keys() | wanted.keys() if held.get(name) != wanted.get(name))
    if wrong:
        name = wrong[0]
        told = f"{path}: {name!r:.80}: found {held.get(name, 'none')}, wanted {wanted.get(name, 'none')}"
        raise ValueError(
            f"{told} ({len(wrong)} tensors differ): other models than the reference's aren't evaluated here"
        )


def evaluation(
    task: Task, path: Path, digest: str, data: Path, split: AnyProblem, samples: Sequence[int]
) -> tuple[Evaluation, str]:
    """Evaluate weights as a run does, on one rank, over samples of the validation split of the problem `split`, whose
    data are in the folder `data`. Return the evaluation, and the fingerprint of what was read.

    Raises what `read_weights` raises, Other for weights that give no score, and WrongData for damaged data.
    """
    config = task.config
    torch.set_num_threads(config.threads)
    if config.device == "cuda":
        ieee_float32()
    model = task.build_model()
    found = read_weights(path, digest, model)
    model.load_state_dict(found, strict=False)  # integer buffers only count steps, and evaluation does not use them
    model.to(config.device)
    if config.compile:
        fuse_norms(model, activation_type(config))
    layout = Layout(1)
    reader = Reader(data, split, layout.box(split.shape), 0, config.prefetch, 0)
    run = Run(task, layout, TrainingState(model, None, None), 0, Files(reader, RunLog(None)))
    try:
        score = run.evaluate_samples(samples)
    except Aborted as error:
        raise Other(f"{path}: {error}") from None
    finally:
        reader.close()
    return score, fingerprint.to_hex(reader.evidence("validation").fingerprint)
