import pytest
import torch
from torch import nn

from implementations.pytorch.deepcam.model import DeepLab, Scale, double, separable


@pytest.fixture(scope="module")
def small():
    return DeepLab(middle=1, divisor=8).eval()


def test_layers_are_those_of_the_published_network():
    with torch.device("meta"):
        published = DeepLab()
    convolutions = [m for m in published.modules() if isinstance(m, nn.Conv2d | nn.ConvTranspose2d)]
    separables = 3 * 3 + 16 * 3 + 3 + 3  # entry, middle, exit block, exit
    assert len(convolutions) == 2 + 2 * separables + 4 + 5 + 1 + 1 + 2 + 3 + 2
    assert sum(m.groups > 1 for m in convolutions) == separables
    assert [m.dilation[0] for m in published.pyramid.branches.modules() if isinstance(m, nn.Conv2d)] == [1, 6, 12, 18]
    assert {m.dilation[0] for m in published.encoder.modules() if isinstance(m, nn.Conv2d)} == {1, 2}
    with_bias = [m for m in convolutions if m.bias is not None]
    assert [(m.in_channels, m.out_channels, m.kernel_size) for m in with_bias] == [(256, 256, (1, 1))]


def test_features_have_a_16th_of_the_resolution_the_skip_a_4th(small):
    x = torch.randn(1, 16, 96, 144)
    skip, features = small.encoder(x)
    assert skip.shape == (1, 16, 24, 36) and features.shape == (1, 256, 6, 9)
    assert skip.min() == 0 and features.min() == 0  # they come after a ReLU
    assert small.pyramid(features).shape == (1, 32, 6, 9)
    assert small.rise(small.pyramid(features)).shape == (1, 32, 24, 36)
    assert small(x).shape == (1, 3, 96, 144)


def test_norms_and_the_global_scale_start_as_the_identity(small):
    layers = [m for m in small.modules() if isinstance(m, nn.BatchNorm2d | Scale)]
    assert len(layers) == 2 + 3 * 3 + 1 * 3 + 3 + 3 + 4 + 1 + 1 + 1 + 2 + 3
    assert all((m.weight == 1).all() and (m.bias == 0).all() for m in layers)


def test_convolutions_keep_or_halve_and_transposed_ones_double():
    x = torch.zeros(1, 4, 8, 12)
    assert separable(4, 6)(x).shape == separable(4, 6, rate=2)(x).shape == (1, 6, 8, 12)
    assert separable(4, 6, stride=2)(x).shape == (1, 6, 4, 6)
    assert double(4, 6)(x).shape == (1, 6, 16, 24)


def test_widths_must_stay_whole():
    with pytest.raises(ValueError, match="divisor: found 16, wanted 1, 2, 4 or 8"):
        DeepLab(divisor=16)


def test_no_sample_goes_through_and_has_zero_gradients(small):
    logits = small(torch.zeros(0, 16, 32, 48))
    assert logits.shape == (0, 3, 32, 48)
    logits.sum().backward()
    assert all(p.grad is not None and (p.grad == 0).all() for p in small.parameters())
