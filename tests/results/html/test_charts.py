"""The charts of one set, from the runs that the checker read."""

import pytest

from results.html import charts
from results.html.charts import Side, curves, each, key, sample, timeline


def test_a_line_a_run_with_its_log_lines_the_target_and_the_reference(new_log, read):
    runs = [read(new_log.scaffold(10.0, epochs=4)), read(new_log.scaffold(20.0, epochs=6))]
    chart = curves(each(runs), 0.95, (8, 9))
    assert "eval_accuracy" in chart.caption and [k["name"] for k in chart.keys] == ["run 0", "run 0"]
    rows = [dict(zip(chart.tables["points"].cols, row, strict=True)) for row in chart.tables["points"].rows]
    assert [row["s"] for row in rows] == [0] * 4 + [1] * 6
    lines = runs[1].file.read_text().splitlines()
    assert all('"eval_accuracy"' in lines[row["at"] - 1] for row in rows if row["s"] == 1)
    assert rows[3]["y"] == 0.96 and rows[3]["x"] == 4 and rows[3]["t"] == pytest.approx(9.9, abs=0.2)
    assert chart.tables["target"].rows == [(0.95,)] and chart.tables["band"].rows[0][:2] == (8, 9)
    assert (
        chart.note == "Dashed: the target, 0.95. Shaded: the 8 to 9 epochs of the reference's runs at this batch size."
    )


def test_samples_that_a_log_counts_make_passes_and_no_epochs(new_log, read):
    """As found: the curves of OpenFold, whose epochs are parts of a pass, ended at 0.2 "epochs"."""
    assert "over epochs" in curves(each([read(new_log.scaffold(10.0))]), 0.95).caption
    beside = read(new_log.openfold(), "mlperf-hpc-v3.0")
    assert "over passes over the training data" in curves(each([beside]), 0.8).caption
    assert timeline(each([beside]), False).note.startswith("Evaluations run beside training")
    assert timeline(each([read(new_log.scaffold(10.0))]), False).note == ""


@pytest.mark.parametrize(("first", "log"), [(0.1, False), (0.096, True), (0.0, False)])
def test_an_axis_of_a_factor_of_ten_begins_logarithmic(new_log, read, first, log):
    assert curves(each([read(new_log.scaffold(values=[first, 0.96]))]), 0.95).log is log


def test_curves_are_thinned_to_what_there_is_room_for(new_log, read):
    run = read(new_log.scaffold(10.0, epochs=12))
    rows = curves([Side("a", [run])], None, (), 5).tables["points"].rows
    assert len(rows) == 5 and [rows[0][3], rows[-1][3]] == [1, 12]
    assert curves([Side("a", [read(new_log.Log())])], 0.95) is None and curves([], None) is None


def test_timelines_begin_together_where_runs_ran_together(new_log, read):
    runs = [read(new_log.scaffold(10.0, start=1_700_000_000_000 + wait)) for wait in (0, 5000)]
    for together, last in ((False, 10), (True, 15)):
        chart = timeline([Side("", runs)], together)
        assert max(row[3] for row in chart.tables["parts"].rows) == last
    dropped = timeline([Side("A", runs[:1], frozenset({"other"})), Side("B", runs[:1])], False)
    assert {row[1] for row in dropped.tables["parts"].rows} == {"A 0 (dropped)", "B 0"}
    assert "since the first start" in timeline([Side("", runs)], True).caption
    assert timeline([], False) is None


@pytest.mark.parametrize("extra", [-1, 0])
def test_a_timeline_of_too_many_spans_is_none(new_log, read, monkeypatch, extra):
    run = read(new_log.scaffold(10.0, epochs=4))
    spans = len(timeline([Side("", [run])], False).tables["parts"].rows)
    monkeypatch.setattr(charts, "SPANS", spans + extra)
    assert (timeline([Side("", [run])], False) is None) == (extra < 0)


def test_many_runs_are_sampled_evenly_and_looks_repeat():
    assert sample(range(5)) == [0, 1, 2, 3, 4]
    shown = sample(range(1000), 40)
    assert len(shown) == 40 and (shown[0], shown[-1]) == (0, 999)
    assert key(0, "a") == {"name": "a", "c": 0, "d": 0, "h": 0}
    assert key(9, "b") == {"name": "b", "c": 1, "d": 1, "h": 3}
