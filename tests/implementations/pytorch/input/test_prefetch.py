import contextlib
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from benchmark import fingerprint
from benchmark.manifest import load_manifest
from benchmark.run.errors import WrongData
from benchmark.run.reader import Reader
from benchmark.scaffold.store import read_box, sample_path
from implementations.pytorch.input import prefetch as prefetching_module
from implementations.pytorch.input.prefetch import device_batches, prefetch, prefetch_next, stack

CPU = torch.device("cpu")
STEPS = [[6, 0, 3], [], [1, 2], [4, 5]]


@pytest.fixture
def threaded(monkeypatch):
    """Batches are made in a thread on the CPU too."""
    monkeypatch.setattr(prefetching_module, "prefetch", lambda batches, device: prefetch_next(batches))


def prefetching():
    return [t for t in threading.enumerate() if t.name.startswith("prefetch")]


@pytest.mark.parametrize("workers", [0, 1])
def test_a_thread_keeps_order_and_evidence(tiny, threaded, workers):
    reader = Reader(tiny.data, tiny.problem, None, workers, prefetch=2, cache_gib=1)
    batches = list(device_batches(reader, "train", STEPS, CPU))
    assert [len(b.tensors[0]) for b in batches] == [3, 0, 2, 2] and batches[1].tensors[1].shape == (0, 16, 16, 16)
    for step, batch in zip(STEPS, batches, strict=True):
        for place, sample in enumerate(step):
            wanted = read_box(sample_path(tiny.data, "train", sample))
            assert all(np.array_equal(found[place], one) for found, one in zip(batch.tensors, wanted, strict=True))
    assert all(batch.wait >= 0 for batch in batches) and batches[0].wait > 0
    total = reader.evidence("train")
    assert fingerprint.to_hex(total.fingerprint) == load_manifest(tiny.data, tiny.problem).fingerprints["train"]
    assert not prefetching()
    reader.close()


def test_a_single_sample_is_not_copied(tiny):
    reader = Reader(tiny.data, tiny.problem)
    ((sample,),) = reader.batches("train", [[3]])
    volume, label = stack([sample], reader.blank)
    assert volume.shape == label.shape == (1, 16, 16, 16) and volume.dtype is torch.uint8
    assert volume.data_ptr() == sample[0].__array_interface__["data"][0]
    two = stack([sample, sample], reader.blank)
    assert two[0].shape == (2, 16, 16, 16) and torch.equal(two[0][1], volume[0])


def test_one_batch_is_made_ahead_and_no_more():
    made, used = [], threading.Event()

    def numbers():
        for n in range(5):
            made.append(n)
            yield n
            used.set()

    items = prefetch_next(numbers())
    assert next(items) == 0
    assert used.wait(5)  # the thread has gone on
    for n in range(1, 5):
        assert len(made) <= n + 1
        assert next(items) == n
    assert next(items, "end") == "end" and not prefetching()


def test_a_thread_ends_with_its_iterator(tiny, threaded):
    batches = device_batches(Reader(tiny.data, tiny.problem, prefetch=1, cache_gib=0), "train", STEPS, CPU)
    with contextlib.closing(batches):
        next(batches)
        assert len(prefetching()) == 1
    assert not prefetching()


def test_errors_come_out_of_a_thread(tiny, threaded, tmp_path):
    reader = Reader(tmp_path, tiny.problem)
    with pytest.raises(WrongData, match=r"00006\.h5"):
        list(device_batches(reader, "train", STEPS, CPU))
    assert not prefetching()


def test_a_gpu_waits_for_its_copy(monkeypatch):
    """With stand-ins for CUDA: the stream that computes waits for the copy's event, and holds on to the memory."""
    calls = []
    computing = SimpleNamespace(wait_event=lambda event: calls.append(("wait", event)))
    events = iter("abc")
    stream = SimpleNamespace(device=CPU, record_event=lambda: next(events))
    stand_ins = {"current_device": lambda: 3, "Stream": lambda index: stream, "current_stream": lambda index: computing}
    for name, stand_in in stand_ins.items():
        monkeypatch.setattr(torch.cuda, name, stand_in)
    for name in ("device", "stream"):
        monkeypatch.setattr(torch.cuda, name, lambda _: contextlib.nullcontext())
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda self: self)
    monkeypatch.setattr(torch.Tensor, "record_stream", lambda self, s: calls.append(("held", s is computing)))
    batches = [(torch.full((2,), n), torch.zeros(1)) for n in range(3)]
    found = [tensors[0][0].item() for tensors in prefetch(iter(batches), torch.device("cuda"))]
    assert found == [0, 1, 2] and not prefetching()
    assert calls == [x for event in "abc" for x in (("wait", event), ("held", True), ("held", True))]
