import pytest
import torch

from benchmark.launch import Launch
from perf.interconnect import device_of


@pytest.mark.parametrize(("shown", "index"), [(4, 3), (1, 0)])
def test_a_rank_sends_from_its_own_gpu(monkeypatch, shown, index):
    """NCCL's messages between two ranks go through the current GPU."""
    chosen = []
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: shown)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    assert device_of(Launch(7, 8, 3, 4, "none")) == torch.device("cuda", index)
    assert chosen == [torch.device("cuda", index)]


def test_without_a_gpu_it_is_the_cpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_of(Launch(0, 2, 0, 2, "none")) == torch.device("cpu")
