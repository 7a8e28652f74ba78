"""Throughput sets: how a node is divided among models, and two that are trained at once, each split over two ranks."""

import shutil

import pytest

from benchmark.collect import files_in
from benchmark.tree import result_path
from compliance.engine import judge
from implementations.pytorch import submit
from implementations.pytorch.submitting import at_once
from results.statistics.result import summarize
from results.tables.text import terminal_text


def arguments(tiny, out, *more):
    files = ["--problems", str(tiny.problems), "--config", str(tiny.config), "--data", str(tiny.data)]
    return ["--problem", "tiny", *files, "--org", "Us", "--system", "laptop", "--out", str(out), *more]


HYBRID = ("--throughput", "2", "--layout", "1,2,1,1")


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """The round with two models of two ranks each."""
    out = tmp_path_factory.mktemp("out") / "v1.0"
    assert submit.main(arguments(tiny, out, *HYBRID)) == 0
    return out


def test_two_split_models_at_once_are_a_hybrid_set_in_order(made, published, events, tmp_path):
    logs = [result_path(made / "Us", "laptop", "scaffold", run, "weak") for run in range(2)]
    spans = [[e.time_ms for e in events(log) if e.key in ("run_start", "run_stop")] for log in logs]
    assert max(start for start, _ in spans) < min(stop for _, stop in spans)
    rules = published(logs[0], tmp_path / "rules")
    verdict = judge([str(made / "Us")], rules=rules)
    assert [(f.code, f.path, f.found) for f in verdict.findings if f.severity == "error"] == []
    assert verdict.looked == 2
    (found,) = summarize(verdict)
    assert (found.kind, found.throughput.models, found.throughput.total) == ("hybrid", 2, found.throughput.instance)
    assert "hybrid" in terminal_text([found]) and found.rank is None


def test_what_broke_off_alone_is_made_again(made, tiny, capsys, tmp_path):
    made = shutil.copytree(made, tmp_path / "v1.0")
    log = result_path(made / "Us", "laptop", "scaffold", 1, "weak")
    before = files_in(log.parent)
    assert submit.main(arguments(tiny, made, *HYBRID)) == 0
    assert files_in(log.parent) == before
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(line for line in lines if '"run_stop"' not in line))
    assert submit.main(arguments(tiny, made, *HYBRID)) == 0
    after = files_in(log.parent)
    assert after["result_0.txt"] == before["result_0.txt"] and after["result_1.txt"] != before["result_1.txt"]
    assert "1 of 2 models are there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--throughput", "1"], "wanted 2 or more models at once"),
        (["--throughput", "2", "--runs", "1"], "found 1 with --throughput 2"),
        (["--throughput", "2", "--study", "strong", "--ranks", "1"], "found --study too"),
        (["--throughput", "2", "--checkpoint", "x"], "found --checkpoint too"),
        (["--throughput", "2", "--nodes", "2", "--nproc", "2", "--runs", "0"], "found --nodes 2"),
    ],
)
def test_options_that_contradict_each_other(tiny, tmp_path, capsys, more, said):
    with pytest.raises(SystemExit, match="2"):
        submit.parse(arguments(tiny, tmp_path, *more))
    assert said in capsys.readouterr().err


def test_models_share_the_cores(tiny, monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(16)), raising=False)
    args = submit.parse(arguments(tiny, "out", "--throughput", "2", "--layout", "1,2,1,1", "threads=0"))
    assert submit.check_settings(args).threads == 4
    assert submit.check_settings(submit.parse(arguments(tiny, "out", "threads=0"))).threads == 16


def test_models_share_the_gpus(monkeypatch):
    monkeypatch.delenv(at_once.VISIBLE, raising=False)
    assert at_once.shares(2, 2, 4) == [{at_once.VISIBLE: "0,1"}, {at_once.VISIBLE: "2,3"}]
    assert at_once.shares(2, 2, 0) == [{}, {}]
    with pytest.raises(ValueError, match="found 3 GPUs, wanted 4"):
        at_once.shares(2, 2, 3)
    monkeypatch.setenv(at_once.VISIBLE, "4,GPU-5,6,7")
    assert at_once.shares(1, 2, 4) == [{at_once.VISIBLE: "4"}, {at_once.VISIBLE: "GPU-5"}]
