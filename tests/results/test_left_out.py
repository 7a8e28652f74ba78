"""Logs that nobody judged: they have no figure and no rank, and are named."""

import json
from types import SimpleNamespace

import pytest

from results import summarize

ALONE = "given by itself: give the folder of its set"


@pytest.fixture
def acme(tree, new_log):
    """The folder of a set of five runs, 45 s."""
    return tree.set(new_log.uneven())


def test_a_log_by_itself(acme, run, tmp_path):
    log = acme / "result_2.txt"
    code, out = run(log)
    assert code == 1 and f"{log}: {ALONE}" in out.out and "figure of merit, s" not in out.out
    body = json.loads(run(log, "--format", "json")[1].out)
    assert (body["results"], body["left_out"]) == ([], [{"path": str(log), "why": ALONE}])
    for form in (("--format", "csv"), ("--view", "analysis"), ("--view", "procurement", "--format", "markdown")):
        code, out = run(log, *form)
        assert code == 1 and f"{log}: {ALONE}" in out.err
    page = tmp_path / "page.html"
    run(log, "--output", page)
    assert "No result" in page.read_text() and ALONE in page.read_text()


def test_a_campaign_without_score_where_a_view_has_no_campaigns(acme, run, monkeypatch):
    """As found: exit code 1 without a word."""
    campaign = SimpleNamespace(judged=SimpleNamespace(path="x/first"), why="no trial reached the target")
    monkeypatch.setattr(summarize, "campaigns", lambda verdict: [campaign])
    for form in (("--format", "csv"), ("--view", "analysis"), ("--view", "procurement")):
        code, out = run(acme, *form)
        assert code == 1 and out.err == "x/first: no score: no trial reached the target\n"


def test_what_could_not_be_looked_at(tree, acme, run):
    code, out = run(tree.root, tree.root / "nowhere")
    assert code == 2 and "figure of merit, s" in out.out
    assert out.err == f"{tree.root / 'nowhere'}: No such file or directory\n"


@pytest.mark.parametrize("place", [f"{name}/x/results/box/strong/scaffold" for name in ("benchmarks", "__pycache__")])
def test_logs_outside_of_sets(tree, acme, new_log, run, place):
    """As found: rank 1, "clean", of logs that nobody had judged: below a folder of documents, of sources, of caches."""
    fast = tree.root / "v1.0" / "acme" / place
    for i, log in enumerate(new_log.five(2.0)):
        log.write(fast / f"result_{i}.txt")
    code, out = run(tree.root, "--format", "json")
    body = json.loads(out.out)
    assert code == 1 and [r["fom_seconds"] for r in body["results"]] == [45]
    assert {str(fast / f"result_{i}.txt") for i in range(5)} <= {entry["path"] for entry in body["left_out"]}
    assert f"{fast / 'result_4.txt'}: TREE09 " in run(tree.root)[1].out
