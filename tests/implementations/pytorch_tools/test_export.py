import hashlib
import importlib.util
import re
from types import SimpleNamespace

import pytest
from safetensors.torch import save

from benchmark.log import ROOT
from benchmark.run.files import weights_path
from harness.auditing.logged import read_run
from implementations.pytorch.training.state import tensors_of
from implementations.pytorch_tools import export
from implementations.pytorch_tools.exporting.onnx import LARGEST

REFERENCE = ROOT / "results" / "v1.0" / "reference" / "results" / "epyc-2core" / "strong"
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


def without_writing(monkeypatch):
    written = []
    monkeypatch.setattr(export, "write", lambda model, x, path: written.append((model, x, path)))
    monkeypatch.setattr(export, "difference", lambda *_: 0.0)
    return written


def test_the_weights_are_the_runs(tmp_path, monkeypatch, capsys):
    written = without_writing(monkeypatch)
    log, state = with_weights("cosmoflow", tmp_path)
    assert export.main([str(log), "--out", str(tmp_path / "a.onnx")]) == 0
    ((model, x, _),) = written
    held = dict(model.named_parameters())
    assert not model.training and len(x) == 2 and (held["head.weight"] == state["head.weight"]).all()


def test_other_weights_than_the_logs_are_refused(tmp_path, monkeypatch, capsys):
    without_writing(monkeypatch)
    log, state = with_weights("cosmoflow", tmp_path)
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
