import pytest
import torch
from torch import nn

from implementations.pytorch.deepcam.model import DeepLab, Scale, double, separable
from implementations.pytorch.layers.blocks import parameter_count


@pytest.fixture(scope="module")
def published():
    torch.manual_seed(1)
    return DeepLab()


@pytest.fixture(scope="module")
def small():
    return DeepLab(middle=1, divisor=8).eval()


def test_published_network_has_the_published_parameters(published):
    assert parameter_count(published) == 56_454_720
    assert len(list(published.parameters())) == 301


def test_layers_are_those_of_the_published_network(published):
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


def test_encoder_and_branches_start_with_he_normal_weights(published):
    parts = [published.encoder, *published.pyramid.branches]
    layers = [m for part in parts for m in part.modules() if isinstance(m, nn.Conv2d)]
    for layer in layers:
        weight = layer.weight.double()
        wanted = (2 / weight[0].numel()) ** 0.5
        assert abs(weight.mean()) < 5 * wanted / weight.numel() ** 0.5
        assert abs(weight.std() / wanted - 1) < 4 / weight.numel() ** 0.5  # twice the spread of n numbers' deviation
    widest = max(layers, key=lambda layer: layer.weight.numel()).weight.flatten()
    kurtosis = ((widest / widest.std()) ** 4).mean()
    assert abs(kurtosis - 3) < 0.05  # normal; uniform has 1.8


def test_all_other_layers_start_uniform_by_their_fan_in(published):
    others = [published.pyramid.whole, published.pyramid.join, published.skip, published.rise, published.decoder]
    layers = [m for part in others for m in part.modules() if isinstance(m, nn.Conv2d | nn.ConvTranspose2d)]
    assert len(layers) == 1 + 1 + 1 + 2 + 5
    for layer in layers:
        weight = layer.weight.double()
        bound = (1 / weight[0].numel()) ** 0.5  # a transposed convolution's "fan-in" counts its outputs
        assert 0.98 * bound < weight.abs().max() <= bound * (1 + 1e-6)
        assert abs(weight.std() / (bound / 3**0.5) - 1) < 4 / weight.numel() ** 0.5
        if layer.bias is not None:
            assert layer.bias.abs().max() <= bound * (1 + 1e-6)


def test_norms_and_the_global_scale_start_as_the_identity(published):
    layers = [m for m in published.modules() if isinstance(m, nn.BatchNorm2d | Scale)]
    assert len(layers) == 2 + 3 * 3 + 16 * 3 + 3 + 3 + 4 + 1 + 1 + 1 + 2 + 3
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
