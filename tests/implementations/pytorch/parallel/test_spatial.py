"""Models whose volumes are split over ranks."""

from copy import deepcopy

import pytest
import torch
from torch import nn

from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.parallel.spatial import HaloConv3d, split_volumes
from implementations.pytorch.scaffold.model import UNet


def test_a_split_model_has_the_same_parameters():
    model, split = (UNet(classes=3, width=8, levels=2) for _ in range(2))
    split_volumes(split, Layout(1, 0, 2))
    shapes = [{name: p.shape for name, p in m.named_parameters()} for m in (model, split)]
    assert shapes[0] == shapes[1]
    assert sum(isinstance(module, HaloConv3d) for module in split.modules()) == 10


def test_a_convolution_that_cannot_be_split_is_named():
    with pytest.raises(ValueError, match="kernel_size=\\(5, 5, 5\\)"):
        split_volumes(nn.Sequential(nn.Conv3d(1, 1, 5, padding=2)), Layout(1, 0, 2))


def test_a_copy_belongs_to_the_same_ranks():
    layout = Layout(1, 0, 2)
    copy = deepcopy(split_volumes(UNet(classes=3, width=8, levels=1), layout))
    assert all(m.layout is layout for m in copy.modules() if isinstance(m, HaloConv3d))
    assert torch.is_tensor(copy.down[0][0].weight)
