"""Write a checkpoint's tensors in parts, one file for each rank, and read them again. The files are safetensors, which
hold numbers and no code.

A rank writes its piece of every sharded tensor to its own part. Tensors that all ranks have are dealt out among them,
each to one part. In both cases the tensor consists of the pieces in the parts, in order, along its first dimension. So
a rank finds the rows that it needs, whatever the number of ranks that wrote and that read.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch.distributed.tensor import DTensor

from benchmark.log import open_regular

from ..parallel.gradients import to_local

NAME = "part_{:06d}.safetensors"


def write(folder: Path, tensors: dict[str, Tensor], rank: int, ranks: int) -> dict[str, str]:
    """Write this rank's part to disk. Return its sha256 by its name, or {} if the rank has nothing to write.

    Raises OSError if it cannot be written.
    """
    writer = deal({name: x.nbytes for name, x in tensors.items() if not isinstance(x, DTensor)}, ranks)
    mine = {name: as_rows(to_local(x)) for name, x in tensors.items() if writer.get(name, rank) == rank}
    if not (mine := {name: x.cpu().contiguous() for name, x in mine.items() if len(x)}):
        return {}
    data = save(mine)
    with open(folder / NAME.format(rank), "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return {NAME.format(rank): hashlib.sha256(data).hexdigest()}


def deal(sizes: dict[str, int], ranks: int) -> dict[str, int]:
    """Return the rank that writes each tensor, from their sizes in bytes. The largest tensors are dealt out first, each
    to the rank with the least to write."""
    loads, writer = [0] * ranks, {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        writer[name] = loads.index(min(loads))
        loads[writer[name]] += sizes[name]
    return writer


def verify(folder: Path, parts: dict[str, str]) -> None:
    """Raise ValueError for the first part that is missing, is no regular file, or has another sha256."""
    for name, wanted in parts.items():
        try:
            with open_regular(folder / name) as file:
                found = f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
        except OSError as error:
            found = (error.strerror or "no regular file").lower()
        if found != f"sha256 {wanted}":
            raise ValueError(f"{folder / name}: found {found}, wanted sha256 {wanted}")


def read(folder: Path, names: Iterable[str], tensors: dict[str, Tensor]) -> None:
    """Fill tensors from the parts with these names; of sharded tensors, fill this rank's rows.

    Raises ValueError, naming the part, if it is damaged or has tensors of other names, shapes or types.
    """
    done = dict.fromkeys(tensors, 0)  # rows in the parts so far
    for path in (folder / name for name in sorted(names)):
        try:
            with safe_open(path, "pt") as file:
                for name in file.keys():  # noqa: SIM118
                    if name not in tensors:
                        raise ValueError(f"{path}: found {name[:200]!r}, wanted tensors of this model and optimizer")
                    done[name] += fill(tensors[name], done[name], file.get_slice(name), f"{path}: {name}")
        except (SafetensorError, OSError) as error:
            raise ValueError(f"{path}: found no whole part ({error}), wanted one") from None
    for name, tensor in tensors.items():
        if done[name] != len(as_rows(tensor)):
            raise ValueError(f"{folder}: {name}: found {done[name]} rows, wanted {len(as_rows(tensor))}")


@torch.no_grad()
def fill(tensor: Tensor, first: int, piece: Any, where: str) -> int:
    """Copy this rank's rows of a tensor from a piece whose first row is the tensor's row `first`. Return the number of
    the piece's rows. `piece` is a slice that safetensors has not read yet. Messages begin with `where`."""
    shape, wanted = piece.get_shape(), list(as_rows(tensor).shape[1:])
    if not shape or shape[1:] != wanted:
        raise ValueError(f"{where}: found shape {shape}, wanted rows of shape {wanted}")
    start, stop = held(tensor)
    low, high = max(start, first), min(stop, first + shape[0])
    if low < high:
        values, mine = piece[low - first : high - first], as_rows(to_local(tensor))
        if values.dtype != tensor.dtype:
            raise ValueError(f"{where}: found {values.dtype}, wanted {tensor.dtype}")
        mine[low - start : high - start].copy_(values)
    return shape[0]


def held(tensor: Tensor) -> tuple[int, int]:
    """Return the first row of a tensor that this rank has, and the row after its last. FSDP2 cuts tensors into chunks
    of equally many rows, the last of which may be shorter or empty."""
    rows = len(as_rows(tensor))
    if not isinstance(tensor, DTensor):
        return 0, rows
    chunk = -(-rows // tensor.device_mesh.size())
    start = min(chunk * tensor.device_mesh.get_local_rank(), rows)
    return start, min(start + chunk, rows)


def as_rows(tensor: Tensor) -> Tensor:
    """Return the tensor with at least one dimension: a single number becomes a row of one. The memory is shared."""
    return tensor if tensor.dim() else tensor.reshape(1)
