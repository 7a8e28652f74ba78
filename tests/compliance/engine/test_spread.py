"""Several processes: what comes out is the same to the byte, and who is handed what."""

import multiprocessing.synchronize
import shutil
from concurrent.futures import Future

import pytest

from compliance.engine import judge, spread
from compliance.engine.spread import _Count, _logs, judge_units
from compliance.output import json, text
from compliance.output.report import Report, summaries
from rules.edition import load


@pytest.fixture
def round_(tree, law, tmp_path):
    """Four submissions of five logs, one of twenty sets, and a set and a log beside them; with faults."""
    tree.changed("seed", value=5)
    home = tree.root.parents[0]
    for name in ("bolt", "crux", "dune"):
        shutil.copytree(tree.root, home / name)
    large = shutil.copytree(tree.root, home / "large")
    runs = next(large.rglob("result_0.txt")).parent
    for index in range(19):
        shutil.copytree(runs, runs.parents[2] / f"box{index}" / "strong" / "scaffold")
    alone = shutil.copytree(runs, tmp_path / "alone" / "scaffold")
    return [home, alone, shutil.copy(runs / "result_0.txt", tmp_path / "result_0.txt")]


def written(paths, law, jobs, **more):
    verdict = judge(paths, "v1.0", jobs, rules=law, **more)
    editions = {name: load(name, law) for name in verdict.editions}
    told = summaries(verdict, verdict.findings, editions)
    report = Report(verdict.findings, told, verdict.missed, editions, verdict.exit_code, every=True)
    return text.render(report), json.render(report)


def test_any_number_of_processes_says_the_same(round_, law):
    one = written(round_, law, 1)
    assert one[0].count("SEED03") > 10 and "box18" in one[0]
    assert [written(round_, law, jobs) for jobs in (2, 3)] == [one, one]


@pytest.mark.slow
def test_where_processes_cannot_be_forked_it_says_the_same(round_, law, monkeypatch):
    one = written(round_[:1], law, 1)
    monkeypatch.setattr(spread, "get_all_start_methods", lambda: ["spawn"])
    monkeypatch.setattr(spread, "get_context", lambda method: __import__("multiprocessing").get_context("spawn"))
    assert written(round_[:1], law, 2) == one


@pytest.mark.parametrize("error", [OSError(38, "Function not implemented"), ImportError("no sem_open")])
def test_where_there_are_no_locks_one_process_says_the_same(round_, law, monkeypatch, capsys, error):
    """A container may have no /dev/shm."""
    one = written(round_[:1], law, 1)

    def no_locks(*_, **__):
        raise error

    monkeypatch.setattr(multiprocessing.synchronize.SemLock, "__init__", no_locks)
    assert written(round_[:1], law, 2) == one
    assert capsys.readouterr().err == (
        f"one process reads the logs: several need locks, which are in /dev/shm ({error})\n"
    )


def test_progress_counts_every_log(round_, law):
    told = []
    judge(round_, "v1.0", 2, rules=law, progress=lambda *done: told.append(done))
    assert told == [(n, 126) for n in range(1, 127)]


class Pool:
    """Does what it is asked at once, and notes it."""

    def __init__(self, *_):
        self.asked = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        Pool.last = self.asked

    def submit(self, function, *arguments):
        self.asked.append((function.__name__, *arguments))
        future = Future()
        future.set_result(function(*arguments))
        return future


def test_large_submissions_are_handed_out_in_chunks_and_others_whole(round_, law, monkeypatch):
    monkeypatch.setattr(spread, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(spread, "_UNITS", units := tuple(_units(round_, law)))
    assert len(judge_units(units, 2)) == 7
    assert [a for a in Pool.last if a[0] == "_whole"] == [("_whole", at) for at in (0, 1, 2, 3, 5, 6)]
    assert [a for a in Pool.last if a[0] == "_part"] == [("_part", 4, start, 15) for start in range(0, 100, 15)]


def _units(paths, law):
    """The units that a judge of these paths hands out."""
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("compliance.engine.judge_units", lambda units, *_: seen.extend(units) or 1 / 0)
        with pytest.raises(ZeroDivisionError):
            judge(paths, "v1.0", rules=law)
    return seen


def test_chunks_that_nobody_wants_any_more_are_left():
    first, second = Future(), Future()
    first.set_result([(None, 0.0)] * 2)
    logs = _logs([first, second])
    next(logs)
    logs.close()
    assert second.cancelled()


def test_nobody_need_be_told():
    count = _Count(2, None)
    assert list(count.each(iter("ab"))) == ["a", "b"] and count.done == 2
