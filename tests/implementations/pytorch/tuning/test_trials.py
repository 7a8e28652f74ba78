"""The trials of a campaign, with processes that write logs and train nothing."""

import pytest

from benchmark.log import LogWriter
from benchmark.tuning.campaign import campaign_of
from benchmark.tuning.ending import ENDED
from benchmark.tuning.folder import freeze
from implementations.pytorch.tuning.trials import Trials

VALUES = {"problem": "smoke", "batch_size": 2, "trials": 6, "budget": {"epochs": 8}, "parallel": 2}
SPACE = {"rate": {"low": 1e-4, "high": 1e-2, "scale": "log"}}
REACHED, MISSED, PRUNED, KILLED, WRONG = "reached", "missed", "pruned", "killed", "wrong"


class Process:
    """Writes a log of a fate at once, and ends after `looks` looks."""

    def __init__(self, log, fate, looks=2):
        self.code, self.looks, self.ended = {KILLED: -9, WRONG: 2, REACHED: 0}.get(fate, 1), looks, False
        if fate == WRONG:
            return
        writer = LogWriter(log)
        writer.event("hyperparameters", {"epochs": 8})
        writer.start("run_start")
        writer.event("eval_accuracy", 0.96 if fate == REACHED else 0.5, epoch_num=8 if fate == MISSED else 3)
        reason = {PRUNED: {"reason": f"{ENDED}pruned"}}.get(fate, {})
        if fate != KILLED:
            writer.end("run_stop", None, status="success" if fate == REACHED else "aborted", **reason)
        writer.close()

    def poll(self):
        self.looks -= 1
        return self.code if self.looks <= 0 else None

    def wait(self, timeout=None):
        return self.code

    def terminate(self):
        self.ended = True

    kill = terminate


class Stage:
    """A campaign whose trials have these fates, in the order of their starts; those after these reach their target."""

    def __init__(self, folder, *fates, **more):
        self.fates, self.started, self.at_once, self.most = list(fates), [], [], 0
        home = folder / "acme" / "results" / "box" / "tuning" / "scaffold" / "one"
        opened = freeze(home, campaign_of({**VALUES, "space": SPACE, **more}, ""))
        self.trials = Trials(folder / "acme", home, opened, self.start)

    def start(self, log):
        self.started.append(int(log.stem.removeprefix("result_")))
        process = Process(log, self.fates.pop(0) if self.fates else REACHED)
        self.at_once = [p for p in self.at_once if p.looks > 0] + [process]
        self.most = max(self.most, len(self.at_once))
        return process


def test_every_trial_is_made_once_however_it_ends(tmp_path):
    stage = Stage(tmp_path, REACHED, MISSED, PRUNED)
    assert stage.trials.make() == 0 and stage.started == [0, 1, 2, 3, 4, 5]
    assert [s.state for s in stage.trials.standings()] == ["reached", "missed", "missed", *["reached"] * 3]
    again = Stage(tmp_path)
    assert again.trials.make() == 0 and again.started == []


@pytest.mark.parametrize("parallel", [1, 2, 6])
def test_as_many_at_once_as_the_campaign_says(tmp_path, parallel):
    stage = Stage(tmp_path, parallel=parallel)
    stage.trials.make()
    assert stage.most == parallel


def test_what_broke_off_is_set_aside_and_made_again(tmp_path):
    stage = Stage(tmp_path, REACHED, KILLED, KILLED)
    assert stage.trials.make() == 1
    again = Stage(tmp_path)
    assert again.trials.opened == stage.trials.opened  # the same points
    assert again.trials.make() == 0 and again.started == [1, 2]
    assert len(list(again.trials.folder.glob("superseded/*/result_*.txt"))) == 2


def test_what_every_trial_would_say_ends_the_campaign(tmp_path):
    stage = Stage(tmp_path, WRONG, WRONG)
    assert stage.trials.make() == 2 and stage.started == [0, 1]


def test_the_winner_is_the_fastest_that_reached_the_target(tmp_path):
    stage = Stage(tmp_path, *[MISSED] * 6)
    stage.trials.make()
    assert stage.trials.winner() is None


def test_trials_of_other_code_are_refused(tmp_path):
    stage = Stage(tmp_path)
    stage.trials.make()
    log = stage.trials.log(2)
    writer = LogWriter(log, append=True)
    writer.event("source", "a" * 64, files={"benchmark/log.py": "b" * 64})
    writer.close()
    with pytest.raises(ValueError, match=r"found other source than now: benchmark/log.py"):
        Stage(tmp_path).trials.make()
