"""Runs that are run again, and what is refused."""

import hashlib
import json
import shutil

import pytest

from benchmark.collect import collect, snapshot
from implementations.pytorch import replay
from implementations.pytorch.auditing.comparison import Distance

EXACT, NEAR, FAR = Distance(0, 0, True), Distance(0.01, 0.02, False), Distance(0.3, 0.2, False)


@pytest.fixture(scope="module")
def logged(endless, tmp_path_factory):
    """A submission with the log of a run of two epochs, and its source."""
    submission = tmp_path_factory.mktemp("submission")
    log = submission / "results" / "node" / "strong" / "scaffold" / "result_0.txt"
    assert endless.train(log).returncode == 1
    collect(submission, snapshot(endless.config))
    return log


@pytest.fixture
def again(endless, capsys):
    """Replays a log: (exit code, output, errors)."""

    def call(log, *options):
        code = replay.main([str(log), "--data", str(endless.data), "--problems", str(endless.problems), *options])
        return code, *capsys.readouterr()

    return call


def copy_with(log, tmp_path, key, change):
    """A copy of a log, the events of a key changed."""
    lines = []
    for line in log.read_text().splitlines():
        event = json.loads(line.partition(":::MLLOG")[2])
        if event["key"] == key:
            change(event)
        lines.append(f":::MLLOG {json.dumps(event)}")
    path = tmp_path / "result_0.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_run_of_the_reference_replays_to_the_last_digit(logged, again, tmp_path):
    record = tmp_path / "replays.jsonl"
    record.write_text('{"an": "earlier one"}\n')
    code, out, err = again(logged, "--epochs", "2", "--keep", str(tmp_path / "kept.txt"), "--record", str(record))
    assert (code, err) == (0, "")
    assert out.endswith("the same numbers in all of 2 epochs replayed\n") and out.count("(0.00%)") == 2
    assert '"source": "rehearsal"' in (tmp_path / "kept.txt").read_text()  # no log that could be handed in
    outcome = json.loads(record.read_text().splitlines()[1])
    assert outcome.pop("time") and outcome == {
        "kind": "replay",
        "log": hashlib.sha256(logged.read_bytes()).hexdigest(),
        "path": str(logged),
        "code": "reference",
        "epochs": 2,
        "outcome": "agrees",
        "verdict": "the same numbers in all of 2 epochs replayed",
    }


def test_another_seed_gives_other_numbers(logged, again, tmp_path):
    log = copy_with(logged, tmp_path, "seed", lambda e: e.update(value=e["value"] ^ 1))
    code, out, _ = again(log)
    assert code == 2 and "the rules publish no band for this problem" in out


def test_other_code_runs_only_on_a_word(logged, again, tmp_path):
    """The same run by a copy of the implementation under another name."""

    def rename(event):
        files = event["metadata"]["files"]
        event["metadata"]["files"] = {p.replace("/pytorch/", "/acme/"): d for p, d in files.items()}

    log = copy_with(logged, tmp_path, "source", rename)
    (source,) = (logged.parents[4] / "source").iterdir()
    theirs = tmp_path / "source"
    shutil.copytree(source, theirs)
    (theirs / "implementations" / "pytorch").rename(theirs / "implementations" / "acme")

    code, _, err = again(log)
    assert code == 2 and "found other code than the repository's: implementations/acme/__init__.py" in err
    code, _, err = again(log, "--source", str(theirs))
    assert code == 2 and "wanted --run-their-code, if you trust it" in err
    code, out, err = again(log, "--source", str(theirs), "--run-their-code")
    assert (code, err) == (0, "") and "the same numbers in all of 1 epochs replayed" in out
    (theirs / "implementations" / "acme" / "task.py").write_text("raise SystemExit")
    code, _, err = again(log, "--source", str(theirs), "--run-their-code")
    assert code == 2 and "implementations/acme/task.py: found another file than the log names" in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learning_rate": "fast"}, "hyperparameters.learning_rate: found 'fast'"),
        ({"learning_rates": 1.0}, "unknown field 'learning_rates'; did you mean 'learning_rate'?"),
        ({"batch_size": 0}, "batch_size: found 0, wanted at least 1"),
    ],
)
def test_settings_of_a_log_are_checked(logged, again, tmp_path, change, message):
    log = copy_with(logged, tmp_path, "hyperparameters", lambda e: e["value"].update(change))
    code, out, err = again(log)
    assert (code, out) == (2, "") and message in err and "Traceback" not in err


def test_what_is_of_a_machine_is_not_taken_from_a_log(logged, endless):
    run = replay.read_run(logged)
    absurd = {"threads": 1000, "workers": 1000, "prefetch": 1000, "layout": [64, 1, 1, 1], "cache_gib": 60_000.0}
    run.settings.update(absurd)
    huge = replay.LoggedRun(**{**vars(run), "ranks": 10**6})
    found = replay.settings_of(huge, replay.parse([str(logged), "--epochs", "99"]))
    assert (found.threads, found.workers, found.prefetch, found.layout) == (0, 0, 2, (1, 1, 1, 1))
    assert found.epochs == 2  # no more than the log has


def test_a_run_that_cannot_be_made_says_why(logged, again, tmp_path):
    code, out, err = again(logged, "--layout", "1,3,1,1")
    assert (code, out) == (2, "") and "the replay ended early: train.py:" in err


@pytest.mark.parametrize("arguments", [["x", "--epochs", "0"], ["x", "--run-their-code"]])
def test_wrong_commands_exit_2(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        replay.parse(arguments)
    assert error.value.code == 2 and "found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("found", "band", "code", "words"),
    [
        ([EXACT, EXACT], {}, 0, "the same numbers in all of 2 epochs"),
        ([NEAR], {}, 2, "publish no band"),
        ([NEAR], {2: (0.1, 0.1)}, 2, "publish no band"),  # of an epoch that was not replayed
        ([NEAR], {1: (0.01, 0.02)}, 0, "within the band of honest replays in 1 epochs"),
        ([NEAR], {1: (0.009, 0.02)}, 1, "not this run: epoch 1 is loss 1.00% and score 0.0200 apart"),
        ([NEAR], {1: (0.01, 0.019)}, 1, "wanted at most 1.00% and 0.0190"),
        ([NEAR, FAR], {1: (0.01, 0.02)}, 0, "in 1 epochs"),
        ([EXACT, FAR], {1: (0.01, 0.02), 2: (0.1, 0.1)}, 1, "not this run: epoch 2"),
    ],
)
def test_the_verdict(found, band, code, words):
    assert replay.judge(found, band)[0] == code
    assert words in replay.judge(found, band)[1]
