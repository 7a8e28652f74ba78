"""A split's fingerprint: the sum, mod 2^256, of sha256 over its bricks.

A sum has no order, so any sharding gives the same number: each rank adds up the bricks that it read,
and ranks add their sums.
"""

import hashlib
from collections.abc import Iterator
from itertools import product

import numpy as np

MODULUS = 1 << 256


def brick_digest(split: str, sample: int, position: tuple[int, int, int], volume: np.ndarray, label: np.ndarray) -> int:
    """sha256 of one brick as an integer.

    `position` is the brick's (z, y, x) index in units of bricks; `volume` and `label` are its uint8
    voxels, hashed in C order, intensities before labels.
    """
    if volume.dtype != np.uint8 or label.dtype != np.uint8:
        raise ValueError(f"bricks are uint8, found volume {volume.dtype} and label {label.dtype}")
    digest = hashlib.sha256(f"{split}/{sample}/{position[0]},{position[1]},{position[2]}\n".encode())
    digest.update(np.ascontiguousarray(volume))
    digest.update(np.ascontiguousarray(label))
    return int.from_bytes(digest.digest(), "big")


def brick_digests(
    split: str, sample: int, origin: tuple[int, int, int], volume: np.ndarray, label: np.ndarray, brick: int
) -> Iterator[int]:
    """sha256 of the bricks, row by row, of a brick-aligned box (D, H, W) whose first voxel is `origin`."""
    if volume.shape != label.shape or any(n % brick for n in (*volume.shape, *origin)):
        raise ValueError(f"box {volume.shape} at {origin} is not aligned to bricks of {brick}")
    for z, y, x in product(*(range(0, n, brick) for n in volume.shape)):
        position = ((origin[0] + z) // brick, (origin[1] + y) // brick, (origin[2] + x) // brick)
        cut = np.s_[z : z + brick, y : y + brick, x : x + brick]
        yield brick_digest(split, sample, position, volume[cut], label[cut])


def add(*sums: int) -> int:
    """The sum of sums, mod 2^256."""
    return sum(sums) % MODULUS


def to_hex(total: int) -> str:
    """A fingerprint as it is written everywhere: 64 hexadecimal digits."""
    return f"{total % MODULUS:064x}"


def from_hex(text: str) -> int:
    """The inverse of `to_hex`. Raises ValueError for anything else."""
    if len(text) != 64:
        raise ValueError(f"a fingerprint has 64 hexadecimal digits, found {text!r}")
    return int(text, 16)
