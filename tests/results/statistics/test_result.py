"""From a verdict to results: what is scored, ranked, compared with the reference."""

import math
from dataclasses import replace
from pathlib import Path
from statistics import harmonic_mean
from types import SimpleNamespace

import pytest

from compliance.engine import judge
from compliance.verdict import SetVerdict
from results.measures.registry import MEASURES
from results.runs.columns import Row
from results.statistics import result
from results.statistics.result import as_logged_place, summarize
from results.tables.ranking import size
from results.tables.text import details
from results.tables.words import no_score


def results(*paths):
    return summarize(judge(paths), as_logged=True)


def test_only_sets_of_a_submission_are_ranked(tree, new_log):
    """A set by itself has its figure, and nobody saw what it belongs to."""
    folder = tree.set(new_log.five(seed=1))
    (alone,), (whole,) = results(folder), results(tree.root)
    assert alone.fom == whole.fom == 52
    assert (alone.rank, whole.rank) == (None, (1, 1))
    assert (alone.org, alone.system) == (whole.org, whole.system) == ("acme", "box")


def test_means_are_over_the_runs_that_the_figure_averages(tree, new_log):
    (r,) = results(tree.set(new_log.five(seed=1)))
    assert r.mask == (False, True, True, True, False)
    assert r.mean("seconds") == r.fom == 52
    assert r.one("batch") == 8 and r.one("seed") is None and r.seeds == set("12345")
    assert r.mean("train_rate") == pytest.approx(harmonic_mean(r.values("train_rate")))
    assert 0 < r.deviation("train_rate") < r.mean("train_rate") / 10
    assert r.values("joules") == [] and r.mean("joules") is None
    assert [run.file.name for run in r.runs] == [f"result_{i}.txt" for i in range(5)]
    assert [row.seconds for row in r.rows] == [run.seconds for run in r.runs] == r.seconds
    two = replace(r, mask=(False, True, True, False, False))
    one = replace(r, mask=(False, True, False, False, False))
    assert [x.deviation("seconds") for x in (r, two, one)] == [1, pytest.approx(math.sqrt(0.5)), None]
    assert one.mean("seconds") == 51 and replace(r, mask=(False,) * 5).mean("seconds") is None


def test_a_folder_of_another_name_leaves_the_benchmark_to_the_log(tmp_path, new_log):
    for i, log in enumerate(new_log.five(seed=1)):
        log.write(tmp_path / "runs" / f"result_{i}.txt")
    (r,) = results(tmp_path / "runs")
    assert r.group[1] == "scaffold" and r.label == str(tmp_path / "runs") and r.fom == 52
    new_log.cosmoflow([0.3]).write(tmp_path / "runs" / "result_5.txt")
    (unlike,) = results(tmp_path / "runs")
    assert unlike.group[1] == "scaffold" and unlike.why.startswith("not judged by all the rules")


def test_a_weak_set_counts_models(tree, new_log):
    logs = [new_log.scaffold(100.0, seed=i, start=1_700_000_000_000 + 1000 * i) for i in range(4)]
    (r,) = results(tree.set(logs, scaling="weak", pruned=[new_log.scaffold(300.0, seed=9, reach=False)]))
    assert (r.fom, r.throughput.models, r.pruned, r.rank) == (None, 4, 1, None)
    assert r.throughput.seconds == 103


def test_the_units_of_a_whole_system_are_no_models(tree, new_log):
    """Every log says 32 nodes, the whole system's, and four models run at once: neither S nor hours are known."""
    logs = [new_log.scaffold(100.0, seed=i, start=1_700_000_000_000, number_of_nodes=32) for i in range(4)]
    (r,) = results(tree.set(logs, scaling="weak"))
    assert (r.throughput.total, r.throughput.instance, r.throughput.logged, r.throughput.most) == (128, None, 128, 32)
    assert r.mean("unit_hours") is r.mean("node_hours") is r.mean("train_rate_per_unit") is r.one("units") is None
    assert r.throughput.most_unit_hours == pytest.approx(128 * 100 / 3600 / 4)
    said = "\n".join(details(r))
    assert (
        "devices of a model: not known: the logs say 128, but so many ran at once on 128 that each had at most 32; "
        in said
    )
    assert "accelerator-hours" not in said and size(r).text == "<= 32"


def test_an_organisation_is_one_whatever_its_case(tree, new_log):
    (r,) = results(tree.set(new_log.five(seed=1)))
    groups = {
        "tacc": ("v1.0", "scaffold", "z"),
        "TACC": ("v2.0", "deepcam", "a"),
    }  # the latest edition's spelling counts
    both = [replace(r, judged=replace(r.judged, org=org), group=group) for org, group in groups.items()]
    assert [found.org for found in result.one_spelling(both)] == ["TACC", "TACC"]


def test_a_set_with_errors_is_told_where_it_would_stand(tree, new_log):
    for org, seconds in (("fast", 50), ("wrong", 60), ("slow", 70)):
        tree.set(new_log.five(seconds, seconds), org=org)
    found = {r.org: r for r in tree.results()}
    placed = [found["fast"], found["slow"]]
    refused = replace(found["wrong"], why="failed the check")
    assert as_logged_place(refused, placed) == (2, 3) and as_logged_place(found["fast"], placed) is None
    assert as_logged_place(refused, [found["wrong"]]) == (1, 2)  # of one as good
    few = replace(refused, score=replace(refused.score, fom=None))
    assert as_logged_place(few, placed) is None


def test_unlike_or_unjudged_runs_would_stand_nowhere(tree, new_log):
    """As found: "as logged 52 s, which would be place 1 of 1", though they have no figure as logged either."""
    mixed = tree.set([*new_log.five(seed=1), new_log.scaffold(54, seed=9, rules_edition="v1.1")])
    verdict = judge([mixed.parents[3]])
    (runs,) = verdict.all_sets
    (unlike,) = summarize(verdict)
    (unjudged,) = result.results_of("x", replace(runs, logs=runs.logs[:5], unjudged="too large"), as_logged=False)
    for r, why in ((unlike, "runs of 2 editions in one set"), (unjudged, "not judged by all the rules: too large")):
        assert r.why.startswith(why) and r.standing.errors and r.would_stand is None
        assert MEASURES["as_logged_seconds"].get(r) is None and no_score(r) == [f"no score: {r.why}"]


def test_throughput_alone_is_a_result_for_each_problem(tree, new_log):
    logs = [new_log.steps(problem=problem) for problem in ("smoke", "scale6", "smoke")]
    found = results(tree.set(logs))
    assert [(r.group[2], len(r.rows)) for r in found] == [("scale6", 1), ("smoke", 2)]
    assert all(r.throughput_only and r.in_order and not r.ranked for r in found)
    (mixed,) = results(tree.set([*logs, new_log.scaffold(50, seed=7)]))
    assert mixed.why == "runs of 2 problems in one set: scale6, smoke" and not mixed.throughput_only


def test_runs_of_unlike_settings_are_no_set():
    def why(*rows, alone=(False,) * 3):
        runs = [SimpleNamespace(throughput_only=x, value=f.get) for x, f in zip(alone, rows, strict=False)]
        return result.mixed([Row(SimpleNamespace(run=run)) for run in runs])

    assert why({"problem": "a"}, {"problem": "b"}) == "runs of 2 problems in one set: a, b"
    assert why({"rules_edition": "v1"}, {"rules_edition": None}, {"rules_edition": "v1"}) is None
    assert why() == "every run is among the pruned"
    assert why({}, alone=[True]) == "throughput only: no run of training to a target"
    both = why({}, {}, alone=[True, False])
    assert both == "runs of training and logs of throughput alone in one set"
    assert len(why({"problem": "x" * 150}, {"problem": "y" * 150})) == len("runs of 2 problems in one set: ") + 200


def test_what_runs_share():
    rows = [Row(None, problem="a", units=2.0, step_ms=4000), Row(None, problem="b", units=8.0, step_ms=6000), Row(None)]
    assert result.shared(rows, "problem") == "mixed" and result.shared(rows[1:], "problem") == "b"
    assert result.shared(rows[2:], "problem") == "" and result.known(rows, "units") == [2, 8]
    assert result.seconds_between(rows) == 5 and result.seconds_between(rows[2:]) == 0
    at_first = [Row(None, converged=True, evaluations=1, total_ms=9000), Row(None, evaluations=1, total_ms=1)]
    assert result.seconds_between(at_first) == 9 and result.seconds_between(at_first + rows) == 5


def test_sets_with_errors_have_no_score_unless_asked_for(tree, new_log):
    tree.set(new_log.five(seed=1))
    (strict,), (lax,) = (summarize(judge([tree.root]), *more) for more in ((), (True,)))
    assert strict.standing.errors and strict.fom is None and strict.why == strict.standing.objection
    assert lax.fom == 52 and (strict.as_logged, lax.as_logged) == (False, True)


def test_a_set_is_in_order_with_a_score_or_as_sound_throughput_alone(tree, new_log):
    (trained,), (r,) = results(tree.set(new_log.five(seed=1))), results(tree.set([new_log.steps()], org="b"))
    assert trained.in_order and not replace(trained, why="too few runs").in_order
    assert r.standing.errors and r.throughput_only and r.in_order  # as logged
    strict = replace(r, as_logged=False)
    assert not strict.in_order and replace(strict, standing=replace(r.standing, findings=())).in_order


def test_spread_is_that_of_runs_which_are_one_set(tree, new_log):
    (r,) = results(tree.set(new_log.five(seed=1)))
    assert r.spread.time == pytest.approx(math.sqrt(2.5) / 52) and r.spread.epochs == 0
    (unlike,) = results(tree.set([*new_log.five(seed=1)[:4], new_log.scaffold(54, seed=9, problem="scale6")]))
    assert unlike.why.startswith("runs of 2 problems in one set") and unlike.spread is None
    assert unlike.mask == (False,) * 5


def test_a_set_without_logs_has_a_place_and_no_score():
    empty = SetVerdict("x", Path("x"), "v1.0", "acme", "box", "weak", "scaffold", "v1.0", (), ())
    (r,) = result.results_of("x", empty, as_logged=True)
    assert r.group == ("v1.0", "scaffold", "", "weak", "") and r.rows == r.mask == ()
    assert r.why == "every run is among the pruned"


def test_epochs_are_those_of_converged_runs_that_count_them():
    rows = [
        Row(None, seconds=seconds, epochs=n)
        for seconds, n in ((math.inf, 9), (3.0, None), (2.0, 4), (5.0, 0), (7.0, 1))
    ]
    assert result.converged_columns(rows) == ([2.0, 7.0], [4.0, 1.0])


def test_the_best_come_first_and_those_without_score_last(tree, new_log):
    for org, seconds in (("slow", 90.0), ("fast", 50.0), ("mid", 70.0)):
        logs = [new_log.scaffold(seconds, seed=i) for i in range(3)]
        tree.set(logs, org=org, scaling="weak")
        tree.set(new_log.five(seconds, 1), org=org)
    tree.set(new_log.five(seed=1)[:3], org="best", scaling="strong")  # too few runs
    tree.set([new_log.scaffold(50.0, reach=False)], org="best", scaling="weak")
    order = {scaling: [r.org for r in results(tree.root) if r.group[3] == scaling] for scaling in ("strong", "weak")}
    assert order["strong"] == order["weak"] == ["fast", "mid", "slow", "best"]
