import os
import shutil

import h5py
import numpy as np
import pytest

from benchmark.fingerprint import add, to_hex
from benchmark.scaffold import store
from benchmark.scaffold.description import read_header
from benchmark.scaffold.writing import brick_digests


def test_what_is_written_is_read(stored, tiny):
    path, volume, label = stored
    read = store.read_box(path)
    assert (read[0] == volume).all() and (read[1] == label).all()
    header = read_header(path)
    assert header.digest == to_hex(add(*brick_digests("train", 2, (0, 0, 0), volume, label, tiny.brick)))
    assert header.class_counts == tuple(np.bincount(label.ravel(), minlength=3))
    assert [p.name for p in path.parent.iterdir()] == ["00002.h5"]
    with h5py.File(path) as file:
        assert file["volume"].chunks == file["label"].chunks == (8, 8, 8)
        assert file["volume"].compression is None and not file["volume"].fletcher32
        assert file["label"].compression == "gzip"


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize(
    ("origin", "shape"), [((0, 0, 0), (16, 16, 16)), ((8, 0, 8), (8, 16, 8)), ((3, 5, 0), (2, 9, 1))]
)
def test_boxes_are_verified_once_and_read_again(stored, tiny, origin, shape):
    cut = tuple(slice(o, o + s) for o, s in zip(origin, shape, strict=True))
    arrays, digest, offsets = store.verify_box(stored[0], origin, shape)
    again = store.read_again(stored[0], 16, 8, origin, shape, offsets)
    for found in (arrays, again, store.read_box(stored[0], origin, shape)):
        assert (found[0] == stored[1][cut]).all() and (found[1] == stored[2][cut]).all()
    low = [o // 8 * 8 for o in origin]
    bricks = tuple(slice(a, o + s + 7) for a, o, s in zip(low, origin, shape, strict=True))
    volume, label = (a[bricks][tuple(slice(n // 8 * 8) for n in a[bricks].shape)] for a in stored[1:])
    assert digest == add(*brick_digests("train", 2, tuple(low), volume, label, 8))


def test_read_again_from_what_is_no_brick(stored):
    places = store.verify_box(stored[0])[2]
    places[3, 1] = 0, 20
    with pytest.raises(ValueError, match=r"00002\.h5: .*does not inflate"):
        store.read_again(stored[0], 16, 8, (0, 0, 0), (16, 16, 16), places)
    places[3, 1] = stored[0].stat().st_size - 5, 512
    with pytest.raises(ValueError, match=r"00002\.h5: .*found 5 bytes, wanted a brick of 512"):
        store.read_again(stored[0], 16, 8, (0, 0, 0), (16, 16, 16), places)


def test_a_box_reads_its_bricks_alone(stored):
    with h5py.File(stored[0]) as file:
        where = file["volume"].id.get_chunk_info_by_coord((8, 8, 8))
    damage(stored[0], where.byte_offset)
    assert store.read_box(stored[0], (0, 0, 0), (8, 8, 8))
    with pytest.raises(ValueError, match=r"00002\.h5: brick \(1, 1, 1\) is corrupt"):
        store.read_box(stored[0], (8, 8, 8), (8, 8, 8))
    for origin, shape in (((-8, 0, 0), (8, 8, 8)), ((8, 8, 8), (9, 8, 8)), ((0, 0, 0), (0, 8, 8))):
        with pytest.raises(ValueError, match=r"wanted one inside 16\^3"):
            store.read_box(stored[0], origin, shape)


def damage(path, offset):
    """Flip one bit of a file."""
    data = bytearray(path.read_bytes())
    data[offset] ^= 16
    path.write_bytes(data)


def test_no_damaged_byte_is_read_as_something_else(stored, tmp_path):
    path, volume, label = stored
    copy = store.sample_path(tmp_path / "copy", "train", 2)
    copy.parent.mkdir(parents=True)
    caught = 0
    for offset in range(0, path.stat().st_size, 61):
        shutil.copy(path, copy)
        damage(copy, offset)
        try:
            read = store.read_box(copy)
        except ValueError as error:
            assert str(copy) in str(error)
            caught += 1
        else:
            assert (read[0] == volume).all() and (read[1] == label).all()
    assert caught > 50


def unfinished(path):
    with h5py.File(path, "a") as file:
        del file.attrs["digest"]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (os.unlink, "no such file"),
        (unfinished, "unfinished"),
        (lambda path: (path.unlink(), os.mkfifo(path)), "no regular file"),
    ],
)
def test_what_is_no_sample_is_named(stored, harm, said):
    harm(stored[0])
    places = np.zeros((1, 2, 2), np.int64)
    for read in (store.read_box, read_header):
        with pytest.raises(ValueError, match=rf"00002\.h5: {said}"):
            read(stored[0])
    if "file" in said:
        with pytest.raises(ValueError, match=rf"00002\.h5: {said}"):
            store.read_again(stored[0], 16, 8, (0, 0, 0), (8, 8, 8), places)
