"""Counting the costs of a step: the FLOPs and bytes of every operation, and the memory that it keeps.

Under `FakeTensorMode` tensors have shapes but no memory. So the step of one of 4,096 ranks is counted on a laptop, from
the code that trains.
"""

import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

MOST = 2**31  # elements that a 32-bit index can number
LIMITED = ("convolution", "max_pool")  # operations whose libraries index with 32 bits
NOTHING = ("empty", "new_empty", "empty_like", "empty_strided", "new_empty_strided")  # write no byte


@dataclass(frozen=True)
class Operation:
    """The phase and costs of an operation. `flops` counts multiplications and additions of matrix products and
    convolutions, 0 for all else. `bytes` is the size of operands and results, each read or written once. `precision` is
    the result's ("float32", "bfloat16")."""

    phase: str
    flops: int
    bytes: int
    precision: str


@dataclass
class OpCosts(TorchDispatchMode):
    """Counts operations, and the bytes of live tensors that were made since counting began: now (`live`) and at most
    (`peak`). `most` is the number of elements of the largest tensor, and `large` has operations on tensors that their
    libraries cannot index. The caller sets `phase`."""

    phase: str = "initialisation"
    operations: Counter[Operation] = field(default_factory=Counter)
    live: int = 0
    peak: int = 0
    most: int = 0
    large: dict[str, None] = field(default_factory=dict)  # in order

    def __post_init__(self):
        super().__init__()
        self.known: dict[int, Any] = {}  # storages that are alive
        self.inside = False  # inside of something that counts as one operation

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        name, read, made = function.overloadpacket.__name__, tensors((args, kwargs)), tensors(result)
        self.measure(name, read + made)
        if self.inside:
            return result
        given = {place(tensor) for tensor in read}
        new = [tensor for tensor in made if place(tensor) not in given]  # not a view of an operand
        if function.namespace == "aten" and (new or (made and function._schema.is_mutable)):
            formula = flop_registry.get(function.overloadpacket)
            self.count(name, formula(*args, **kwargs, out_val=result) if formula else 0, read, made)
        for tensor in new:
            self.hold(tensor)
        return result

    def measure(self, name: str, found: list[Tensor]) -> None:
        """Remember the largest tensor of an operation, if it is larger than all before or too large."""
        largest = max(found, key=Tensor.numel, default=None)
        if largest is not None:
            self.most = max(self.most, largest.numel())
            if largest.numel() >= MOST and name.startswith(LIMITED):
                self.large[f"{name} of {tuple(largest.shape)}, {largest.numel():.3g} elements"] = None

    def as_one(self, kernel: Callable[..., Tensor]) -> Callable[..., Tensor]:
        """The kernel, counted as one operation on its operands and result: its temporaries stay in caches."""

        def run(*operands: Tensor) -> Tensor:
            self.inside = True
            result = kernel(*operands)
            self.inside = False
            moved = sum(map(size, operands)) + size(result)
            self.operations[Operation(self.phase, 0, moved, precision_of(result))] += 1
            self.hold(result)
            return result

        return run

    def count(self, name: str, flops: int, read: list[Tensor], made: list[Tensor]) -> None:
        """Count an operation on tensors that it reads and makes."""
        if name == "copy_":
            read = read[1:]  # what it overwrites is not read
        moved = 0 if name in NOTHING else sum(map(size, read)) + sum(map(size, made))
        self.operations[Operation(self.phase, flops, moved, precision_of(made[0]))] += 1

    def hold(self, tensor: Tensor) -> None:
        """Count a tensor's memory until it is freed."""
        storage = tensor.untyped_storage()
        address, bytes = storage._cdata, storage.nbytes()
        if address in self.known:
            return

        def free() -> None:
            self.known.pop(address, None)
            self.live -= bytes

        self.known[address] = weakref.finalize(storage, free)
        self.live += bytes
        self.peak = max(self.peak, self.live)


def tensors(value: Any) -> list[Tensor]:
    """All tensors in nested arguments or results."""
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]


def place(tensor: Tensor) -> int:
    """The address of a tensor's storage."""
    return tensor.untyped_storage()._cdata


def size(tensor: Tensor) -> int:
    """The bytes that an operation on a tensor touches; an element that is repeated by strides counts once."""
    return min(tensor.numel() * tensor.element_size(), tensor.untyped_storage().nbytes())


def precision_of(tensor: Tensor) -> str:
    """The name of a tensor's type."""
    return str(tensor.dtype).removeprefix("torch.")
