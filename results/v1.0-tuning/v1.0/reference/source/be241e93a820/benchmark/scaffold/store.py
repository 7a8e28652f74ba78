"""Read stored samples: one HDF5 file each, DIR/<split>/<id>.h5.

A file has three datasets: `volume`, uint8 without any filter; `label`, uint8 with gzip; and `bricks`, the sha256 of
every brick (as in benchmark/fingerprint.py), uint8 (bricks z, y, x, 32). The first two are chunked by bricks. Reading a
box reads only its bricks and compares each with its sha256. HDF5's own fletcher32 is not used, because it passes a
chunk that a disk lost and returned as zeros. `writing.py` writes the files.
"""

from pathlib import Path

import numpy as np

from benchmark.fingerprint import add, brick_digest
from benchmark.hdf5 import named, opened
from benchmark.scaffold.bricks import Arrays, Voxels, find_bricks, read_bricks, touched
from benchmark.scaffold.description import described


def sample_path(root: Path, split: str, sample: int) -> Path:
    """Return the file of a sample."""
    return Path(root) / split / f"{sample:05d}.h5"


def read_box(path: Path, origin: Voxels = (0, 0, 0), shape: Voxels | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return volume and label of a box, uint8 (D, H, W) each; of the whole sample by default.

    Only the bricks that the box touches are read, and each is checked. Raises ValueError, naming the file, when it is
    missing, unfinished, truncated or corrupt.
    """
    volume, label = verify_box(path, origin, shape)[0]
    return volume, label


def verify_box(path: Path, origin: Voxels = (0, 0, 0), shape: Voxels | None = None) -> tuple[Arrays, int, np.ndarray]:
    """Read and check a box as `read_box` does. Return volume and label; the sum of the digests of the bricks that it
    touches; and the bricks' offsets in the file, int64 (bricks, volume and label, offset and bytes)."""
    with opened(path) as file:
        split, sample, side, b, volume, label, stored = described(path, file)
        cut = touched(path, side, b, origin, shape or (side,) * 3)
        counts = tuple(n // b for n in cut.shape)
        wanted = stored.read((*(a // b for a in cut.low), 0), (*counts, 32)).reshape(-1, 32)
        positions, digests = list(cut.positions()), [0] * len(wanted)

        def check(number: int, intensities: np.ndarray, classes: np.ndarray) -> None:
            position = positions[number]
            found = brick_digest(split, sample, position, intensities, classes)
            if wanted[number].tobytes() != found.to_bytes(32, "big"):
                raise ValueError(
                    f"{path}: brick {position} is corrupt: its bytes do not have the sha256 stored with them"
                )
            digests[number] = found

        offsets = find_bricks(volume.id, label.id, cut)
        return read_bricks(path, cut, offsets, check), add(*digests), offsets


def read_again(path: Path, side: int, brick: int, origin: Voxels, shape: Voxels, offsets: np.ndarray) -> Arrays:
    """Read a box that was verified before from its `offsets`, without HDF5 and without any check.

    The caller must compare the result with a checksum. Raises ValueError, naming the file, where there are no bricks.
    """
    with named(path):
        return read_bricks(path, touched(path, side, brick, origin, shape), offsets)
