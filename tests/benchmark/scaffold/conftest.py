import pytest

from benchmark.scaffold import bricks, store, writing
from benchmark.scaffold.volume import make_sample


@pytest.fixture
def stored(tiny, tmp_path):
    """(path, volume, label) of training sample 2 of the tiny problem."""
    path = store.sample_path(tmp_path, "train", 2)
    volume, label = make_sample(tiny, 2)
    writing.write_sample(path, tiny, "train", 2, volume, label)
    return path, volume, label


@pytest.fixture(params=[(1, 1 << 23), (2, 1 << 23), (4, 1 << 23), (2, 512)])
def threads(request, monkeypatch):
    """Cores, and bytes at once: the tiny problem's brick has 512."""
    monkeypatch.setattr(bricks, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(bricks, "usable_cores", lambda: request.param[0])
    monkeypatch.setattr(bricks, "AT_ONCE", request.param[1])
