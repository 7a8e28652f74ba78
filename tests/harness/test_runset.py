"""Sets that are made, interrupted and added to. A stand-in writes their logs."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmark.collect import files_in
from benchmark.log import LogWriter
from benchmark.tree import SUPERSEDED, set_path
from benchmark.tuning.ending import ENDED
from harness.implementation import Implementation
from harness.launcher import ALL, Launcher
from harness.options import Setup
from harness.processes import Share
from harness.runset import RunSet, duration
from harness.status import read_status
from tests.support.described import described

REACHED, MISSED, PRUNED, KILLED = "reached", "missed", "pruned", "killed"
REFUSED, BROKE, TERMINATED, FAILED = "refused", "broke", "terminated", "failed"
DESCRIBED = described(options=["--checkpoint"])
CODES = {KILLED: -9, REFUSED: 2, BROKE: 1, TERMINATED: 143, MISSED: 1, PRUNED: 1, FAILED: 1}


def made(log: Path, problem: str, act: str) -> SimpleNamespace:
    """Write the log of an act. Return its process, which is over at the second look."""
    if act != REFUSED:
        writer = LogWriter(log, append=log.exists())
        writer.event("problem", problem)
        writer.event("hyperparameters", dict(DESCRIBED.settings))
        writer.event("config_digest", DESCRIBED.config_digest)
        if act != BROKE:
            writer.start("run_start")
            writer.event("eval_accuracy", 0.5, epoch_num=3 if act == MISSED else 1)
        if act in (REACHED, MISSED, PRUNED):
            reason = {"reason": f"{ENDED}pruned"} if act == PRUNED else {}
            writer.end("run_stop", None, status="success" if act == REACHED else "aborted", **reason)
        writer.close()
    code = CODES.get(act, 0)
    looks = iter([None, code])
    return SimpleNamespace(poll=lambda: next(looks), wait=lambda timeout=None: code)


class Stage:
    """A set whose runs do what `acts` says, one after another, and then reach their target."""

    def __init__(self, root: Path, *acts: str, runs=3, problem="tiny", words=(), **more):
        self.acts, self.started, self.shares = list(acts), [], []
        stage = self

        class Acting(Setup):
            def start(self, log: Path, more: Sequence[str] = (), share: Share = ALL) -> SimpleNamespace:
                stage.started.append((log.name, list(more)))
                stage.shares.append(share)
                return made(log, problem, stage.acts.pop(0) if stage.acts else REACHED)

        setup = Acting(Implementation(root), Launcher(1, words), problem, root, root, "Us", "laptop")
        object.__setattr__(setup, "definition", type("Problem", (), {"workload": "scaffold"}))
        self.runs = RunSet(setup, set_path(root / "Us", "laptop", "scaffold"), runs, DESCRIBED, **more)

    def states(self) -> list[str]:
        return [found.state for found in self.runs.statuses()]

    def names(self) -> list[str]:
        return [name for name, _ in self.started]


def test_what_is_missing_is_made_and_what_is_finished_stays(tmp_path, capsys):
    assert Stage(tmp_path, runs=2).runs.make() == 0
    before = files_in(tmp_path)
    more = Stage(tmp_path, runs=4)
    assert more.runs.make() == 0 and more.runs.report() == 0
    assert more.names() == ["result_2.txt", "result_3.txt"]
    assert before.items() <= files_in(tmp_path).items()
    said = capsys.readouterr()
    assert f"4 of 4 runs reached the target: {tmp_path / 'Us'}" in said.out
    description = tmp_path / "Us" / "systems" / "laptop.json"
    assert said.out.endswith(
        f"look at {description}: complete what is empty, and what it asks you to say\n"
        f"next: python compliance/check.py {tmp_path / 'Us'}\n"
    )
    assert "2 of 4 runs are there" in said.err and "result_2: run 3 of 4\n" in said.err
    assert "result_2: reached its target, 0.0 s, 1 epochs, 0.5000; 0 s left\n" in said.err


def test_what_is_made_is_known_beforehand(tmp_path):
    runs = Stage(tmp_path, REACHED, KILLED).runs
    runs.make()
    assert runs.todo(False, None) == [1] and runs.todo(True, None) == [0, 1, 2]
    assert runs.todo(False, 0) == [] and runs.todo(True, 0) == [0]


@pytest.mark.parametrize("only", [None, 1])
def test_a_run_that_is_made_anew_does_not_find_the_old_checkpoints(tmp_path, only):
    stage = Stage(tmp_path, REACHED, KILLED, checkpoints=tmp_path / "kept", keep_states=True)
    for run in range(2):
        (stage.runs.checkpoint(run) / "epoch_000001").mkdir(parents=True)
    stage.runs.make()
    assert Stage(tmp_path, checkpoints=tmp_path / "kept", keep_states=True).runs.make(anew=True, only=only) == 0
    assert stage.runs.checkpoint(0).exists() == (only == 1) and not stage.runs.checkpoint(1).exists()
    moved = stage.runs.checkpoint(0).parent.glob(f"{SUPERSEDED}/*/*/epoch_000001")
    assert sorted(path.parent.name for path in moved) == ["result_0", "result_1"][only or 0 :]


@pytest.mark.parametrize("act", [MISSED, PRUNED])
def test_a_run_that_missed_its_target_counts_and_is_not_made_again(tmp_path, act):
    first = Stage(tmp_path, REACHED, act)
    assert first.runs.make() == 0 and first.runs.report() == 1
    again = Stage(tmp_path)
    assert again.runs.make() == 0 and again.runs.report() == 1
    assert again.started == [] and again.states() == ["reached", "missed", "reached"]


def test_a_killed_run_is_reported_and_made_by_the_same_command(tmp_path, capsys):
    first = Stage(tmp_path, REACHED, KILLED)
    assert first.runs.make() == 1 and first.runs.report() == 1
    assert first.states() == ["reached", "interrupted", "reached"]
    said = capsys.readouterr()
    assert "result_1: broke off, killed by signal 9" in said.err
    assert "not there: result_1; the same command again makes it" in said.out
    again = Stage(tmp_path)
    assert again.runs.make() == 0 and again.started == [("result_1.txt", [])]
    assert "result_1 broke off after 1 epochs: what is there of it is now in " in capsys.readouterr().err
    (old,) = (first.runs.folder / SUPERSEDED).glob("*/result_1.txt")
    assert read_status(old).state == "interrupted"


@pytest.mark.parametrize(("acts", "at_once"), [([REACHED, REFUSED], 1), ([REACHED, BROKE], 1), ([REFUSED, REFUSED], 2)])
def test_what_every_run_would_say_ends_the_set(tmp_path, acts, at_once):
    stage = Stage(tmp_path, *acts, runs=5)
    assert stage.runs.make([Share()] * at_once) == 2 and len(stage.started) == 2


@pytest.mark.parametrize(
    ("acts", "kept", "made"),
    [
        ([TERMINATED], False, 1),  # the job's time limit
        ([KILLED], False, 1),
        ([MISSED], True, 3),
        ([FAILED], False, 3),
        ([FAILED], True, 1),  # the next job goes on with it
    ],
)
def test_a_job_ends_with_a_run_that_a_signal_ended(tmp_path, acts, kept, made):
    stage = Stage(tmp_path, *acts, words=("srun",), checkpoints=tmp_path / "kept" if kept else None)
    stage.runs.make()
    assert len(stage.started) == made
    if acts == [TERMINATED]:  # without a launcher it is that run alone which was ended
        alone = Stage(tmp_path / "alone", *acts)
        assert alone.runs.make() == 1 and len(alone.started) == 3


@pytest.mark.parametrize("at_once", [2, 5])
def test_several_at_once_each_with_a_share_of_its_own(tmp_path, at_once):
    stage = Stage(tmp_path, runs=5)
    shares = [Share(variables={"GPU": str(i)}) for i in range(at_once)]
    assert stage.runs.make(shares) == 0 and sorted(stage.names()) == [f"result_{i}.txt" for i in range(5)]
    assert stage.shares[:at_once] == shares
    assert {share.variables["GPU"] for share in stage.shares} == set(map(str, range(at_once)))


def test_another_problem_or_other_source_is_another_set(tmp_path):
    stage = Stage(tmp_path, runs=2)
    stage.runs.make()
    with pytest.raises(ValueError, match=r"result_0.txt: found problem tiny, wanted scale6"):
        Stage(tmp_path, problem="scale6").runs.make()
    writer = LogWriter(stage.runs.log(0), append=True)
    writer.event("source", "0" * 64, files={"benchmark/log.py": "0" * 64}, config="c")
    writer.close()
    with pytest.raises(ValueError, match=r"found other source than now: benchmark/log.py; wanted the same"):
        Stage(tmp_path, runs=3).runs.make()


def test_one_command_at_a_time(tmp_path):
    stage, inner = Stage(tmp_path, runs=1), Stage(tmp_path, runs=1)
    object.__setattr__(stage.runs, "options_of", lambda run: inner.runs.make())
    with pytest.raises(ValueError, match="found another command at work on it, wanted one at a time"):
        stage.runs.make()


def test_durations():
    assert [duration(seconds) for seconds in (59.4, 60, 3599)] == ["59 s", "1 min 0 s", "59 min 59 s"]
    assert duration(7260) == "2 h 1 min"
