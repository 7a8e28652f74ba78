"""Tests of making samples, the same for every workload: its test_making.py says of which problem."""

import numpy as np
import pytest

from benchmark import fingerprint
from benchmark.workload import maker_of, module_of, whole_box


@pytest.fixture
def making(tiny):
    """The module that makes the problem's samples."""
    found = maker_of(tiny)
    assert found.__name__ == f"benchmark.{tiny.workload}.making"
    return found


def test_a_sample_is_the_same_stored_or_not(tiny, making, tmp_path):
    """However its entry of the manifest is found: while it is made, from the file's bytes, from what the file says. A
    file that is not there is named."""
    for act in (making.measure_sample, making.state_sample):
        with pytest.raises(ValueError, match=str(tmp_path)):
            act(tmp_path, tiny, "train", 1)
    for split, sample in (("train", 1), ("validation", tiny.train_samples)):
        making.make_sample(tmp_path, tiny, split, sample)
        entry = making.stream_sample(tiny, split, sample)
        assert (entry.split, entry.sample) == (split, sample)
        assert making.measure_sample(tmp_path, tiny, split, sample) == entry
        assert making.state_sample(tmp_path, tiny, split, sample) == entry
        box = module_of(tiny).verify_sample(tmp_path, tiny, split, sample, whole_box(tiny))
        assert (fingerprint.to_hex(box.digest), box.class_counts) == (entry.digest, entry.class_counts)


def test_samples_differ_and_are_made_again_alike(tiny, making, tmp_path):
    made = []
    for folder in ("a", "b"):
        for sample in range(2):
            making.make_sample(tmp_path / folder, tiny, "train", sample)
            made.append(module_of(tiny).verify_sample(tmp_path / folder, tiny, "train", sample, whole_box(tiny)))
    for one, other in zip(made[:2], made[2:], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one.arrays, other.arrays, strict=True))
    assert made[0].digest != made[1].digest


def test_held_out_data_share_no_sample(tiny, making):
    fresh = making.held_out(tiny, tiny.data_seed + 1)
    assert fresh.data_seed == tiny.data_seed + 1 and isinstance(fresh, type(tiny))
    assert making.stream_sample(fresh, "train", 0).digest != making.stream_sample(tiny, "train", 0).digest
