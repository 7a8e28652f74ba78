import pytest

from benchmark.log import LogWriter
from benchmark.tuning.campaign import campaign_of
from benchmark.tuning.folder import freeze
from implementations.pytorch.training.trial import open_trial, text

PLAIN = {"problem": "tiny", "batch_size": 2, "trials": 4, "budget": {"seconds": 1e-3}, "settings": {"threads": 1}}


@pytest.fixture
def folder(tmp_path):
    """A campaign of a thousandth of a second."""
    freeze(tmp_path, campaign_of({**PLAIN, "space": {"learning_rate": {"values": [1e-5, [1, 2]]}}}, ""))
    return tmp_path


def test_settings_are_those_of_the_point(folder):
    trial = open_trial(folder / "campaign.json", folder / "result_3.txt", 3)
    point = trial.opened.point(3)["learning_rate"]
    assert trial.settings == ["threads=1", "batch_size=2", f"learning_rate={text(point)}"]
    assert trial.facts["index"] == 3
    assert [text(v) for v in (True, 1e-5, (1, 2), "a b")] == ["true", "1e-05", "[1, 2]", "'a b'"]


@pytest.mark.parametrize("log, index", [("other/result_0.txt", 0), ("result_0.txt", None), ("result_4.txt", 4)])
def test_a_log_in_another_place_is_no_trial(folder, log, index):
    with pytest.raises(ValueError, match="wanted"):
        open_trial(folder, folder / log, index)


def test_a_trial_ends_by_what_its_log_says(folder):
    trial = open_trial(folder, folder / "result_0.txt", 0)
    log = LogWriter(trial.log)
    log.start("run_start")
    while not trial.why("eval_accuracy", False):
        log.event("eval_accuracy", 0.1, epoch_num=1)
    assert trial.why("eval_accuracy", False) == "its budget of 0.001 s is over"
    log.close()


def test_a_run_ends_as_a_trial(tiny, endless, tmp_path, events):
    """A run that never reaches its target ends behind the first evaluation, at its budget of seconds."""
    freeze(tmp_path, campaign_of({**PLAIN, "problem": "endless", "space": {"learning_rate": {"values": [1e-3]}}}, ""))
    log = tmp_path / "result_2.txt"
    options = endless.options(log)
    options[1] = "endless"
    done = endless.train(log, "--trial", str(tmp_path))
    assert done.returncode == 1 and "the trial ends: its budget of 0.001 s is over" in done.stderr
    found = events(log)
    stop = next(e for e in found if e.key == "run_stop")
    assert stop.metadata["status"] == "aborted" and sum(e.key == "eval_accuracy" for e in found) == 1
