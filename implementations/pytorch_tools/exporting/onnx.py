"""Write a network as ONNX, and run the written model."""

import logging
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from benchmark.atomic import naming

OPSET = 20  # of ONNX's operators
LARGEST = 1e-4  # largest difference from PyTorch's outputs, relative to the largest of them: float32 in another order
MISSING = "found no {}, wanted the packages of the extra `export` in pyproject.toml: pip install {}"


def write(model: nn.Module, x: Tensor, path: Path) -> None:
    """Write a model as ONNX, with an `input` like x (N, ...), where N is open, and an `output`. Raises OSError, and
    ImportError if a package is not installed."""
    present("onnx", "onnxscript")
    path.parent.mkdir(parents=True, exist_ok=True)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what PyTorch's exporter uses itself
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # operators of torchvision, which isn't used
        program = torch.onnx.export(
            model,
            (x,),
            input_names=["input"],
            output_names=["output"],
            dynamic_shapes=({0: torch.export.Dim("samples")},),
            opset_version=OPSET,
            dynamo=True,
            verbose=False,
        )
    try:
        with naming(path):
            program.save(path)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def difference(model: nn.Module, x: Tensor, path: Path) -> float:
    """Return the largest difference between ONNX Runtime's and the model's outputs for x, and for its first sample,
    relative to the model's largest output. NaN counts as infinite. Raises ImportError."""
    present("onnxruntime")
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    worst = 0.0
    for part in (x, x[:1]):
        with torch.no_grad():
            wanted = model(part)
        (found,) = (torch.from_numpy(y) for y in session.run(["output"], {"input": part.numpy()}))
        if found.shape != wanted.shape:
            raise ValueError(f"{path}: found an output {tuple(found.shape)}, wanted {tuple(wanted.shape)}")
        apart = ((found - wanted).abs().max() / wanted.abs().max()).item()
        worst = max(worst, apart if apart == apart else float("inf"))
    return worst


def present(*packages: str) -> None:
    """Raise ImportError, in one line, for the first package that is not installed."""
    from importlib.util import find_spec

    for name in packages:
        if find_spec(name) is None:
            raise ImportError(MISSING.format(name, "onnx onnxruntime onnxscript"))
