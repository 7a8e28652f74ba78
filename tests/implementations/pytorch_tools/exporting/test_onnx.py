import importlib.util

import pytest
import torch
from torch import nn

from implementations.pytorch_tools.exporting import onnx
from implementations.pytorch_tools.exporting.onnx import difference, present, write

packages = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("onnx", "onnxruntime", "onnxscript")),
    reason="onnx, onnxruntime or onnxscript is not installed; see implementations/pytorch_tools/README.md",
)


def test_a_package_that_is_not_there_is_named():
    present("torch")
    with pytest.raises(ImportError, match=r"^found no no_such_package, wanted the packages of the extra `export`"):
        present("torch", "no_such_package")


@packages
def test_other_weights_and_no_numbers_are_told_apart(tmp_path):
    model, x = nn.Linear(3, 2), torch.randn(2, 3)
    write(model, x, tmp_path / "a.onnx")
    with torch.no_grad():
        model.weight[0, 0] += 2e-2
    assert difference(model, x, tmp_path / "a.onnx") > onnx.LARGEST
    model.weight.data[0, 0] = float("nan")
    assert difference(model, x, tmp_path / "a.onnx") == float("inf")
