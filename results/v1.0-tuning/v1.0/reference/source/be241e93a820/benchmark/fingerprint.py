"""Compute a split's fingerprint: the sum, mod 2^256, of the sha256 of its bricks.

A sum has no order, so every sharding gives the same number. Each rank adds up the bricks that it read, and the ranks
add their sums.
"""

import hashlib

import numpy as np

MODULUS = 1 << 256


def brick_digest(split: str, sample: int, position: tuple[int, int, int], volume: np.ndarray, label: np.ndarray) -> int:
    """Return the sha256 of one brick as an integer.

    `position` is the brick's (z, y, x) index in units of bricks. `volume` and `label` are its uint8 voxels, hashed in C
    order, intensities before labels. Raises ValueError for another type.
    """
    if volume.dtype != np.uint8 or label.dtype != np.uint8:
        raise ValueError(f"bricks are uint8, found volume {volume.dtype} and label {label.dtype}")
    digest = hashlib.sha256(f"{split}/{sample}/{position[0]},{position[1]},{position[2]}\n".encode())
    digest.update(np.ascontiguousarray(volume))
    digest.update(np.ascontiguousarray(label))
    return int.from_bytes(digest.digest(), "big")


def add(*sums: int) -> int:
    """Return the sum of sums, mod 2^256."""
    return sum(sums) % MODULUS


def to_hex(total: int) -> str:
    """Return a fingerprint as text: 64 hexadecimal digits."""
    return f"{total % MODULUS:064x}"


def from_hex(text: str) -> int:
    """Return the fingerprint that `to_hex` wrote. Raises ValueError for another text."""
    if len(text) != 64:
        raise ValueError(f"a fingerprint has 64 hexadecimal digits, found {text!r}")
    return int(text, 16)
