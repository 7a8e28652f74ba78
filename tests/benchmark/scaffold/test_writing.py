import numpy as np
import pytest

from benchmark.scaffold import store, writing


def test_a_write_that_fails_or_lacks_slabs_leaves_nothing(tiny, tmp_path):
    half = (0, *(np.zeros((8, 16, 16), np.uint8),) * 2)

    def failing():
        yield half
        raise OSError("disk full")

    path = store.sample_path(tmp_path, "train", 0)
    for slabs, error, said in ((failing(), OSError, "disk full"), ([half], ValueError, "found 8 planes, wanted 16")):
        with pytest.raises(error, match=said):
            writing.write_slabs(path, tiny, "train", 0, slabs)
        assert list(path.parent.iterdir()) == []
