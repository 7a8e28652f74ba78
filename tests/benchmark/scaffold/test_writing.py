import numpy as np
import pytest

from benchmark.scaffold import store, writing


def test_a_failed_write_leaves_nothing(tiny, tmp_path):
    def slabs():
        yield 0, *(np.zeros((8, 16, 16), np.uint8),) * 2
        raise OSError("disk full")

    path = store.sample_path(tmp_path, "train", 0)
    with pytest.raises(OSError, match="disk full"):
        writing.write_slabs(path, tiny, "train", 0, slabs())
    assert list(path.parent.iterdir()) == []


def test_a_sample_that_lacks_slabs_is_not_written(tiny, tmp_path):
    path = store.sample_path(tmp_path, "train", 0)
    with pytest.raises(ValueError, match="found 8 planes, wanted 16"):
        writing.write_slabs(path, tiny, "train", 0, [(0, *(np.zeros((8, 16, 16), np.uint8),) * 2)])
    assert list(path.parent.iterdir()) == []
