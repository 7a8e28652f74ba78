import itertools
import os
import pickle

import numpy as np
import pytest

from benchmark.scaffold_published import evidence, read_sample, verify_sample
from benchmark.scaffold_published.files import mask_path, sample_path
from benchmark.workload import Box, whole_box


def volume(data, problem, sample=0, split="train"):
    return sample_path(data, problem, split, sample)


@pytest.mark.parametrize("split", ["train", "validation"])
def test_a_sample_is_what_its_two_files_hold(data, problem, split):
    for sample in problem.split_samples(split):
        path = volume(data, problem, sample, split)
        colours, classes = read_sample(data, problem, split, sample, whole_box(problem))
        assert (colours.dtype, classes.dtype) == (np.float32, np.uint8)
        np.testing.assert_array_equal(colours, np.load(path, allow_pickle=False))
        np.testing.assert_array_equal(classes, np.load(mask_path(path), allow_pickle=False))
        assert not colours[:, classes == 0].any() and classes.any()


def test_samples_are_in_order_of_their_numbers(data, problem):
    names = [volume(data, problem, s).name for s in problem.split_samples("train")]
    numbers = [int(name.removesuffix(".npy")) for name in names]
    assert numbers == sorted(numbers) and len(set(numbers)) == 7
    assert mask_path(volume(data, problem)).name == f"{numbers[0]}_mask.npy"


@pytest.mark.parametrize("cut", [(2, 1, 1), (1, 4, 2), (4, 4, 4)])
def test_boxes_have_the_parts_of_the_whole(data, problem, cut):
    whole, total, counts = whole_box(problem), 0, 0
    arrays = read_sample(data, problem, "train", 1, whole)
    shape = tuple(8 // n for n in cut)
    for place in itertools.product(*map(range, cut)):
        box = Box(tuple(p * s for p, s in zip(place, shape, strict=True)), shape)
        cuts = tuple(slice(o, o + n) for o, n in zip(*box, strict=True))
        found = verify_sample(data, problem, "train", 1, box)
        for part, array in zip(found.arrays, arrays, strict=True):
            np.testing.assert_array_equal(part, array[(..., *cuts)])
        total, counts = total + found.digest, counts + np.array(found.class_counts)
    digest, wanted = evidence(problem, "train", 1, whole, arrays)
    assert total % 2**256 == digest and tuple(counts.tolist()) == wanted
    with pytest.raises(ValueError, match="wanted whole bricks of 2"):
        verify_sample(data, problem, "train", 0, Box((1, 0, 0), (2, 2, 2)))


def saved(array, **more):
    return lambda path: np.save(path, array, **more)


def head(text):
    return lambda path: path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)


SIDE = (8, 8, 8)
FAULTS = {
    "a type": (saved(np.zeros((3, *SIDE))), r"found float64 \(3, 8, 8, 8\), wanted float32 \(3, 8, 8, 8\)"),
    "big-endian": (saved(np.zeros((3, *SIDE), ">f4")), "found >f4 .* wanted float32"),
    "channels last": (saved(np.zeros((*SIDE, 3), "f4")), r"found float32 \(8, 8, 8, 3\), wanted .*\(3, 8, 8, 8\)$"),
    "a shard": (saved(np.zeros((3, 4, 8, 8), "f4")), r"found float32 \(3, 4, 8, 8\).*wanted unsharded files \(dc_num"),
    "columns first": (saved(np.zeros((3, *SIDE), "f4", order="F")), "in Fortran order, wanted"),
    "not finite": (saved(np.full((3, *SIDE), np.nan, "f4")), "colours that are not finite"),
    "nothing": (lambda path: path.write_bytes(b""), "EOF"),
    "cut": (lambda path: os.truncate(path, 3000), "found 3000 bytes, wanted 6272"),
    "longer": (lambda path: path.write_bytes(path.read_bytes() + b"x"), "found 6273 bytes, wanted 6272"),
    "a pipe": (lambda path: (path.unlink(), os.mkfifo(path)), "no regular file"),
    "no end": (lambda path: path.write_bytes(b"\x93NUMPY\x02\0\xff\xff\xff\x7f" + b" " * 99), "found|header|expected"),
    "a head without its end": (head(b"{'descr': '<f4', 'shape': (3,"), "EOF in multi-line statement"),
    "half a type": (head(b"{'descr': ('<f4',), 'fortran_order': False, 'shape': (3,)}"), "index out of range"),
    "a head with code": (lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\x10\x00__import__('os')\n"), "malformed"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_no_volume_is_refused_by_the_name_of_its_file(data, problem, name):
    damage, said = FAULTS[name]
    path = volume(data, problem)
    damage(path)
    with pytest.raises(ValueError, match=said) as raised:
        read_sample(data, problem, "train", 0, whole_box(problem))
    assert str(path) in str(raised.value) and "\n" not in str(raised.value)


class Trap:
    """An object that leaves a trace when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("unpickled",)


@pytest.mark.parametrize("which", ["volume", "mask"])
def test_pickled_objects_are_never_loaded(data, problem, tmp_path, monkeypatch, which):
    monkeypatch.chdir(tmp_path)
    path = volume(data, problem)
    path = path if which == "volume" else mask_path(path)
    np.save(path, np.array([Trap()], object), allow_pickle=True)
    with pytest.raises(ValueError, match="found pickled objects, which are never loaded"):
        read_sample(data, problem, "train", 0, whole_box(problem))
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match="magic"):
        read_sample(data, problem, "train", 0, whole_box(problem))
    assert not (tmp_path / "unpickled").exists()


def test_a_mask_with_an_unknown_class_or_none(data, problem):
    path = mask_path(volume(data, problem))
    mask = np.load(path)
    mask[1, 2, 3] = 262  # 6 in its low byte
    np.save(path, mask)
    with pytest.raises(ValueError, match=r"_mask\.npy: found class 262, wanted 0 to 5"):
        read_sample(data, problem, "train", 0, whole_box(problem))
    path = volume(data, problem)
    mask_path(path).unlink()
    with pytest.raises(ValueError, match=f"found 6 masks, wanted one of number .*, for {path.name}"):
        read_sample(data, problem, "train", 0, whole_box(problem))


def test_names_have_one_number_each_which_is_never_there_twice(data, problem):
    path = volume(data, problem)
    other = path.rename(path.with_name(f"volume_{path.stem}.npy"))
    assert volume(data, problem) == other
    for name, said in (
        (path.name, "found number .* again"),
        ("999.npy", "found 8 volumes, wanted 7 of tiny"),
        ("0_shard_1.npy", r"0_shard_1.npy: found a name without one number, wanted .*dc_num_shards 1, 1, 1"),
    ):
        added = path.with_name(name)
        added.write_bytes(other.read_bytes())
        with pytest.raises(ValueError, match=said):
            volume(data, problem)
        added.unlink()
