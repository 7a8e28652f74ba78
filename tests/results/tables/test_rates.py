"""Logs that measure throughput alone: plotted and tabulated, never scored, never ranked. And workloads of any name."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from compliance.engine import judge
from results import summarize
from results.runs.columns import Row
from results.statistics.result import summarize as summarize_sets
from results.tables.rates import Rate, rates, series


@pytest.fixture
def scaled(tree, new_log):
    """1, 2 and 4 units: by whole samples with the same batch, and with the batch growing; 2 by parts of samples."""
    runs = [(1, 1, 8, 10.0), (2, 1, 8, 18.0), (4, 1, 8, 32.0), (2, 1, 16, 19.0), (4, 1, 32, 38.0), (1, 2, 8, 16.0)]
    tree.set([new_log.steps(*r) for r in runs], system="scaled")
    return tree


def test_they_have_no_score_and_no_rank(scaled, new_log, run):
    """Not even where an evaluation meets the target. A log that broke off states no rate."""
    scaled.set(new_log.five(), org="trained")
    met, broken = new_log.steps(), new_log.steps(2, done=False)
    met.lines.insert(-1, met.lines[-1].replace("run_stop", "eval_accuracy").replace('"value": null', '"value": 0.99'))
    scaled.set([met, broken], org="odd")
    code, out = run("--format", "json", scaled.root)
    rows = {r["org"]: r for r in json.loads(out.out)["results"]}
    assert code == 0 and rows["trained"]["rank"] == "1" and rows["trained"]["fom_seconds"] == 52
    for org in ("acme", "odd"):
        assert (rows[org]["rank"], rows[org]["fom_seconds"], rows[org]["converged"]) == (None, None, 0)
    assert rows["acme"]["why"] == "throughput only: no run of training to a target"
    odd, alone = sorted((r for r in scaled.results(as_logged=False) if r.org != "trained"), key=lambda r: len(r.rows))
    assert [row.measured_rate for row in alone.rows] == [10, 18, 32, 19, 38, 16]
    assert [row.layout for row in alone.rows[4:]] == [(4, 1, 1, 1), (1, 2, 1, 1)]
    assert len(rates([odd])) == 1


def test_table_has_the_efficiency_of_both_kinds_of_scaling(scaled, run):
    out = run(scaled.root)[1].out.splitlines()
    assert out[0] == "v1.0 · scaffold · smoke · closed division · throughput alone"
    table = [line.split() for line in out[2:8]]
    shown = {row[-1]: row[-6:-2] for row in table}
    assert shown["result_2.txt"] == ["8", "80.0", "%", "-"]  # 32 of 4 x 10, strong; alone at 2 a unit
    assert shown["result_4.txt"][-3:] == ["-", "95.0", "%"]  # 38 of 4 x 10, weak
    assert shown["result_5.txt"] == ["8", "80.0", "%", "-"]  # 16 of 2 x 10, parts of samples


def test_a_folder_of_several_problems_is_a_table_for_each(tree, new_log, run):
    """And what is computed in keeps series of the same problem apart."""
    logs = [new_log.steps(n, problem=p, rate=r * n) for p, r in (("smoke", 10), ("scale6", 1)) for n in (1, 2)]
    half = [new_log.steps(n, rate=30.0 * n, precision="bfloat16") for n in (1, 2)]
    tree.set([*logs, *half], scaling="throughput")
    out = run(tree.root)[1].out
    first, second = out.split("v1.0 · scaffold · ")[1:]
    assert first.startswith("scale6 ·") and second.startswith("smoke ·") and "mixed" not in out
    assert (first.count("100.0 %"), second.count("100.0 %")) == (2, 4)


def test_a_log_with_errors_is_listed_and_in_no_series(tree, new_log):
    """The checker's errors in it are counted; those of the submission take no other log away."""
    logs = [new_log.steps(n, rate=10.0 * n, start=1_700_000_000_000 + 100_000 * n) for n in (1, 2, 4)]
    tree.set(logs, scaling="throughput")
    assert summarize.main([str(tree.root)]) == 1
    verdict = judge([tree.root])
    results = summarize_sets(verdict)
    assert all(rate.row.errors for rate in rates(results)) and series(rates(results)) == []
    logged = summarize_sets(verdict, as_logged=True)
    assert [len(s.rates) for s in series(rates(logged))] == [3]


def test_html_draws_both_kinds_of_scaling(scaled, run):
    text = run("--format", "html", scaled.root)[1].out
    assert "6 logs of throughput alone" in text and "0 sets of runs" not in text
    assert "Throughput alone" in text and "no figure of merit, no rank" in text
    assert "Strong scaling: the same global batch" in text and "Weak scaling: the same batch for each device" in text
    assert "result_4.txt" in text
    assert "<h3>Submissions</h3>" not in text


@pytest.mark.parametrize(
    ("name", "value", "shown"), [("recompute", True, "recompute"), ("accumulate", 2, "accumulate=2")]
)
def test_what_is_computed_otherwise_is_another_series(tree, new_log, name, value, shown):
    """As found: a unit that ran plainly, and two that recomputed, made a series of strong scaling."""
    plain = {"sharding": "ddp", "compile": False, "accumulate": 1}
    sets = [(1, plain), (2, plain), (4, plain | {name: value}), (1, None)]
    logs = [new_log.steps(n, rate=10.0 * n, **({"hyperparameters": h} if h else {})) for n, h in sets]
    tree.set(logs, scaling="throughput")
    found = rates(tree.results())
    assert [f.computed for f in found] == [("", ""), ("", ""), ("", ""), ("", shown)]
    strong = [s for s in series(found) if s.kind == "strong"]
    assert [[f.units for f in s.rates] for s in strong] == [[1, 1, 2]] and shown not in strong[0].name
    odd = [s for s in series([*found, replace(found[-1], units=8.0)]) if s.settings]
    assert odd and all(f"whole samples, {shown}, batch" in s.name for s in odd)


def rate(units, batch, value, layout=None):
    row = Row(SimpleNamespace(findings=()), batch=batch, layout=layout)
    return Rate(SimpleNamespace(org="a", system="b", as_logged=False), row, units, value, 1)


def test_series_need_two_sizes_and_one_way():
    assert series([rate(1, 8, 10.0)]) == []
    assert [s.kind for s in series([rate(1, 8, 10.0), rate(2, 8, 18.0)])] == ["strong"]
    whole, parts = rate(2, 8, 18.0, (2, 1, 1, 1)), rate(2, 8, 15.0, (1, 2, 1, 1))
    found = series([rate(1, 8, 10.0, (1, 1, 1, 1)), whole, parts])
    assert {(s.way, s.rates[-1].rate) for s in found} == {("data", 18.0), ("spatial", 15.0)}
    assert found[0].efficiency(whole) == pytest.approx(0.9)


def test_curves_name_the_workload_s_own_metric(tree, new_log, run):
    logs = [new_log.cosmoflow((0.3, 0.2, 0.12), start=1_700_000_000_000 + 10_000_000 * i, seed=i) for i in range(10)]
    tree.set(logs, benchmark="cosmoflow")
    text = run("--format", "html", tree.root)[1].out
    assert "eval_error" in text and "eval_accuracy" not in text and "ScaFFold" not in text
