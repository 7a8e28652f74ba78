"""Sets that are made, broken off, added to and begun anew. But for the last test, a stand-in writes their logs."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from benchmark.collect import files_in
from benchmark.ledger import Note, Start, read_ledger
from benchmark.log import LogWriter
from benchmark.tree import LEDGER, SUPERSEDED, result_path, set_path
from compliance.engine import judge
from implementations.pytorch.config import RunConfig
from implementations.pytorch.submitting.campaign import Campaign, duration
from implementations.pytorch.submitting.standing import standing
from rules.edition import current, load

SUBMIT = Path(__file__).resolve().parents[4] / "implementations" / "pytorch" / "submit.py"
CONFIG = RunConfig(epochs=3)
REACHED, MISSED, KILLED, REFUSED, BROKE = "reached", "missed", "killed", "refused", "broke"


class Stage:
    """A campaign whose runs do what `acts` says, one after another, and then reach their target."""

    def __init__(self, root, *acts, runs=3, config=CONFIG, problem="tiny", checkpoints=None):
        self.acts, self.started = list(acts), []
        place = (root / "Us", "laptop", "scaffold", problem, runs, config)
        self.campaign = Campaign(*place, self.start, checkpoints)

    def start(self, log, more):
        self.started.append((log.name, more))
        act = self.acts.pop(0) if self.acts else REACHED
        if act == REFUSED:
            return 2
        writer = LogWriter(log, append=log.exists())
        writer.event("problem", self.campaign.problem)
        writer.event("hyperparameters", self.campaign.config.fields())
        writer.event("config_digest", self.campaign.config.digest())
        if act == BROKE:
            return 1
        writer.start("run_start")
        for epoch in range(1, 4 if act == MISSED else 2):
            writer.event("eval_accuracy", 0.5, epoch_num=epoch)
        if act == KILLED:
            return -9
        writer.end("run_stop", None, status="success" if act == REACHED else "aborted")
        writer.close()
        return act == MISSED

    def states(self):
        return [found.state for found in self.campaign.standings()]


def names(stage):
    return [name for name, _ in stage.started]


def test_what_is_missing_is_made_and_what_is_over_stays(tmp_path, capsys):
    assert Stage(tmp_path, runs=2).campaign.make() == 0
    before = files_in(tmp_path)
    more = Stage(tmp_path, runs=4)
    assert more.campaign.make() == 0
    assert names(more) == ["result_2.txt", "result_3.txt"]
    assert before.items() <= files_in(tmp_path).items()
    out = capsys.readouterr().out
    assert f"4 of 4 runs reached the target: {tmp_path / 'Us'}" in out
    assert f"next: python compliance/check.py {tmp_path / 'Us'}" in out


def test_a_run_that_missed_its_target_counts_and_is_not_made_again(tmp_path):
    assert Stage(tmp_path, REACHED, MISSED).campaign.make() == 1
    again = Stage(tmp_path)
    assert again.campaign.make() == 1
    assert again.started == []
    assert again.states() == ["reached", "missed", "reached"]


def test_a_killed_run_is_told_and_made_by_the_same_command(tmp_path, capsys):
    first = Stage(tmp_path, REACHED, KILLED)
    assert first.campaign.make() == 1
    assert first.states() == ["reached", "broken", "reached"]
    said = capsys.readouterr()
    assert "run 2 of 3: broke off, killed by signal 9" in said.err
    assert "not there: result_1; the same command again makes it" in said.out
    again = Stage(tmp_path)
    assert again.campaign.make() == 0
    assert again.started == [("result_1.txt", [])]
    (old,) = (first.campaign.folder / SUPERSEDED).glob("*/result_1.txt")
    assert standing(old).state == "broken"


@pytest.mark.parametrize("act", [REFUSED, BROKE])
def test_what_every_run_would_say_ends_the_campaign(tmp_path, act):
    stage = Stage(tmp_path, REACHED, act)
    assert stage.campaign.make() == 2
    assert names(stage) == ["result_0.txt", "result_1.txt"]


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    kept = tmp_path / "checkpoints" / "laptop" / "scaffold" / "result_0"
    options = ["--checkpoint", str(kept), "--resume"]
    first = Stage(tmp_path, KILLED, runs=1, checkpoints=tmp_path / "checkpoints")
    assert first.campaign.make() == 1
    (kept / "epoch_000001").mkdir(parents=True)
    again = Stage(tmp_path, runs=1, checkpoints=tmp_path / "checkpoints")
    assert again.campaign.make() == 0
    assert first.started == again.started == [("result_0.txt", options)]
    assert not (again.campaign.folder / SUPERSEDED).exists()
    assert not kept.exists()  # the run is over


def test_a_new_set_keeps_the_old_one(tmp_path):
    old = Stage(tmp_path, runs=2)
    old.campaign.make()
    before = files_in(old.campaign.folder)
    new = Stage(tmp_path, runs=1, config=RunConfig(epochs=2))
    assert new.campaign.make(anew=True) == 0
    (kept,) = (new.campaign.folder / SUPERSEDED).iterdir()
    assert files_in(kept) == before


def test_a_run_that_is_over_is_not_put_aside(tmp_path):
    stage = Stage(tmp_path, REACHED, KILLED, MISSED)
    stage.campaign.make()
    for run in (0, 2):
        with pytest.raises(ValueError, match=rf"result_{run}.txt: found a run that is over"):
            stage.campaign.put_aside(run)
    assert stage.campaign.put_aside(1).parent.name == SUPERSEDED
    assert stage.campaign.put_aside(1) is None
    assert stage.states() == ["reached", "missing", "missed"]


def test_other_settings_are_another_set(tmp_path):
    Stage(tmp_path, runs=1).campaign.make()
    other = Stage(tmp_path, config=RunConfig(epochs=2))
    with pytest.raises(ValueError, match=r"result_0.txt: found other settings than now: epochs 3, now 2; wanted"):
        other.campaign.make()
    assert other.started == []


def test_another_problem_is_another_set(tmp_path):
    Stage(tmp_path, runs=1).campaign.make()
    with pytest.raises(ValueError, match=r"result_0.txt: found problem tiny, wanted scale6"):
        Stage(tmp_path, problem="scale6").campaign.make()


def test_other_source_is_another_set(tmp_path):
    stage = Stage(tmp_path, runs=2)
    stage.campaign.make()
    with open(stage.campaign.log(0), "a") as file:
        writer = LogWriter(tmp_path / "more.txt")
        writer.event("source", "0" * 64, files={"benchmark/log.py": "0" * 64}, config="c")
        writer.close()
        file.write((tmp_path / "more.txt").read_text())
    with pytest.raises(ValueError, match=r"found other source than now: benchmark/log.py; wanted the same"):
        Stage(tmp_path, runs=3).campaign.make()


def test_one_campaign_at_a_time(tmp_path):
    stage = Stage(tmp_path, runs=1)
    inner = Stage(tmp_path, runs=1)
    stage.campaign.__dict__["start"] = lambda log, more: inner.campaign.make()
    with pytest.raises(ValueError, match=r"found another submit\.py at work"):
        stage.campaign.make()


@pytest.mark.parametrize(
    ("seconds", "words"), [(59.4, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (7260, "2 h 1 min")]
)
def test_durations(seconds, words):
    assert duration(seconds) == words


@pytest.mark.skipif(sys.platform != "linux", reason="processes that end with their parent")
def test_a_campaign_that_is_killed_at_any_moment_is_completed(tiny, published, tmp_path):
    """kill -9 of submit.py; the same command at the end makes what is missing, the ledger knows every start, and the
    submission is in order. EVERY=1 in the environment kills a longer one 20 times, at other moments each time."""
    every = bool(os.environ.get("EVERY"))
    runs, kills, seed = (5, 20, random.randrange(1 << 32)) if every else (2, 3, 1)
    print(f"moments of seed {seed}")
    out = tmp_path / current()
    files = ["--problems", tiny.problems, "--config", tiny.config, "--data", tiny.data, "--out", out]
    options = ["--problem", "tiny", *files, "--org", "Us", "--system", "laptop", "--runs", str(runs)]
    command = [sys.executable, SUBMIT, *options]
    draw = random.Random(seed)
    for _ in range(kills):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(draw.uniform(2, 8))
            process.send_signal(signal.SIGKILL)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    logs = [result_path(out / "Us", "laptop", "scaffold", run) for run in range(runs)]
    assert [standing(log).state for log in logs] == ["reached"] * runs
    ledger = read_ledger(set_path(out / "Us", "laptop", "scaffold") / LEDGER)
    assert not ledger.faults
    last = {e.said.run: e.number for e in ledger.entries if isinstance(e.said, Start)}
    noted = {e.said.of for e in ledger.entries if isinstance(e.said, Note)}
    starts = {e.number for e in ledger.entries if isinstance(e.said, Start)}
    assert starts == noted | set(last.values())
    rules = published(logs[0], tmp_path / "rules")
    limits = rules / (load(current()).limits.based_on or current()) / "limits.yaml"
    law = yaml.safe_load(limits.read_text())
    law["benchmarks"]["scaffold"]["runs"] = runs
    limits.write_text(yaml.safe_dump(law, sort_keys=False))
    found = judge([out], rules=rules).findings
    assert [f.text() for f in found if f.severity in ("error", "warning")] == []
    assert {f.code for f in found} <= {"LED08", "LED10", "CLK16"}  # runs that broke off, for a person to look at
