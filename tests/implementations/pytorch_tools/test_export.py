import hashlib
import importlib.util
import re
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import save
from torch import nn

from benchmark.log import ROOT
from benchmark.run.files import weights_path
from harness.auditing.logged import read_run
from implementations.pytorch.training.state import tensors_of
from implementations.pytorch_tools import export
from implementations.pytorch_tools.exporting.onnx import LARGEST, difference, present, write

REFERENCE = ROOT / "results" / "v1.0" / "reference" / "results" / "xeon-amx-2core" / "strong"
packages = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("onnx", "onnxruntime", "onnxscript")),
    reason="onnx, onnxruntime or onnxscript is not installed; see implementations/pytorch_tools/README.md",
)


def with_weights(benchmark, folder):
    """A copy of a committed log, with the weights of another network of its problem, and their tensors."""
    committed = REFERENCE / benchmark / "result_0.txt"
    model = export.logged(SimpleNamespace(log=committed, problems=None)).build_model()
    state = tensors_of(model)
    log = folder / "set" / committed.name
    weights_path(log).parent.mkdir(parents=True)
    weights_path(log).write_bytes(save(state))
    digest = hashlib.sha256(save(state)).hexdigest()
    log.write_text(committed.read_text().replace(read_run(committed).weights, digest))
    return log, state


@packages
@pytest.mark.parametrize("benchmark", ["scaffold", "cosmoflow", "deepcam"])
def test_final_weights_give_the_same_numbers(benchmark, tmp_path, capsys):
    log, _ = with_weights(benchmark, tmp_path)
    assert export.main([str(log), "--out", str(tmp_path / "a.onnx")]) == 0
    found = re.search(r"differs from PyTorch by (\S+) of the largest output", capsys.readouterr().out)
    assert float(found[1]) <= LARGEST


@packages
def test_numbers_that_differ_are_exit_1(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(export, "difference", lambda *_: 1.01 * LARGEST)
    assert export.main(["--problem", "cosmoflow-mini", "--out", str(tmp_path / "a.onnx")]) == 1
    monkeypatch.setattr(export, "difference", lambda *_: LARGEST)
    assert export.main(["--problem", "cosmoflow-mini", "--out", str(tmp_path / "b.onnx")]) == 0


def test_the_weights_are_the_runs_and_others_are_refused(tmp_path, monkeypatch, capsys):
    written = []
    monkeypatch.setattr(export, "write", lambda model, x, path: written.append((model, x)))
    monkeypatch.setattr(export, "difference", lambda *_: 0.0)
    log, state = with_weights("cosmoflow", tmp_path)
    assert export.main([str(log), "--out", str(tmp_path / "a.onnx")]) == 0
    ((model, x),) = written
    held = dict(model.named_parameters())
    assert not model.training and len(x) == 2 and (held["head.weight"] == state["head.weight"]).all()
    weights_path(log).write_bytes(save({name: 2 * tensor for name, tensor in state.items()}))
    assert export.main([str(log), "--out", str(tmp_path / "a.onnx")]) == 2
    assert "found other weights" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--problem", "smok"], "did you mean 'smoke'"),
        (["nowhere/result_0.txt"], "No such file"),
        ([str(ROOT / "README.md")], "README.md"),
    ],
)
def test_what_cannot_be_exported_is_one_line_and_exit_2(arguments, message, tmp_path, capsys):
    assert export.main([*arguments, "--out", str(tmp_path / "a.onnx")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("export.py: ") and message in err and len(err.splitlines()) == 1


def test_nothing_is_written_over(tmp_path, capsys):
    (tmp_path / "a.onnx").write_text("mine")
    assert export.main(["--problem", "smoke", "--out", str(tmp_path / "a.onnx")]) == 2
    assert "nothing is overwritten" in capsys.readouterr().err and (tmp_path / "a.onnx").read_text() == "mine"


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
    assert difference(model, x, tmp_path / "a.onnx") > LARGEST
    model.weight.data[0, 0] = float("nan")
    assert difference(model, x, tmp_path / "a.onnx") == float("inf")
