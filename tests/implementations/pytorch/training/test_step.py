from types import SimpleNamespace

import pytest
import torch

from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.training import step
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


@pytest.mark.parametrize(
    "replicas, validation, evaluated",
    [(1, 9, [1, 4]), (1, 8, [4]), (2, 9, [1, 4]), (2, 3, [2])],  # the first replica has one sample more
)
def test_every_batch_size_of_a_run_is_warmed_up(monkeypatch, replicas, validation, evaluated):
    """Kernels are compiled anew for a batch of one sample, which the clock must not see."""
    monkeypatch.setattr(step, "blank_batch", lambda task, layout, samples: torch.ones(samples, 3))
    task = SimpleNamespace(
        problem=SimpleNamespace(train_samples=5 * replicas, split_samples=lambda split: range(validation)),
        config=Config(batch_size=2 * replicas, eval_batch_size=4, device="cpu"),
        loss=lambda model, batch, layout: model(batch).sum(),
        evaluate=lambda model, batches, layout: [model(batch) for batch in batches],
        build_optimizer=lambda model: torch.optim.SGD(model.parameters()),
    )
    seen, model = [], torch.nn.Linear(3, 1)
    model.register_forward_pre_hook(lambda model, inputs: seen.append((model.training, len(inputs[0]))))
    step.warm_up(task, model, Layout(replicas, 0, 1))
    assert seen == [(True, n) for n in (2, 2, 1)] + [(False, n) for n in evaluated]
