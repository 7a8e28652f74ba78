"""The implementation in one file: it computes what the reference computes, and its runs are in order."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
import yaml

from benchmark.config import build, machine_settings
from benchmark.problem import load_problem
from benchmark.run.errors import WrongData
from benchmark.run.files import weights_path
from benchmark.run.reader import Reader
from benchmark.tree import result_path
from compliance.engine import judge
from implementations.minimal import train as minimal
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.loss import class_weights, loss_from_sums, loss_sums
from implementations.pytorch.scaffold.task import Config, Task
from implementations.pytorch.training.seeds import seed_weights
from tests.support import ROOT
from tests.support.lines import values
from tests.support.tiny import Tiny

SCRIPT = ROOT / "implementations" / "minimal" / "train.py"
SETTINGS = {"batch_size": 4, "eval_batch_size": 3, "epochs": 2, "average_epochs": 0.5, "warmup_epochs": 1.0}


@pytest.fixture
def ours(tiny, tmp_path) -> Tiny:
    """The tiny problem, whose runs are this implementation's."""
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(SETTINGS))
    return replace(tiny, script=SCRIPT, config=path, warm=None)


def test_it_is_one_file_of_at_most_210_lines():
    assert len(SCRIPT.read_text().splitlines()) <= 210


def test_its_settings_are_the_references():
    ours, theirs = ({f: getattr(c(), f) for f in c.__dataclass_fields__} for c in (minimal.Config, Config))
    machine = set(machine_settings(Config))
    assert ours.keys() <= theirs.keys() and theirs.keys() - ours.keys() - machine == {"accumulate"}  # which is 1
    assert set(machine_settings(minimal.Config)) <= machine
    same = {name for name in ours.keys() - machine if ours[name] == theirs[name]}
    assert ours.keys() - machine - same == {"precision"}  # "auto" there


def test_for_smoke_its_file_has_the_references_values():
    path, reference = SCRIPT.with_name("smoke.yaml"), ROOT / "implementations/pytorch/configs/smoke.yaml"
    ours, theirs = (yaml.safe_load(file.read_text()) for file in (path, reference))
    build(minimal.Config, ours, str(path))
    assert all(theirs.get(name) == value for name, value in ours.items())


def test_weights_are_drawn_as_the_reference_draws_them(tiny):
    seed = 7203841165930284517
    training = minimal.Training(tiny.problem, minimal.Config(), seed)
    seed_weights(seed)
    wanted = Task(tiny.problem, Config()).build_model().state_dict()
    found = training.model.state_dict()
    assert list(found) == list(wanted)
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)


def test_loss_rate_and_scores_are_the_references(tiny):
    torch.manual_seed(3)
    logits, label = torch.randn(2, 3, 8, 8, 8), torch.randint(0, 3, (2, 8, 8, 8))
    wanted = loss_from_sums(loss_sums(logits, label.to(torch.uint8), class_weights(3, 0.02)))
    assert minimal.loss_of(logits, label, 0.02).item() == pytest.approx(wanted.item(), rel=1e-6)
    task = Task(tiny.problem, Config(warmup_epochs=2.0, decay_epochs=5.0))
    ours = minimal.Config(warmup_epochs=2.0, decay_epochs=5.0)
    for epochs in (0.0, 0.25, 1.0, 2.0, 3.7, 5.0, 9.0):
        assert minimal.learning_rate(epochs, ours) == task.learning_rate(epochs)
    training, reader = minimal.Training(tiny.problem, minimal.Config(), 5), Reader(tiny.data, tiny.problem)
    ids = tiny.problem.split_samples("validation")
    samples = next(reader.batches("validation", [ids]))
    batch = tuple(torch.stack([torch.from_numpy(arrays[i]) for arrays in samples]) for i in (0, 1))
    model = task.build_model()
    model.load_state_dict(training.model.state_dict())
    found = Task(tiny.problem, Config(precision="float32", device="cpu")).evaluate(model.eval(), [batch], Layout(1))
    assert vars(training.evaluate(reader)) == {name: tuple(counts) for name, counts in found.facts.items()}


@pytest.mark.parametrize(
    ("problem", "device", "said"),
    [
        ("published4", "cpu", "--problem: found published4, which is of scaffold_published, wanted one of scaffold"),
        ("deepcam-mini", "cpu", "--problem: found deepcam-mini, which is of deepcam, wanted one of scaffold"),
        ("smoke", "cuda", "device: found no GPU that PyTorch can use, wanted one for cuda"),
    ],
)
def test_what_it_cannot_train_is_said(monkeypatch, problem, device, said):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(WrongData, match=f"^{said}$"):
        minimal.train(SimpleNamespace(problem=load_problem(problem), config=minimal.Config(device=device), log=None))


def test_float32_is_not_rounded_to_tf32_on_a_gpu(tiny, monkeypatch):
    class Started(Exception):
        pass

    def training(*_):
        raise Started

    monkeypatch.setattr(minimal, "Training", training)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    with pytest.raises(Started):
        minimal.train(SimpleNamespace(problem=tiny.problem, config=minimal.Config(), log=None, seed=1))
    assert torch.backends.cudnn.allow_tf32 is False and torch.backends.cuda.matmul.allow_tf32 is False


def test_its_epochs_agree_with_the_references(ours, tiny, tmp_path):
    """From the same seed, in float32: two implementations that share no network code."""
    same = ("--rehearsal-seed", "11")
    found = ours.ran(tmp_path / "ours" / "result_0.txt", *same, "precision=float32")
    wanted = tiny.ran(tmp_path / "theirs" / "result_0.txt", *same, *(f"{k}={value}" for k, value in SETTINGS.items()))
    prints = [values(events, "dataset_fingerprint") for events in (found, wanted)]
    assert prints[0] == prints[1]
    mine, theirs = ({e.key: e.value for e in events} for events in (found, wanted))
    assert mine["tracked_stats"]["loss"] == pytest.approx(theirs["tracked_stats"]["loss"], rel=1e-4)
    assert mine["eval_accuracy"] == pytest.approx(theirs["eval_accuracy"], abs=0.02)
    assert mine["parameter_count"] == theirs["parameter_count"]


def test_a_run_is_in_order(ours, tmp_path, published):
    log = result_path(tmp_path / "v1.0" / "us", "box", "scaffold", 0)
    done = ours.train(log, "--org", "us", "--system", "box")
    assert done.returncode == 0 and done.stdout.startswith("time to target: "), done.stderr
    assert weights_path(log).is_file() and log.with_name("ledger.jsonl").is_file()
    verdict = judge([str(log)], rules=published(log, tmp_path / "rules"))
    assert {f.code: f.found for f in verdict.findings} == {}


def test_a_loss_that_is_no_number_ends_the_run(ours, events, log):
    done = ours.train(log, "learning_rate=1e15", "warmup_epochs=0", "batch_size=1")
    assert done.returncode == 1 and "train.py: the loss is nan in epoch 1" in done.stderr
    assert events(log)[-1].metadata["reason"] == "the loss is nan in epoch 1" and "NaN" not in log.read_text()
