"""Throughput sets: models that are trained at once, each with its share of the node."""

import json

import pytest

from benchmark.tree import result_path, set_path, system_path
from compliance.engine import judge
from harness import submit, throughput
from harness.processes import Share
from results.statistics.result import summarize
from results.tables.text import terminal_text


def test_models_share_the_cores_or_all_have_all_of_too_few(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(16)))
    found = throughput.shares(1, 3, 0)
    assert [share.cores for share in found] == [tuple(range(i * 5, i * 5 + 5)) for i in range(3)]
    assert [share.variables for share in found] == [{}] * 3
    assert [share.cores for share in throughput.shares(1, 32, 0)] == [()] * 32


def test_models_share_the_gpus(monkeypatch):
    monkeypatch.delenv(throughput.VISIBLE, raising=False)

    def gpus(*counts):
        return [share.variables for share in throughput.shares(*counts)]

    assert gpus(2, 2, 4) == [{throughput.VISIBLE: "0,1"}, {throughput.VISIBLE: "2,3"}]
    with pytest.raises(ValueError, match="found 3 GPUs, wanted 4"):
        gpus(2, 2, 3)
    monkeypatch.setenv(throughput.VISIBLE, "4,GPU-5,6,7")
    assert gpus(1, 2, 4) == [{throughput.VISIBLE: "4"}, {throughput.VISIBLE: "GPU-5"}]


def test_trials_share_the_gpus_if_there_are_enough(monkeypatch):
    monkeypatch.delenv(throughput.VISIBLE, raising=False)
    own = [Share(variables={throughput.VISIBLE: gpus}) for gpus in ("0,1", "2,3")]
    assert throughput.trial_shares(2, 2, 4) == own
    assert throughput.trial_shares(2, 2, 3) == throughput.trial_shares(2, 2, 0) == [Share(), Share()]


@pytest.mark.slow
def test_models_are_made_at_once_each_with_its_own_gpus(fake, monkeypatch):
    monkeypatch.delenv(throughput.VISIBLE, raising=False)
    assert fake.submit("--throughput", "2", "--runs", "4", "device=cuda") == 0
    started = fake.starts()
    assert {words["variables"][throughput.VISIBLE] for words in started} == {"0", "1"} and len(started) == 4
    assert len(list(set_path(fake.submission, "laptop", "scaffold", "weak").glob("result_*.txt"))) == 4
    assert json.loads(system_path(fake.submission, "laptop").read_text())["accelerators_per_node"] == "2"
    assert fake.submit("--throughput", "2", "--runs", "4", "device=cuda") == 0 and not fake.runs()
    assert fake.submit("--throughput", "9", "device=cuda") == 2


def test_two_split_models_at_once_are_a_hybrid_set_in_order(tiny, published, events, tmp_path):
    """Of the reference, each over two ranks."""
    out = tmp_path / "v1.0"
    logs = [result_path(out / "Us", "laptop", "scaffold", run, "weak") for run in range(2)]
    for again in ([], ["--anew"], ["--anew"]):  # runs of a second may miss each other on a busy machine
        assert submit.main(tiny.harness(out, "--throughput", "2", "--layout", "1,2,1,1", *again)) == 0
        spans = [[e.time_ms for e in events(log) if e.key in ("run_start", "run_stop")] for log in logs]
        if max(start for start, _ in spans) < min(stop for _, stop in spans):
            break
    rules = published(logs[0], tmp_path / "rules")
    verdict = judge([str(out / "Us")], rules=rules)
    assert [(f.code, f.path, f.found) for f in verdict.findings if f.severity == "error"] == []
    assert verdict.looked == 2
    (found,) = summarize(verdict)
    through = found.throughput
    assert through.models == 2
    if through.instance is None:  # on one socket, each of two models at once can have had half of it, and logs one
        assert (through.total, through.logged, through.most) == (1, 1, 0.5)
    else:
        assert through.instance == through.total / 2
    assert found.rank is None and "models" in terminal_text([found])
