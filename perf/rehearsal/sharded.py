"""Sharded weights, as FSDP2 keeps and gathers them. FSDP2 itself needs tensors with memory, so hooks stand in for it.

Each block is a part of the model, and all other weights are one. A weight is divided by rows, its first axis; what is
sent is padded to equally many rows on every rank.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from implementations.pytorch.layers.blocks import Block
from perf.rehearsal.record import Record


@dataclass(frozen=True)
class Part:
    """Weights that are gathered together: those of a block, or of the model without its blocks."""

    module: nn.Module
    weights: tuple[nn.Parameter, ...]

    def gathered(self, ranks: int) -> int:
        """The bytes of the weights once they are gathered, with their padding."""
        return sum(ranks * rows(weight, ranks) * row_bytes(weight) for weight in self.weights)


def parts_of(model: nn.Module) -> list[Part]:
    """The parts of a model: the whole without its blocks first, then the blocks."""
    blocks = [module for module in model.modules() if isinstance(module, Block)]
    inside = {weight for block in blocks for weight in block.parameters()}
    rest = Part(model, tuple(weight for weight in model.parameters() if weight not in inside))
    return [rest, *(Part(block, tuple(block.parameters())) for block in blocks)]


def rows(weight: Tensor, ranks: int) -> int:
    """The most rows of a weight that a rank keeps."""
    return -(-(weight.shape[0] if weight.dim() else 1) // ranks)


def row_bytes(weight: Tensor) -> int:
    """The bytes of a row."""
    return weight.nbytes // (weight.shape[0] if weight.dim() else 1)


def kept(weight: Tensor, rank: int, ranks: int) -> int:
    """The bytes of a weight that a rank keeps; none, if the ranks before it have all of its rows."""
    each, whole = rows(weight, ranks), weight.shape[0] if weight.dim() else 1
    return max(0, min(each, whole - rank * each)) * row_bytes(weight)


def gather_weights(model: nn.Module, record: Record, ranks: int) -> Callable[[], None]:
    """Record what FSDP2 calls in a step. Each part is gathered before it runs. Blocks are gathered once more for their
    backward pass, each while the one after it in the forward pass is at work. A block's gradients are summed, and
    divided among ranks, when all are there. Return what sums the others: those of the rest, and of the block that ran
    first, whose input has no gradient."""
    rest, *blocks = parts_of(model)
    ran: list[Part] = []

    def gather(part: Part) -> None:
        record.note("gathered weights", part.gathered(ranks))

    def add(part: Part) -> None:
        record.note("summed gradients", part.gathered(ranks))

    def before(part: Part) -> None:
        if record.stage == "forward":  # a block that is computed again has its weights already
            gather(part)
            ran.append(part)

    def after(output: Tensor) -> None:
        if record.stage == "forward":
            output.register_hook(functools.partial(ahead, len(ran) - 1))

    def ahead(number: int, gradient: Tensor) -> None:
        if number == len(ran) - 1:
            gather(ran[number])
        if number:
            gather(ran[number - 1])

    model.register_forward_pre_hook(lambda *_: gather(rest) if record.stage == "forward" else None)
    for part in blocks:
        part.module.register_forward_pre_hook(lambda *_, part=part: before(part))
        part.module.register_forward_hook(lambda module, inputs, output: after(output))
        there = when_all(part.weights, lambda part=part: None if part is ran[0] else add(part))
        for weight in part.weights:
            weight.register_post_accumulate_grad_hook(there)

    def others() -> None:
        for part in (rest, *ran[:1]):
            add(part)

    return others


def when_all(weights: Sequence[nn.Parameter], act: Callable[[], None]) -> Callable[[Tensor], None]:
    """A hook of weights that acts when all of them have their gradients."""
    missing = set(weights)

    def there(weight: Tensor) -> None:
        missing.discard(weight)
        if not missing:
            act()

    return there


def memory_of(model: nn.Module, moments: Sequence[tuple[Tensor, Tensor]], rank: int, ranks: int) -> dict[str, int]:
    """The bytes that a rank keeps. `moments` are the optimizer's tensors, each with its weight; whole numbers of steps
    are on every rank. Gathered at most are the weights outside blocks, two blocks, since the next one is gathered
    ahead, and a block's gradients before they are divided."""
    weights = sum(kept(weight, rank, ranks) for weight in model.parameters())
    held = sum(kept(t, rank, ranks) if t.shape == weight.shape else t.nbytes for t, weight in moments)
    rest, *blocks = (part.gathered(ranks) for part in parts_of(model))
    return {"weights": weights, "gradients": weights, "optimizer": held, "gathered": rest + 3 * max(blocks, default=0)}
