"""Write a checkpoint's tensors in parts, one file for each rank, and read them again. The files are safetensors, which
hold numbers and no code.

A rank writes its piece of every sharded tensor to its own part. Tensors that all ranks have are dealt out among them,
each to one part. In both cases the tensor consists of pieces of equally many rows, in successive parts, along its first
dimension. So its first part and the rows of each say where it is (`places`), and a rank opens only the parts with rows
that it needs, whatever the number of ranks that wrote and that read. Of a tensor that all ranks need, one reads it.
"""

import hashlib
import heapq
import os
from collections.abc import Collection, Mapping, Sequence
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
    mine = {name: as_rows(to_local(x)) for name, x in share(tensors, rank, ranks).items()}
    if not (mine := {name: x.cpu().contiguous() for name, x in mine.items() if len(x)}):
        return {}
    data = save(mine)
    with open(folder / NAME.format(rank), "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return {NAME.format(rank): hashlib.sha256(data).hexdigest()}


def share(tensors: Mapping[str, Tensor], rank: int, ranks: int) -> dict[str, Tensor]:
    """Return the tensors that a rank writes or reads: those of which it has a piece, and those dealt out to it."""
    dealt = deal_out(tensors, ranks)
    return {name: x for name, x in tensors.items() if dealt.get(name, rank) == rank}


def deal_out(tensors: Mapping[str, Tensor], ranks: int) -> dict[str, int]:
    """Return the rank that writes, or reads for all, each tensor that all ranks have."""
    return deal({name: x.nbytes for name, x in tensors.items() if not isinstance(x, DTensor)}, ranks)


def places(tensors: Mapping[str, Tensor], ranks: int) -> dict[str, tuple[int, int]]:
    """Return where so many ranks write each tensor: its first part, and the rows in each part but the last."""
    first = deal_out(tensors, ranks)
    return {name: (first.get(name, 0), rows_by_rank(x)) for name, x in tensors.items()}


def deal(sizes: dict[str, int], ranks: int) -> dict[str, int]:
    """Return the rank that writes each tensor, from their sizes in bytes. The largest tensors are dealt out first, each
    to the rank with the least to write."""
    loads, writer = [(0, rank) for rank in range(min(ranks, len(sizes)))], {}  # a heap
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        load, writer[name] = loads[0]
        heapq.heapreplace(loads, (load + sizes[name], writer[name]))
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


def read(folder: Path, names: Collection[str], at: Mapping[str, Sequence[int]], tensors: Mapping[str, Tensor]) -> None:
    """Fill this rank's rows of tensors, which are all rows unless they are sharded. `names` are those of the parts, and
    `at` says where each tensor is, as `places` does. Parts without rows that are needed are not opened.

    Raises ValueError, naming the part, if it is missing, damaged, or has other tensors, shapes or types.
    """
    wanted: dict[int, list[str]] = {}  # tensors by part
    for name, tensor in tensors.items():
        (first, rows), (start, stop) = at[name], held(tensor)
        for part in range(start // rows, -(-stop // rows)) if start < stop else ():
            wanted.setdefault(first + part, []).append(name)
    for part, needed in sorted(wanted.items()):
        path = folder / NAME.format(part)
        if path.name not in names:
            raise ValueError(f"{path}: found no such part in this checkpoint, wanted {needed[0][:200]!r} in it")
        try:
            with safe_open(path, "pt") as file:
                for name in needed:
                    first, rows = at[name]
                    fill(tensors[name], (part - first) * rows, rows, file.get_slice(name), f"{path}: {name}")
        except (SafetensorError, OSError) as error:
            raise ValueError(f"{path}: found no whole part ({error}), wanted one") from None


@torch.no_grad()
def fill(tensor: Tensor, first: int, rows: int, piece: Any, where: str) -> None:
    """Copy this rank's rows of a tensor from a piece, which has `rows` rows from the tensor's row `first` on, or those
    up to its end. `piece` is a slice that safetensors has not read yet. Messages begin with `where`."""
    whole = as_rows(tensor)
    wanted = [min(rows, len(whole) - first), *whole.shape[1:]]
    if piece.get_shape() != wanted:
        raise ValueError(f"{where}: found shape {piece.get_shape()}, wanted {wanted}")
    start, stop = held(tensor)
    low, high = max(start, first), min(stop, first + rows)
    values, mine = piece[low - first : high - first], as_rows(to_local(tensor))
    if values.dtype != tensor.dtype:
        raise ValueError(f"{where}: found {values.dtype}, wanted {tensor.dtype}")
    mine[low - start : high - start].copy_(values)


def held(tensor: Tensor) -> tuple[int, int]:
    """Return the first row of a tensor that this rank has, and the row after its last."""
    rows = len(as_rows(tensor))
    if not isinstance(tensor, DTensor):
        return 0, rows
    chunk = rows_by_rank(tensor)
    start = min(chunk * tensor.device_mesh.get_local_rank(), rows)
    return start, min(start + chunk, rows)


def rows_by_rank(tensor: Tensor) -> int:
    """Return how many rows of a tensor a rank has, at least 1. FSDP2 cuts tensors into chunks of equally many rows, the
    last of which may be shorter or empty."""
    ranks = tensor.device_mesh.size() if isinstance(tensor, DTensor) else 1
    return max(1, -(-len(as_rows(tensor)) // ranks))


def as_rows(tensor: Tensor) -> Tensor:
    """Return the tensor with at least one dimension: a single number becomes a row of one. The memory is shared."""
    return tensor if tensor.dim() else tensor.reshape(1)
