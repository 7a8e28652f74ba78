import hashlib
import shutil
from types import SimpleNamespace

import pytest

from benchmark.log import LogWriter
from benchmark.run.files import LEDGER
from benchmark.run.trial import Trial, open_trial
from benchmark.tuning.folder import freeze, open_folder
from tests.support.campaigns import campaign
from tests.support.lines import line


def frozen(folder, **more):
    """A frozen campaign in a folder."""
    freeze(folder, campaign(**{"budget": {"seconds": 1e-3}, **more}))
    return folder


@pytest.mark.parametrize("name", ["", "campaign.json"])
def test_a_trial_is_that_of_its_log(tmp_path, name):
    log = frozen(tmp_path) / "result_3.txt"
    trial, folder = open_trial(tmp_path / name, log, 3), open_folder(tmp_path)
    budget = SimpleNamespace(epochs=None, seconds=1e-3)
    assert trial == Trial(log, 3, folder.campaign.digest, folder.line, 4, budget, None)
    assert trial.facts == {"index": 3, "campaign": folder.campaign.digest, "line": folder.line}
    assert trial.campaign == hashlib.sha256((tmp_path / "campaign.json").read_bytes()).hexdigest()


def test_a_trial_has_the_rules_of_its_campaign(tmp_path):
    rule = {"epochs": 3, "trials": 2, "settled": 0.5}
    frozen(tmp_path, budget={"epochs": 7}, pruning=rule)
    trial = open_trial(tmp_path, tmp_path / "result_0.txt", 0)
    assert vars(trial.budget) == {"epochs": 7, "seconds": None}
    assert vars(trial.pruning) == {"rule": "median", **rule}
    # the settings end it: the run is told its epochs, and no log is read
    other = frozen(tmp_path / "other", budget={"epochs": 1})
    trial = open_trial(other, other / "result_0.txt", 0)
    assert trial.reason_to_end("eval_accuracy", False) == ""


@pytest.mark.parametrize(
    ("log", "index", "said"),
    [
        ("other/result_0.txt", 0, "wanted .*result_<i>.txt, beside the trial's campaign.json"),
        ("log.txt", None, "wanted .*result_<i>.txt, beside the trial's campaign.json"),
        ("result_4.txt", 4, "found trial 4, wanted 0 to 3"),
    ],
)
def test_a_log_in_another_place_is_no_trial(tmp_path, log, index, said):
    frozen(tmp_path)
    with pytest.raises(ValueError, match=said):
        open_trial(tmp_path, tmp_path / log, index)


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", "[" * 10**5),
        '{"trials": "4", "budget": {}, "pruning": null}',
        '{"trials": 4, "budget": null, "pruning": null}',
        '{"trials": 4, "budget": {}, "pruning": [1]}',
        '{"trials": 4, "budget": {"epochs": 2}, "pruning": null}',
        '{"trials": 4, "budget": {"epochs": 2, "seconds": null}, "pruning": {"rule": "median"}}',
    ],
)
def test_a_file_that_is_no_campaign_is_named(tmp_path, text):
    path = frozen(tmp_path) / "campaign.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{path}: found no frozen campaign"):
        open_trial(tmp_path, tmp_path / "result_0.txt", 0)


def test_a_campaign_is_frozen_and_drawn_first(tmp_path):
    ledger = frozen(tmp_path) / LEDGER
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(ValueError, match=r"ledger\.jsonl: found 1 lines, wanted a campaign that is frozen and drawn"):
        open_trial(tmp_path, tmp_path / "result_0.txt", 0)
    ledger.unlink()
    with pytest.raises(OSError):
        open_trial(tmp_path, tmp_path / "result_0.txt", 0)
    with pytest.raises(OSError):
        open_trial(tmp_path / "nowhere", tmp_path / "result_0.txt", 0)


def test_a_trial_ends_by_what_its_log_says(tmp_path):
    trial = open_trial(frozen(tmp_path), tmp_path / "result_0.txt", 0)
    log = LogWriter(trial.log)
    log.start("run_start")
    while not trial.reason_to_end("eval_accuracy", False):
        log.event("eval_accuracy", 0.1, epoch_num=1)
    assert trial.reason_to_end("eval_accuracy", False) == "its budget of 0.001 s is over"
    assert trial.reason_to_end("eval_error", True) == ""  # of which the log has none
    log.close()


def logged(path, score: float, over: bool) -> None:
    """The log of a trial with one evaluation, which began and was over long ago."""
    times = [("run_start", 1000), ("eval_accuracy", 2000)] + [("run_stop", 3000)] * over
    lines = [line(key, time if over else 10**12 + time, score, {"epoch_num": 1}) for key, time in times]
    path.write_text("".join(lines))


@pytest.mark.parametrize(("score", "lower", "ends"), [(0.4, False, True), (0.6, False, False), (0.6, True, True)])
def test_a_trial_is_pruned_by_the_logs_beside_it(tmp_path, score, lower, ends):
    frozen(tmp_path, budget={"epochs": 9}, pruning={"trials": 2})
    own = tmp_path / "result_1.txt"
    logged(own, score, over=False)
    trial = open_trial(tmp_path, own, 1)
    logged(tmp_path / "result_0.txt", 0.5, over=True)
    assert trial.reason_to_end("eval_accuracy", lower) == ""  # one is too few
    shutil.copy(tmp_path / "result_0.txt", tmp_path / "result_9.txt")  # no trial of this campaign
    assert trial.reason_to_end("eval_accuracy", lower) == ""
    logged(tmp_path / "result_3.txt", 0.5, over=True)
    assert bool(trial.reason_to_end("eval_accuracy", lower)) is ends
