"""Final weights that are evaluated again, on the validation split and on held-out data."""

import dataclasses
import hashlib
import json
import math
import shutil
import signal
import tempfile
from statistics import fmean, stdev

import pytest
import torch
from safetensors import torch as safetensors

from benchmark.run.files import weights_path
from benchmark.run.log import RunLog
from benchmark.run.reader import Reader
from implementations.pytorch.config import resolve
from implementations.pytorch.input.prefetch import device_batches
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import build_task, config_class
from implementations.pytorch.training.run import Files, Run
from implementations.pytorch.training.state import TrainingState, tensors_of
from implementations.pytorch.training.step import train_step
from implementations.pytorch_tools import reevaluate
from rules.bands import HeldOut, Reevaluation
from rules.edition import load
from tests.support import ROOT
from tests.support.settings import load_config


def trained(tiny, seed, split, steps):
    """A model that was trained on a split, and its evaluation as a run makes it."""
    config = load_config(config_class("scaffold"), tiny.config, "learning_rate=0.01", "decay_epochs=1000")
    task = build_task(tiny.problem, resolve(config, 1, 1))
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model, layout = task.build_model(), Layout(1)
    optimizer = task.build_optimizer(model)
    reader = Reader(tiny.data, tiny.problem, layout.box(tiny.problem.shape), 0, 2, 1)
    samples = list(tiny.problem.split_samples(split))
    model.train()
    for _ in range(steps):
        (batch,) = device_batches(reader, split, [samples], torch.device("cpu"))
        train_step(task, model, optimizer, [(1.0, batch.tensors)], layout)
    run = Run(task, layout, TrainingState(model, None, None), seed, Files(reader, RunLog(None)))
    return model, run.evaluate_samples(tiny.problem.split_samples("validation"))


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """The log of a run, whose weights are there."""
    log = tmp_path_factory.mktemp("made") / "result_0.txt"
    tiny.ran(log, "epochs=20", "average_epochs=0.5")
    return log


def handed_in_by(folder, tiny, made, runs):
    """A set: the log of that run with the evaluations of other models, whose weights are beside it. Each was trained so
    many steps on a split."""
    for number, (seed, split, steps) in enumerate(runs):
        model, found = trained(tiny, seed, split, steps)
        log = folder / f"result_{number}.txt"
        weights_path(log).parent.mkdir(exist_ok=True)
        safetensors.save_file({name: x.contiguous() for name, x in tensors_of(model).items()}, weights_path(log))
        shutil.copyfile(made, log)
        told(log, "eval_accuracy", found.value, found.facts)
        told(log, "weights", sha256(weights_path(log)))
    return folder


@pytest.fixture(scope="module")
def handed_in(tiny, made, tmp_path_factory):
    """A set of two runs: one was trained on the training split, the other on the validation split."""
    return handed_in_by(tmp_path_factory.mktemp("set"), tiny, made, [(0, "train", 8), (1, "validation", 40)])


@pytest.fixture(scope="module")
def honest(tiny, made, tmp_path_factory):
    """A set of five runs that were trained on the training split."""
    return handed_in_by(tmp_path_factory.mktemp("honest"), tiny, made, [(10 + n, "train", 8) for n in range(5)])


@pytest.fixture
def runs(handed_in, tmp_path):
    """A copy of that set."""
    return shutil.copytree(handed_in, tmp_path / "set")


@pytest.fixture
def log(runs):
    """The log of its first run."""
    return runs / "result_0.txt"


@pytest.fixture
def again(tiny, capsys):
    """Evaluates again: (exit code, output, errors)."""

    def call(*arguments, data=tiny.data):
        more = ["--problems", tiny.problems, *(["--data", data] if data else [])]
        code = reevaluate.main([str(a) for a in (*arguments, *more)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def banded(monkeypatch):
    """Publishes bands for the tiny problem."""

    def publish(**bands):
        law = load("v1.0")
        smoke = dataclasses.replace(law.problems["smoke"], fingerprints={}, **bands)
        monkeypatch.setattr(reevaluate, "load", lambda name: dataclasses.replace(law, problems={"tiny": smoke}))

    return publish


def told(log, key, value, facts=()):
    """Lets a log say something else."""
    events = [json.loads(line.partition(":::MLLOG")[2]) for line in log.read_text().splitlines()]
    for event in events:
        if event["key"] == key:
            event["value"] = value
            event["metadata"].update(facts)
    log.write_text("".join(f":::MLLOG {json.dumps(event)}\n" for event in events))


def weights(runs, number=0):
    return weights_path(runs / f"result_{number}.txt")


def gains_of(out):
    """How much better the held-out score of each line is."""
    return [float(line.partition("(")[2].partition(",")[0]) for line in out.splitlines()]


def held(path):
    """The tensors of a file, which is read and not mapped: tests write it anew."""
    return safetensors.load(path.read_bytes())


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_runs_own_weights_give_its_counts_to_the_last_digit(made, again, tmp_path):
    record = tmp_path / "again.jsonl"
    code, out, err = again(made, "--record", record)
    assert (code, err) == (0, "") and out.startswith(f"{made}: the logged counts to the last digit, score 0.")
    found = json.loads(record.read_text())
    assert found.pop("time") and found.pop("verdict") in out
    told = {"log": sha256(made), "path": str(made), "code": "reference", "outcome": "agrees"}
    assert found == {"kind": "reevaluation", **told}


def test_one_bit_of_the_weights(runs, again):
    data = bytearray(weights(runs).read_bytes())
    data[-1] ^= 1
    weights(runs).write_bytes(data)
    code, out, err = again(runs)
    assert (code, err) == (1, "")
    first, second = out.splitlines()
    assert first.startswith(f"{runs}/result_0.txt: {weights(runs)}: found other weights, with the sha256")
    assert second.startswith(f"{runs}/result_1.txt: the logged counts to the last digit")


def test_weights_of_another_run(runs, log, again, banded):
    shutil.copyfile(weights(runs, 1), weights(runs))
    told(log, "weights", sha256(weights(runs)))
    code, out, _ = again(log)
    assert code == 2 and "the rules publish no band for this problem: judge by that" in out
    banded(reevaluation=Reevaluation(0.001, 0.0001))
    code, out, _ = again(log)
    assert code == 1 and "not the weights that scored, wanted at most 0.0001 in the score, 0.10% in a count" in out


def rewritten(change):
    """What writes the tensors of a file anew, each name and tensor changed."""
    return lambda path: safetensors.save_file(dict(change(*item) for item in held(path).items()), path)


def too_large(path):
    with open(path, "ab") as file:
        file.truncate(1 << 34)  # sparse


def linked(path):
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_bytes(b"\xff" * 16 + path.read_bytes()[16:]), "found no safetensors"),
        (lambda path: torch.save(held(path), path), "found no safetensors"),
        (rewritten(lambda name, x: (f"module.{name}", x)), "other models than the reference's aren't evaluated here"),
        (rewritten(lambda name, x: (name, x.half())), "found torch.float16"),
        (rewritten(lambda name, x: (name, x.reshape(-1))), "wanted torch.float32 ("),
        (too_large, "found 17179869184 bytes, wanted at most"),
        (lambda path: path.unlink(), "found no file, wanted the one with the sha256"),
        (linked, "Too many levels of symbolic links"),
    ],
)
def test_what_cannot_be_evaluated_says_why(log, again, damage, message):
    damage(weights_path(log))
    code, out, err = again(log)
    assert (code, out) == (2, "")
    assert message in err and "result_0.safetensors" in err and "Traceback" not in err


def test_other_data_than_the_logs(tiny, log, again):
    fingerprint = json.loads((tiny.data / "manifest.json").read_text())["fingerprints"]["validation"]
    told(log, "dataset_fingerprint", "0" * 64)
    code, out, err = again(log)
    assert (code, out) == (2, "") and f"found validation fingerprint {fingerprint}, wanted {'0' * 64}" in err


def test_a_log_without_weights_and_a_folder_without_logs(runs, log, again, tmp_path):
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    assert again(log) == (2, "", f"reevaluate.py: {log}: found no final weights, wanted their sha256 after run_stop\n")
    code, out, _ = again(runs)
    assert code == 0 and out.count("\n") == 1
    (tmp_path / "empty").mkdir()
    for nothing in (tmp_path / "empty", tmp_path / "none"):
        code, out, err = again(nothing)
        assert (code, out) == (2, "") and "found no log of a run with final weights, wanted one" in err


def test_settings_of_a_log_other_than_the_precision_do_not_matter(log, again):
    """Absurd ones, and those of another implementation, which trained in half precision with an optimizer of its
    own."""
    absurd = {"workers": 1000, "eval_batch_size": 10**6, "cache_gib": 60_000.0}
    theirs = {"precision": "float16", "learning_rate": "fast", "swish": True, "threads": "many"}
    told(log, "hyperparameters", theirs | absurd)
    code, out, err = again(log, "--threads", 1)
    assert (code, err) == (0, "") and "the logged counts to the last digit" in out
    found = reevaluate.settings_of(reevaluate.read_run(log), reevaluate.parse(["x", "--device", "cpu"]))
    assert (found.workers, found.eval_batch_size, found.cache_gib) == (0, 4, 1.0)


def test_settings_of_the_machine_are_the_references_or_given(log, again):
    run = reevaluate.read_run(log)
    smoke = dataclasses.replace(run, problem="smoke")
    assert reevaluate.settings_of(smoke, reevaluate.parse(["x"])).compile
    options = reevaluate.parse(["x", "--setting", "compile=false", "--setting", "prefetch=3"])
    given = reevaluate.settings_of(smoke, options)
    assert (given.compile, given.prefetch) == (False, 3)
    code, _, err = again(log, "--setting", "compiled=1")
    assert code == 2 and "--setting: unknown field 'compiled'; did you mean 'compile'?" in err


def test_training_on_the_validation_split_shows_on_held_out_data(runs, again, banded, tmp_path):
    """Both runs are evaluated on the same fresh data; one was trained on what it was scored on."""
    record = tmp_path / "again.jsonl"
    code, out, err = again(runs, "--data-seed", 5, "--record", record, data=tmp_path)
    assert (code, err) == (2, "") and out.count("publish no band for this") == 2
    assert [path.name for path in (tmp_path / "tiny-5").iterdir()] == ["validation"]
    honest, cheat = gains_of(out)
    assert cheat < honest - 0.05
    line = json.loads(record.read_text().splitlines()[0])
    assert (line["kind"], line["data_seed"], line["outcome"]) == ("held-out", 5, "open")

    banded(held_out=HeldOut(honest, 0.01, 20))
    code, out, err = again(runs, "--data-seed", 5, data=tmp_path)
    assert (code, err) == (1, "")
    first, second = out.splitlines()
    assert "within the band of honest runs" in first and "lower than honest runs come out" in second


def test_honest_runs_on_the_same_data_are_a_band(runs, again, honest, tmp_path):
    known = gains_of(again(honest, "--data-seed", 5, data=tmp_path)[1])
    own = gains_of(again(runs, "--data-seed", 5, data=tmp_path)[1])
    least = fmean(known) - load("v1.0").limits.weights.deviations * stdev(known) * math.sqrt(1 + 1 / 5)
    code, out, err = again(runs, "--data-seed", 5, "--against", honest, data=tmp_path)
    *lines, together = out.splitlines()
    assert together.startswith(f"{runs}: {len(own)} runs together, ") and "on average, 5 honest ones " in together
    low = "lower than honest sets come out" in together
    assert (code, err) == (int(min(own) < least or low), "")
    for gain, line in zip(own, lines, strict=True):
        assert ("lower than honest runs come out" in line) == (gain < least)
        assert abs(float(line.partition("wanted ")[2].partition(" ")[0]) - least) < 1e-5
    few = [honest / f"result_{number}.txt" for number in range(4)]
    code, out, err = again(runs, "--data-seed", 5, "--against", *few, data=tmp_path)
    assert (code, out) == (2, "") and "--against: found 4 runs of tiny, wanted 5 or more" in err


def test_a_first_look_at_held_out_data(log, again, banded, tmp_path):
    banded(held_out=HeldOut(0, 1, 20))
    for data in (tmp_path, None):  # in a folder, and in none, where they are not kept
        code, out, _ = again(log, "--data-seed", 5, "--samples", 1, data=data)
        assert code == 2 and "publish no band" in out
    assert len(list((tmp_path / "tiny-5" / "validation").iterdir())) == 1


@pytest.mark.parametrize("options", [["--samples", "3"], ["--against", "y"], ["--samples", "0", "--data-seed", "5"]])
def test_wrong_commands_exit_2(options, capsys):
    with pytest.raises(SystemExit) as error:
        reevaluate.parse(["x", *options])
    assert error.value.code == 2 and "found" in capsys.readouterr().err


def test_names_of_files_send_nothing_to_the_terminal(tmp_path, capsys):
    committed = ROOT / "results/v1.0/reference/results/xeon-amx-2core/strong/scaffold/result_0.txt"
    shutil.copy(committed, tmp_path / "result_\x1b[2J.txt")
    assert reevaluate.main([str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "result_\\x1b[2J.safetensors: found no file" in err and "\x1b" not in err


def test_a_signal_leaves_no_held_out_data(runs, tmp_path, monkeypatch):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    monkeypatch.setattr(reevaluate, "evaluate", lambda *_: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(SystemExit) as ended:
        reevaluate.main([str(runs), "--data-seed", "5"])
    assert ended.value.code == 128 + signal.SIGTERM and not list((tmp_path / "scratch").iterdir())
