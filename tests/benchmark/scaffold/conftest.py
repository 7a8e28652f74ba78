import pytest

from benchmark.scaffold import store, writing
from benchmark.scaffold.volume import make_sample


@pytest.fixture
def stored(tiny, tmp_path):
    """(path, volume, label) of training sample 2 of the tiny problem."""
    path = store.sample_path(tmp_path, "train", 2)
    volume, label = make_sample(tiny, 2)
    writing.write_sample(path, tiny, "train", 2, volume, label)
    return path, volume, label
