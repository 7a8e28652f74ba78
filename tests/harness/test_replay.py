"""Runs that are run again, and what is refused."""

import hashlib
import json
import shutil
import signal
import tempfile
from dataclasses import replace

import pytest

from benchmark.collect import collect, snapshot
from benchmark.run.files import weights_path
from benchmark.source import ROOT
from harness import replay
from harness.auditing.comparison import Distance
from harness.auditing.logged import read_run
from harness.auditing.spot import state_of
from rules.edition import load
from tests.support import LOG
from tests.support.lines import changed

EXACT, NEAR, FAR = Distance(0, 0, True), Distance(0.01, 0.02, False), Distance(0.3, 0.2, False)


def early(loss):
    """NEAR, with how far the loss of the first steps is apart."""
    return replace(NEAR, early=loss)


@pytest.fixture(scope="module")
def logged(endless, tmp_path_factory):
    """A submission with the log of a run of three epochs, the states after each, and its source."""
    submission = tmp_path_factory.mktemp("submission")
    log = submission / "results" / "node" / "strong" / "scaffold" / "result_0.txt"
    states = submission / "states"
    assert endless.train(log, "--checkpoint", str(states), "--keep-states", "epochs=3").returncode == 1
    collect(submission, snapshot(endless.config))
    return log


@pytest.fixture
def again(endless, capsys):
    """Replays a log: (exit code, output, errors)."""

    def call(log, *options):
        code = replay.main([str(log), "--data", str(endless.data), "--problems", str(endless.problems), *options])
        return code, *capsys.readouterr()

    return call


def test_a_run_of_the_reference_replays_to_the_last_digit(logged, again, tmp_path):
    record = tmp_path / "replays.jsonl"
    record.write_text('{"an": "earlier one"}\n')
    code, out, err = again(logged, "--epochs", "2", "--keep", str(tmp_path / "kept.txt"), "--record", str(record))
    assert (code, err) == (0, "")
    assert out.endswith("the same numbers in all of 2 epochs replayed\n") and out.count("(0.00%)") == 2
    assert '"source": "rehearsal"' in (tmp_path / "kept.txt").read_text()  # no log that could be handed in
    _, outcome = map(json.loads, record.read_text().splitlines())
    wanted = {"kind": "replay", "path": str(logged), "code": "reference", "epochs": 2, "outcome": "agrees"}
    assert outcome.items() >= wanted.items()


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("hyperparameters", lambda event: event["value"].update({"\x1b[2Jx": 1})),
        ("source", lambda event: event["metadata"]["files"].update({"implementations/\x1b[2Jx/train.py": "0" * 64})),
    ],
)
def test_what_a_log_says_sends_nothing_to_the_terminal(tmp_path, capsys, monkeypatch, key, change):
    def stop(*_):
        raise ValueError("\x1b[2J: found it")

    monkeypatch.setattr(replay, "train", stop)
    assert replay.main([str(changed(LOG, key, change, tmp_path))]) == 2
    out, err = capsys.readouterr()
    assert "\\x1b[2Jx" in out and err == "replay.py: \\x1b[2J: found it\n" and "\x1b" not in out


def test_weights_without_a_place_are_refused_before_training(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(replay, "train", lambda *_: pytest.fail("it trains"))
    log = tmp_path / "result_0.txt"
    shutil.copyfile(LOG, log)
    weights_path(log).parent.mkdir()
    weights_path(log).touch()
    assert replay.main([str(log), "--weights"]) == 2
    assert capsys.readouterr().err.endswith("found a file, wanted none: nothing is overwritten\n")
    log.write_text("".join(line for line in log.read_text().splitlines(True) if '"weights"' not in line))
    assert replay.main([str(log), "--weights"]) == 2
    assert "found no final weights, wanted their sha256" in capsys.readouterr().err


def test_a_replay_that_a_signal_ends_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(replay, "make_data", lambda *_: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(SystemExit) as ended:
        replay.main([str(LOG)])
    assert ended.value.code == 128 + signal.SIGTERM and not list(tmp_path.iterdir())


def test_final_weights_go_beside_the_log_if_they_are_the_logged_ones(logged, tmp_path):
    run, made = read_run(logged), weights_path(tmp_path / "log.txt")
    made.parent.mkdir()
    made.write_bytes(b"tensors")
    digest = hashlib.sha256(b"tensors").hexdigest()
    replayed = replace(run, path=tmp_path / "log.txt", weights=digest)
    run = replace(run, path=tmp_path / "set" / "result_3.txt", weights=digest)
    for one, other, said in (
        (None, digest, "wanted no final weights"),
        (digest, None, "has no final weights, wanted"),
        ("0" * 64, digest, "another kind of machine"),
    ):
        with pytest.raises(ValueError, match=said):
            replay.keep_weights(replace(run, weights=one), replace(replayed, weights=other))
    assert not weights_path(run.path).exists()
    replay.keep_weights(run, replayed)
    assert weights_path(run.path).read_bytes() == b"tensors"
    with pytest.raises(ValueError, match="nothing is overwritten"):
        replay.keep_weights(run, replayed)


def test_any_epoch_is_trained_again_from_the_state_before_it(logged, again):
    states = logged.parents[4] / "states"
    code, out, err = again(logged, "--from-epoch", "2", "--checkpoint", str(states))
    assert (code, err) == (0, "")
    assert "epoch 3: " in out and "epoch 2: " not in out and "the same numbers in all of 1 epochs replayed" in out


def test_swapped_weights_fail_whatever_the_epoch(logged, again, tmp_path):
    """The state after epoch 2 is another run's, and its digest is logged: only the epoch between the states tells."""
    ours, theirs = logged.parents[4] / "states", tmp_path / "states"
    shutil.copytree(ours, theirs)
    (part,) = (theirs / "epoch_000002").glob("part_*")
    part.write_bytes((ours / "epoch_000003" / part.name).read_bytes())
    code, out, _ = again(logged, "--from-epoch", "1", "--checkpoint", str(theirs))
    assert code == 1 and "not this run: " in out and "as logged after epoch 2" in out
    swapped = iter((None, state_of(theirs / "epoch_000002"), None))

    def swap(event):
        event["metadata"]["state"] = next(swapped) or event["metadata"]["state"]

    log = changed(logged, "eval_accuracy", swap, tmp_path)
    code, out, _ = again(log, "--from-epoch", "1", "--checkpoint", str(theirs))
    assert code == 2 and "not the same numbers" in out  # the rules have no band for the tiny problem


CHEAT = """
import runpy, sys
sys.path.insert(0, {root!r})
sys.argv[0] = {program!r}
import benchmark.source
from implementations.pytorch.input.order import train_batches
from implementations.pytorch.input.prefetch import device_batches
from implementations.pytorch.training.run import Run
start = Run.start

def trained_before_the_clock(run):
    ids = run.problem.split_samples("train")
    steps = train_batches(run.layout, ids, run.config.batch_size, run.seed, 1, 1)
    batches = device_batches(run.reader, "train", (part.samples for parts in steps for part in parts), run.device)
    run.state.model.train()
    for parts in steps:
        run.step(0.0, [part.weight for part in parts], [next(batches) for _ in parts])
    return start(run)

Run.start = trained_before_the_clock
runpy.run_path({program!r}, run_name="__main__")
"""


@pytest.mark.slow
def test_training_before_the_clock_shows_in_a_replay(endless, again, tmp_path):
    """It is real: a program around the reference, of which the log says nothing."""
    program = str(ROOT / "implementations" / "pytorch" / "train.py")
    script, log = tmp_path / "cheat.py", tmp_path / "result_0.txt"
    script.write_text(CHEAT.format(root=str(ROOT), program=program))
    assert replace(endless, script=script).train(log, "epochs=1", fresh=True).returncode == 1
    code, out, _ = again(log)
    assert code == 2 and "not the same numbers" in out


@pytest.fixture
def theirs(logged, tmp_path):
    """A log of the same run by a copy of the implementation under another name, and its folder of source."""

    def rename(event):
        files = event["metadata"]["files"]
        event["metadata"]["files"] = {p.replace("/pytorch/", "/acme/"): d for p, d in files.items()}

    log = changed(logged, "source", rename, tmp_path)
    (source,) = (logged.parents[4] / "source").iterdir()
    folder = shutil.copytree(source, tmp_path / "source")
    (folder / "implementations" / "pytorch").rename(folder / "implementations" / "acme")
    return log, folder


def test_the_reference_replays_whoever_wrote_the_log(theirs, again, tmp_path):
    """It lacks settings of the reference's machine, and has some of its own, which are not taken."""

    def foreign(event):
        defining = load("v1.0").benchmarks["scaffold"].settings
        known = {name: value for name, value in event["value"].items() if name in defining}
        event["value"] = {**known, "layout": "rows", "threads": "many", "loader": 5, "--org": 1, "swish": True}
        event["metadata"]["machine"] = ["layout", "threads", "loader"]

    (theirs[1] / "implementations" / "acme" / "task.py").write_text("raise SystemExit")
    code, out, err = again(changed(theirs[0], "hyperparameters", foreign), "threads=1")
    assert (code, err) == (0, "") and "the same numbers in all of 1 epochs replayed" in out
    first, second, third, *_ = out.splitlines()
    assert first == "code that trains: the reference, implementations/pytorch"
    assert second.startswith("code of the log: 1 of ")
    assert second.endswith(" files differs from the reference implementation's: config/config.yaml")
    assert third == "settings of the log that the reference does not know, left out: --org, swish"


def test_other_code_runs_only_on_a_word(theirs, again, tmp_path):
    log, source = theirs
    record = tmp_path / "replays.jsonl"
    code, _, err = again(log, "--code", "theirs", "--source", str(source))
    assert code == 2 and "wanted --run-their-code, if you trust it" in err
    word = ("--code", "theirs", "--source", str(source), "--run-their-code")
    code, out, err = again(log, *word, "--record", str(record))
    assert (code, err) == (0, "") and "the same numbers in all of 1 epochs replayed" in out
    assert out.startswith(f"code that trains: theirs, {source}\n")
    assert json.loads(record.read_text())["code"] == "submitted"
    (source / "implementations" / "acme" / "task.py").write_text("raise SystemExit")
    code, _, err = again(log, *word)
    assert code == 2 and "implementations/acme/task.py: found another file than the log names" in err


def test_a_training_that_cannot_be_made_says_why(logged, again, tmp_path):
    def fast(event):
        event["value"]["learning_rate"] = "fast"

    for log, option, said in (
        (logged, "--layout=1,3,1,1", "the replay ended early: train.py:"),
        (logged, "batch_size=1", "found it on the command line, wanted settings of the machine alone"),
        (changed(logged, "hyperparameters", fast, tmp_path), "threads=1", "learning_rate: found 'fast'"),
    ):
        code, out, err = again(log, option)
        assert code == 2 and said in err and "Traceback" not in err and "epoch 1" not in out


def settings(logged, *options, **changes):
    """The settings of a replay of a log with other settings."""
    run = read_run(logged)
    for name, value in changes.items():
        run.settings.update({name: value}) if value is not ... else run.settings.pop(name)
    args = replay.parse([str(logged), *options])
    return replay.settings_of(run, args, load("v1.0"), 32), replay.layout_of(run, args)


def test_settings_of_a_replay(logged):
    rules = load("v1.0").benchmarks["scaffold"].settings
    found, layout = settings(logged, "--epochs", "99")
    assert found.keys() == {*rules, "threads"} - {"average_decay"} and layout == [1, 1, 1, 1]
    assert found["epochs"] == 3  # no more than the log has
    for absurd in (1000, 0, "2", None, True):
        assert "threads" not in settings(logged, threads=absurd)[0]
    assert settings(logged, "--threads", "1000", "--device", "cpu")[0].items() >= {("threads", 1000), ("device", "cpu")}
    assert settings(logged, precision="float16")[0]["precision"] == "float32"
    assert settings(logged, precision="bfloat16")[0]["precision"] == "bfloat16"
    assert settings(logged, background_weight=...)[0]["background_weight"] == 0.02  # the only one that is allowed


@pytest.mark.parametrize("layout", [[2, 1, 1, 1], [0, 1, 1, 1], [1, 1], "1,1,1,1", [1, 1, 1, True]])
def test_a_layout_that_is_not_of_the_logged_ranks_is_left(logged, layout):
    assert settings(logged, layout=layout)[1] == [1, 1, 1, 1]
    assert settings(logged, "--layout", "1,2,x,1", layout=layout)[1] == [1, 2, 0, 1]


@pytest.mark.parametrize(
    "arguments",
    [
        *("--epochs 0", "--run-their-code", "--source y", "--code theirs"),
        *("y", "--from-epoch 1", "--from-epoch -1 --checkpoint y"),
    ],
)
def test_wrong_commands_exit_2(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        replay.parse(["x", *arguments.split()])
    assert "found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("found", "band", "code", "words"),
    [
        ([EXACT, EXACT], {}, 0, "the same numbers in all of 2 epochs"),
        ([NEAR], {}, 2, "publish no band"),
        ([NEAR], {2: (0.1, 0.1)}, 2, "publish no band"),  # of an epoch that was not replayed
        ([NEAR], {1: (0.01, 0.02)}, 0, "within the band of honest replays in 1 epochs"),
        ([NEAR], {1: (0.009, 0.02)}, 1, "is loss 1.00% and score 0.0200 apart, wanted at most 0.90% and 0.0200"),
        ([NEAR, FAR], {1: (0.01, 0.02)}, 0, "in 1 epochs"),
        ([EXACT, FAR], {1: (0.01, 0.02), 2: (0.1, 0.1)}, 1, "not this run: epoch 2"),
        ([], {1: (0.01, 0.02)}, 2, "evaluated after no epoch after which the run was"),
        ([early(0.001), NEAR], {}, 0, "honest replays in the first steps (1.0e-03, at most 1.0e-03)"),
        ([early(0.0011), NEAR], {1: (1, 1)}, 1, "steps of epoch 1 have a loss 1.1e-03 apart, wanted at most 1.0e-03"),
        ([early(0.001), early(0.5)], {1: (0.01, 0.02)}, 0, "in 1 epochs and in the first steps"),  # of epoch 1 alone
        ([NEAR, early(0.0)], {}, 2, "publish no band"),  # logs of before do not have it
    ],
)
def test_the_verdict(found, band, code, words):
    verdict = replay.judge(dict(enumerate(found, 1)), band, 0.001)
    assert verdict[0] == code and words in verdict[1]
