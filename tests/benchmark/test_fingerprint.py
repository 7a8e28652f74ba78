import hashlib

import numpy as np
import pytest

from benchmark.fingerprint import MODULUS, add, brick_digest, from_hex, to_hex
from benchmark.scaffold.writing import brick_digests

VOLUME, LABEL = np.random.default_rng(0).integers(0, 255, (2, 8, 8, 8)).astype(np.uint8)


def test_brick_digest_is_what_it_says():
    text = b"train/3/1,0,2\n" + VOLUME.tobytes() + LABEL.tobytes()
    assert brick_digest("train", 3, (1, 0, 2), VOLUME, LABEL) == int(hashlib.sha256(text).hexdigest(), 16)
    with pytest.raises(ValueError, match="not aligned"):
        next(brick_digests("train", 3, (1, 0, 0), VOLUME, LABEL, 2))
    with pytest.raises(ValueError, match="uint8"):
        brick_digest("train", 3, (0, 0, 0), VOLUME.astype(np.int8), LABEL)


def test_any_sharding_gives_the_same_sum():
    whole = add(*brick_digests("train", 3, (0, 0, 0), VOLUME, LABEL, 2))
    for axis in range(3):
        parts = []
        for first, last in ((0, 2), (2, 8)):
            cut = tuple(slice(first, last) if a == axis else slice(None) for a in range(3))
            origin = tuple(first if a == axis else 0 for a in range(3))
            parts += brick_digests("train", 3, origin, VOLUME[cut], LABEL[cut], 2)
        assert add(*parts) == add(*reversed(parts)) == whole


def test_hexadecimal():
    assert from_hex(to_hex(12345)) == 12345 and len(to_hex(0)) == 64
    assert MODULUS == 2**256 and add(MODULUS - 1, 2) == 1 and add(1, 2) == 3
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        from_hex("12")
