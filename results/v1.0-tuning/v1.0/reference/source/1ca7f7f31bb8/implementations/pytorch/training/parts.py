"""Tensors on disk, a file for each rank that writes some: safetensors, which hold numbers and nothing that runs.

What a rank has of a sharded tensor is in its own part. Tensors that all ranks have are dealt out among them, each whole
in one part. In both cases the tensor is what the parts hold of it, one after another along its first dimension; so a
rank finds the rows that it needs, however many ranks wrote and however many read.
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

from ..parallel.gradients import local

NAME = "part_{:06d}.safetensors"


def write(folder: Path, tensors: dict[str, Tensor], rank: int, ranks: int) -> dict[str, str]:
    """Write this rank's part to disk; its sha256 by its name, or nothing if there is nothing for it to write.

    Raises OSError if it can't be written.
    """
    writer = deal({name: x.nbytes for name, x in tensors.items() if not isinstance(x, DTensor)}, ranks)
    mine = {name: as_rows(local(x)) for name, x in tensors.items() if writer.get(name, rank) == rank}
    if not (mine := {name: x.cpu().contiguous() for name, x in mine.items() if len(x)}):
        return {}
    data = save(mine)
    with open(folder / NAME.format(rank), "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return {NAME.format(rank): hashlib.sha256(data).hexdigest()}


def deal(sizes: dict[str, int], ranks: int) -> dict[str, int]:
    """The rank that writes each tensor, by their sizes in bytes: the largest first, to who has the least to write."""
    loads, writer = [0] * ranks, {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        writer[name] = loads.index(min(loads))
        loads[writer[name]] += sizes[name]
    return writer


def verify(folder: Path, parts: dict[str, str]) -> None:
    """Raises ValueError naming the first part that is missing, no file, or whose sha256 is not the one given."""
    for name, wanted in parts.items():
        try:
            with open_regular(folder / name) as file:
                found = f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
        except OSError as error:
            found = (error.strerror or "no regular file").lower()
        if found != f"sha256 {wanted}":
            raise ValueError(f"{folder / name}: found {found}, wanted sha256 {wanted}")


def read(folder: Path, names: Iterable[str], tensors: dict[str, Tensor]) -> None:
    """Fill tensors, or this rank's rows of those that are sharded, from the parts of these names.

    Raises ValueError naming a part that is damaged, or whose tensors are not these in name, shape and type.
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
    """Copy what this rank has of a tensor out of a piece of it, whose first row is the tensor's row `first`; the
    number of the piece's rows. `piece` is a slice that safetensors has not read yet; `where` opens messages."""
    shape, wanted = piece.get_shape(), list(as_rows(tensor).shape[1:])
    if not shape or shape[1:] != wanted:
        raise ValueError(f"{where}: found shape {shape}, wanted rows of shape {wanted}")
    start, stop = held(tensor)
    low, high = max(start, first), min(stop, first + shape[0])
    if low < high:
        values, mine = piece[low - first : high - first], as_rows(local(tensor))
        if values.dtype != tensor.dtype:
            raise ValueError(f"{where}: found {values.dtype}, wanted {tensor.dtype}")
        mine[low - start : high - start].copy_(values)
    return shape[0]


def held(tensor: Tensor) -> tuple[int, int]:
    """The first row of a tensor that this rank has, and the one after its last. Sharded tensors are cut into chunks of
    as many rows, the last of which may be shorter or empty (FSDP2)."""
    rows = len(as_rows(tensor))
    if not isinstance(tensor, DTensor):
        return 0, rows
    chunk = -(-rows // tensor.device_mesh.size())
    start = min(chunk * tensor.device_mesh.get_local_rank(), rows)
    return start, min(start + chunk, rows)


def as_rows(tensor: Tensor) -> Tensor:
    """A tensor with a first dimension: a single number is a row of one. It shares the tensor's memory."""
    return tensor if tensor.dim() else tensor.reshape(1)
