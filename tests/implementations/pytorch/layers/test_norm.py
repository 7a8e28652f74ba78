"""The norm's kernels, in slabs and compiled."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from implementations.pytorch.layers import norm
from implementations.pytorch.layers.norm import EAGER, LAST, GroupNormReLU, Normalization, NormReLU, fuse_norms
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.model import UNet


@pytest.fixture(autouse=True)
def fresh():
    norm.compiled.cache_clear()
    yield
    norm.compiled.cache_clear()


def gradients(layer, x, dy):
    y = layer(x)
    return [y.detach(), *torch.autograd.grad(y, [x, *layer.parameters()], dy)]


@pytest.mark.parametrize("shape", [(2, 16, 3, 4, 5), (3, 8, 1, 1, 1), (2, 8, 5, 1, 1)])
def test_slabs_change_nothing(shape, monkeypatch):
    torch.manual_seed(0)
    layer = NormReLU(8, shape[1]).double()
    nn.init.normal_(layer.weight)
    x = torch.randn(shape, dtype=torch.float64).contiguous(memory_format=LAST).requires_grad_()
    dy = torch.randn_like(x)
    wanted = F.relu(F.group_norm(x, 8, layer.weight, layer.bias))
    wanted = [wanted.detach(), *torch.autograd.grad(wanted, [x, *layer.parameters()], dy)]
    for slab in (1, 100, 2**18):
        monkeypatch.setattr(norm, "SLAB", slab)
        torch.testing.assert_close(gradients(layer, x, dy), wanted, rtol=0, atol=1e-10)


def test_fused_norms_run_the_compiled_kernels(monkeypatch):
    calls = []

    def compile(kernel, dynamic):
        assert dynamic  # for all shapes
        return lambda *args: calls.append(kernel.__name__) or kernel(*args)

    monkeypatch.setattr(torch, "compile", compile)
    model = UNet(classes=2, width=8, levels=1)
    assert fuse_norms(model)
    assert len(calls) == 4  # tried out
    assert torch._inductor.config.compile_threads == 1  # in this process, not in helpers
    model(torch.zeros(1, 1, 4, 4, 4)).sum().backward()
    assert calls[4:].count("moments") == calls[4:].count("gradient") == 6


def test_norms_stay_as_they_are_where_nothing_compiles(monkeypatch):
    def compile(kernel, dynamic):
        def fail(*args):
            raise RuntimeError("no compiler\nand more")

        return fail

    monkeypatch.setattr(torch, "compile", compile)
    model = UNet(classes=2, width=8, levels=1)
    with pytest.warns(UserWarning, match="norms are not compiled: .*no compiler") as warned:
        assert not fuse_norms(model)
    assert warned[0].filename == __file__ and "and more" not in str(warned[0].message)
    assert all(m.kernels is EAGER for m in model.modules() if isinstance(m, NormReLU))


def test_the_statistics_of_a_split_volume_are_those_of_the_whole(in_threads):
    """Outputs, and the gradients of inputs and of parameters, which a box has for its own voxels."""
    torch.manual_seed(0)
    layer = NormReLU(2, 4).double()
    nn.init.normal_(layer.weight), nn.init.normal_(layer.bias)
    whole = torch.randn(2, 4, 4, 3, 2, dtype=torch.float64).contiguous(memory_format=LAST).requires_grad_()
    dy = torch.randn_like(whole)
    y, dx, *wanted = gradients(layer, whole, dy)

    def work(layout):
        x = whole.detach()[:, :, 2 * layout.rank :][:, :, :2].contiguous(memory_format=LAST).requires_grad_()
        weight, bias = (p.detach().clone().requires_grad_() for p in layer.parameters())
        part = GroupNormReLU.apply(x, weight, bias, Normalization(2, layer.eps, EAGER, layout))
        return part.detach(), *torch.autograd.grad(part, [x, weight, bias], dy[:, :, 2 * layout.rank :][:, :, :2])

    outputs, inputs, *parameters = zip(*in_threads(Layout(1, 0, 2), work), strict=True)
    torch.testing.assert_close(torch.cat(outputs, 2), y, rtol=0, atol=1e-12)
    torch.testing.assert_close(torch.cat(inputs, 2), dx, rtol=0, atol=1e-12)
    torch.testing.assert_close([sum(found) for found in parameters], wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("slab", "depths"), [(1, [1] * 5), (95, [1] * 5), (96, [2, 2, 1]), (191, [3, 2]), (2**9, [5])])
def test_slabs_are_of_so_many_numbers_or_of_one_plane(monkeypatch, slab, depths):
    monkeypatch.setattr(norm, "SLAB", slab)
    seen, x = [], torch.arange(2 * 5 * 6 * 4.0).view(2, 5, 6, 4)  # planes of 48
    found = norm.in_slabs(lambda part: seen.append(part.shape[1]) or part)(x)
    assert seen == depths and torch.equal(found, x)
    assert (found.data_ptr() == x.data_ptr()) == (len(depths) == 1)  # a single one is not copied


def test_an_accelerator_takes_all_planes_at_once(monkeypatch):
    monkeypatch.setattr(norm, "SLAB", 1)
    seen = []
    norm.in_slabs(lambda part: seen.append(part.shape[1]) or part)(torch.empty(1, 5, 6, 4, device="meta"))
    assert seen == [5]


@pytest.mark.parametrize("samples, compiled", [((2, 3), 4), ((1, 2), 8)])
def test_each_kernel_is_compiled_once_and_again_for_one_sample(monkeypatch, samples, compiled):
    """In training and in evaluation, whatever the sides of volumes and the number of channels."""
    graphs, compile = [], torch.compile
    monkeypatch.setattr(
        torch,
        "compile",
        lambda kernel, dynamic: compile(
            kernel, dynamic=dynamic, backend=lambda graph, _: graphs.append(kernel) or graph
        ),
    )
    model = UNet(classes=2, width=8, levels=2)
    assert fuse_norms(model) and len(graphs) == 4
    for n in samples:
        model(torch.zeros(n, 1, 8, 8, 16)).sum().backward()
        with torch.no_grad():
            model(torch.zeros(n, 1, 8, 8, 8))
    assert len(graphs) == compiled


def test_where_the_norm_gives_0_no_gradient_passes():
    """As through PyTorch's ReLU."""
    x = torch.zeros(1, 2, 2, 2, 2, requires_grad=True)
    found = gradients(NormReLU(1, 2), x, torch.arange(16.0).view(x.shape))
    assert not any(part.any() for part in found)


@pytest.mark.parametrize("value", [33.3, 1000.1])
def test_a_volume_of_one_value_is_finite(value):
    x = torch.full((1, 1, 3, 7, 5), value, requires_grad=True)
    assert all(part.isfinite().all() for part in gradients(NormReLU(1, 1), x, torch.ones_like(x)))
