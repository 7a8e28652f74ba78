"""A submission that costs too much has not been looked at, which is said; the others are judged."""

import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from compliance.engine import budget, judge, unit
from compliance.engine.budget import Account, Spent
from tests.support.effort import guarded


@pytest.fixture
def two(tree):
    """Two good submissions, of acme and bolt, which are alike."""
    shutil.copytree(tree.root, tree.root.with_name("bolt"))
    return tree.root.parent


@pytest.fixture
def clock(monkeypatch):
    """A clock that can be put forward, by so many seconds `late`."""
    fake = SimpleNamespace(late=0.0)
    fake.monotonic = lambda: time.monotonic() + fake.late
    for module in (budget, unit):
        monkeypatch.setattr(module, "time", fake)
    return fake


@pytest.mark.parametrize(("seconds", "spent"), [(6.0, ""), (6.1, "judging it took more than 6 s; left: 1 of 2 logs")])
def test_time_is_added_up(seconds, spent):
    account = Account(2, most=6)
    account.charge(seconds, 0, "a")
    assert account.spent == (spent and f"{spent}, those after a, and all that they are part of")


@pytest.mark.parametrize(
    ("more", "spent"), [(0, ""), (1, "what its logs say takes more than 512 MiB; left: 1 of 3 logs")]
)
def test_memory_is_added_up(more, spent):
    account = Account(3)
    account.charge(0, budget.KEPT - 5, "a")
    account.charge(0, 5 + more, "b")
    assert account.spent.partition(",")[0] == spent


def test_the_clock_runs_between_rules(clock):
    account = Account(1, most=60)
    account.begin()
    account.look("RUN01")
    clock.late += 60
    with pytest.raises(Spent, match=r"judging it took more than 60 s; left: the rules from RUN01 on"):
        account.look("RUN01")


def test_slow_logs_leave_out_their_own_submission_alone(two, law, monkeypatch, clock):
    gather_log = unit.gather_log

    def slow(file, name, *more):
        clock.late += 250 if "/bolt/" in name else 0
        return gather_log(file, name, *more)

    monkeypatch.setattr(unit, "gather_log", slow)
    seen = []
    verdict = judge([two], rules=law, progress=lambda done, all_: seen.append(done))
    assert [Path(s.path).name for s in verdict.submissions] == ["acme"] and verdict.findings == ()
    ((path, why),) = verdict.missed
    assert path == f"{two}/bolt" and why.startswith("judging it took more than 600 s; left: 2 of 5 logs, those after ")
    assert verdict.exit_code == 2 and seen[-1] == 8  # five of acme, three of bolt


def test_rules_that_take_too_long_leave_a_submission_out(tree, law, monkeypatch, clock):
    judge_set = unit.judge_set

    def slow(*given):
        clock.late += 1000
        return judge_set(*given)

    monkeypatch.setattr(unit, "judge_set", slow)
    verdict = judge([tree.root], rules=law)
    assert verdict.submissions == () and verdict.findings == ()
    assert verdict.missed[0][1].startswith("judging it took more than 600 s; left: the rules from ")


def test_a_command_says_what_was_left(two, run):
    code, out, _ = run(two, "--seconds", "0")
    assert code == 2 and out.count("could not be checked: judging it took more than 0 s; left: 4 of 5 logs") == 2


def test_what_is_kept_of_logs_and_findings_is_limited(tree, monkeypatch):
    path = tree.path(0)
    bad = ':::MLLOG {"time_ms": 1, "event_type": "POINT_IN_TIME", "key": "seed", "value": -1, "metadata": {}}\n'
    path.write_text(path.read_text() + bad * 1000)
    assert not judge([tree.root]).missed
    monkeypatch.setattr(budget, "KEPT", 1000 * budget.OF_A_FINDING)
    ((_, why),) = judge([tree.root]).missed
    assert why.startswith("what its logs say takes more than 1 MiB; left: 4 of 5 logs, those after")
    path.unlink()
    monkeypatch.setattr(budget, "KEPT", 1)
    ((_, why),) = judge([tree.root]).missed
    assert why.startswith("what its logs say takes more than 0 MiB; left: 3 of 4 logs")


@pytest.mark.parametrize("line", ["x", '{"time_ms": 1, "key": "a", "value": 1}'])
def test_reading_a_log_ends_with_the_time_of_its_submission(tree, line):
    tree.path(1).write_text(f":::MLLOG {line}\n" * 1_000_000)
    with guarded():
        ((_, why),) = judge([tree.root], seconds=0.3).missed
    assert why.startswith("judging it took more than 0.3 s; left:")
