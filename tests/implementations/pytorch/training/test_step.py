from types import SimpleNamespace

import pytest
import torch

from benchmark.launch import Launch
from implementations.pytorch import train
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.training.step import float32_facts, ieee_float32


@pytest.fixture
def switches():
    """What float32 is on a GPU, which is put back."""
    backends = torch.backends
    before = backends.cudnn.allow_tf32, backends.cuda.matmul.allow_tf32
    yield backends
    backends.cudnn.allow_tf32, backends.cuda.matmul.allow_tf32 = before


def test_float32_is_float32_and_the_log_says_so(switches):
    assert float32_facts("cuda") == {"tf32": True}  # PyTorch's own: convolutions round
    ieee_float32()
    assert float32_facts("cuda") == {"tf32": False} and float32_facts("cpu") == {}
    assert switches.cudnn.conv.fp32_precision != "tf32" and switches.cuda.matmul.fp32_precision != "tf32"


def test_a_product_alone_may_round_too(switches):
    ieee_float32()
    switches.cuda.matmul.allow_tf32 = True
    assert float32_facts("cuda") == {"tf32": True}


def test_what_reads_the_older_switches_still_can(switches):
    """PyTorch's compiler reads them; it raises where the newer ones were set to something else."""
    ieee_float32()
    assert switches.cudnn.allow_tf32 is switches.cuda.matmul.allow_tf32 is False
    assert torch.get_float32_matmul_precision() == "highest"


def test_a_run_on_a_gpu_says_so_before_it_computes(switches, monkeypatch):
    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    monkeypatch.setattr(train, "gpu_of", lambda launch: 0)
    monkeypatch.setattr(torch.cuda, "set_device", lambda index: None)
    monkeypatch.setattr(train, "connect", stop)
    task = SimpleNamespace(problem=SimpleNamespace(workload="scaffold"), config=Config(device="cuda", threads=1))
    args = SimpleNamespace(org="", system="", division="", status="", steps=0, io_only=False)
    nothing = SimpleNamespace(submission=lambda *_: None, start=lambda *_: None)
    with pytest.raises(Enough):
        train.prepare(args, task, Layout(1), Launch(0, 1, 0, 1, "none"), nothing, None, None, None, None, None)
    assert float32_facts("cuda") == {"tf32": False}
