import pytest
import torch

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
    if hasattr(switches.cudnn, "conv"):  # switches that PyTorch 2.8 doesn't have
        assert switches.cudnn.conv.fp32_precision != "tf32" and switches.cuda.matmul.fp32_precision != "tf32"
    assert torch.get_float32_matmul_precision() == "highest"  # raises where the newer switches were set otherwise
    switches.cuda.matmul.allow_tf32 = True
    assert float32_facts("cuda") == {"tf32": True}  # products alone round
