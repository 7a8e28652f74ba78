import contextlib
import os
import signal
import threading
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import pytest
import torch

from benchmark import fingerprint
from benchmark.manifest import load_manifest
from implementations.pytorch.input import reader as reading
from implementations.pytorch.input.prefetch import ahead, prefetch
from implementations.pytorch.input.reader import Evidence, Reader
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.training.stop import WrongData

CPU = torch.device("cpu")
WHOLE = Layout(1).box((16,) * 3)
STEPS = [[6, 0, 3], [], [1, 2], [4, 5]]


@pytest.fixture
def threaded(monkeypatch):
    """Batches are made in a thread on the CPU too."""
    monkeypatch.setattr(reading, "prefetch", lambda batches, device: ahead(batches))


def prefetching():
    return [t for t in threading.enumerate() if t.name.startswith("prefetch")]


@pytest.mark.parametrize("workers", [0, 1])
def test_a_thread_keeps_order_and_evidence(tiny, threaded, workers):
    reader = Reader(tiny.data, tiny.problem, WHOLE, workers, prefetch=2, cache_gib=1)
    plain = list(Reader(tiny.data, tiny.problem, WHOLE, 0, 2, 1).batches("train", STEPS, CPU))
    proof: list[Evidence] = []
    batches = list(reader.batches("train", STEPS, CPU, proof))
    assert [len(b.tensors[0]) for b in batches] == [3, 0, 2, 2]
    for one, other in zip(batches, plain, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one.tensors, other.tensors, strict=True))
    total = sum(proof, Evidence())
    assert fingerprint.to_hex(total.fingerprint) == load_manifest(tiny.data, tiny.problem).fingerprints["train"]
    assert not prefetching()
    reader.close()


def test_one_batch_is_made_ahead_and_no_more():
    made, used = [], threading.Event()

    def numbers():
        for n in range(5):
            made.append(n)
            yield n
            used.set()

    items = ahead(numbers())
    assert next(items) == 0
    assert used.wait(5)  # the thread has gone on
    for n in range(1, 5):
        assert len(made) <= n + 1
        assert next(items) == n
    assert next(items, "end") == "end" and not prefetching()


def test_a_thread_ends_with_its_iterator(tiny, threaded):
    batches = Reader(tiny.data, tiny.problem, WHOLE, 0, 1, 0).batches("train", STEPS, CPU)
    with contextlib.closing(batches):
        next(batches)
        assert len(prefetching()) == 1
    assert not prefetching()


def test_errors_come_out_of_a_thread(tiny, threaded, tmp_path):
    reader = Reader(tmp_path, tiny.problem, WHOLE, 0, 1, 0)
    with pytest.raises(WrongData, match=r"00006\.h5"):
        list(reader.batches("train", STEPS, CPU))
    reader = Reader(tiny.data, tiny.problem, WHOLE, 1, prefetch=1, cache_gib=0)
    batches = reader.batches("train", [[0], [1], [2], [3]], CPU)
    next(batches)
    os.kill(next(iter(reader.pool._processes)), signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):
        list(batches)
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
