"""Charts across submissions."""

from dataclasses import replace

import pytest

from results.html import across
from results.html.across import ideal, ids, looks_of, names, parts, perfect, rate_chart
from results.runs.decomposition import PARTS
from results.tables.rates import rates, series
from results.tables.words import half

KINDS = ("shares", "time", "batch", "rate", "joint", "units", "strong")


@pytest.fixture
def results(tree, new_log):
    """Two organisations, three systems, one of them a throughput."""
    for org, seconds, units in (("a", 50.0, 4), ("b", 100.0, 8)):
        tree.set(new_log.five(seconds, epochs=5, more=1, accelerators_per_node=units), org=org)
    tree.set(new_log.five(80.0, 70), org="a", scaling="weak")
    return tree.results()


def charts(results):
    return [chart for _, of in across.charts(results, looks_of(results)) for chart in of]


def test_what_there_is_to_see(results):
    found = {chart.kind: chart for chart in charts(results)}
    assert list(found) == ["ranks", "medians", "factors", *KINDS]
    assert [k["name"] for k in found["medians"].keys] == ["a/box", "b/box"]
    low, high, _ = found["medians"].tables["band"].rows[0]  # of the same batch size
    assert 0 < low < high
    other = [r if r.weak else replace(r, rows=tuple(row._replace(batch=3) for row in r.rows)) for r in results]
    curves = next(c for c in charts(other) if c.kind == "medians")
    assert curves.tables["band"].rows == []


def test_a_set_without_a_score_stands_in_no_chart(results):
    refused = [replace(r, why="failed the check") if r.org == "b" else r for r in results]
    assert charts([r for r in refused if not r.weak]) == charts(results[:1]) == charts([]) == []
    assert "b/box" not in str([(c.keys, c.tables) for c in charts(refused)])


def test_a_system_looks_the_same_in_all_charts_of_a_page(results):
    looks = {k["name"]: k["c"] for chart in charts(results) if chart.marks != "block" for k in chart.keys}
    assert {name.partition(",")[0]: c for name, c in looks.items()} == {"a/box": 0, "b/box": 1}
    assert looks_of([*results, *results]) == {"a/box": 0, "b/box": 1}


def test_the_time_is_shown_for_each_division_and_scaling_apart(results):
    """Shares add up to 100, beside the seconds of all; those of parts are drawn unless all span a factor of ten."""
    strong = [r for r in results if not r.weak]
    shares, seconds = parts(strong)
    of_a = [row[2] for row in shares.tables["parts"].rows if row[1] == "52 s  a/box"]
    assert sum(of_a) == pytest.approx(100) and (shares.kind, seconds.kind) == ("shares", "time")
    assert shares.sets == seconds.sets == ids(strong) and "closed division" in seconds.caption
    assert "closed and open division" in next(parts([strong[0], opened(strong[1])])).caption
    far = tuple(row._replace(total_ms=row.total_ms * 10) for row in strong[1].rows)
    assert [c.kind for c in parts([strong[0], replace(strong[1], rows=far)])] == ["shares"]
    assert list(parts(strong[:1])) == []
    for chart in charts(results):
        if chart.kind in ("shares", "time"):
            assert "throughput" not in str(chart.tables) and len({row[1] for row in chart.tables["parts"].rows}) == 2


def opened(r):
    """The set in the open division."""
    return replace(r, group=(*r.group[:4], "open"))


def test_every_chart_has_the_sets_of_one_division_and_scaling(results):
    """As found: scatter charts mixed divisions, so that a choice of one left the other's sets in them."""
    strong = [r for r in results if not r.weak]
    found = charts([*strong, *map(opened, strong)])
    kinds = ["ranks", "medians", "factors", *KINDS]
    assert sorted(c.kind for c in found) == sorted(2 * kinds)
    for kind in kinds:
        assert ["open" in c.caption for c in found if c.kind == kind] == [False, True]
    assert charts([strong[0], opened(strong[1])]) == []
    assert all(sorted(c.sets) == sorted(ids(strong)) for c in charts(results))


def test_charts_show_the_means_of_the_sets(results):
    """Minutes with half their interval, and the two columns of each scatter chart; where these are speed and
    convergence, the batch at each mark."""
    found = {chart.kind: chart for chart in charts(results)}
    strong = [r for r in results if not r.weak]
    strong_of = found["strong"].tables
    assert [row[1:4] for row in strong_of["points"].rows] == [("a/box", 4, 52 / 60), ("b/box", 8, 102 / 60)]
    for r, row in zip(strong, strong_of["ybars"].rows, strict=True):
        assert row[1:] == (r.one("units"), pytest.approx((r.fom - half(r)) / 60), pytest.approx((r.fom + half(r)) / 60))
    columns = {"batch": ("batch", "passes"), "rate": ("batch", "compute_rate"), "joint": ("compute_rate", "passes")}
    for kind, (x, y) in (columns | {"units": ("units", "compute_rate")}).items():
        tables = found[kind].tables
        assert [row[2:4] for row in tables["points"].rows] == [(r.mean(x), r.mean(y)) for r in strong]
        spread = [(r.mean(x), r.mean(y) - r.deviation(y), r.mean(y) + r.deviation(y)) for r in strong]
        assert [row[1:] for row in tables["ybars"].rows] == [pytest.approx(bar) for bar in spread]
    for _, _, rate, passes, batch, _ in found["joint"].tables["points"].rows:
        assert batch == 8 and (rate, passes, "8") in found["joint"].tables["labels"].rows
    for s, name, share, seconds, total in found["time"].tables["parts"].rows:
        r = next(r for r in strong if r.label == name)
        assert (seconds, total) == (r.mean(f"{PARTS[s]}_ms") / 1000, r.mean("total_ms") / 1000)
        assert share == pytest.approx(100 * seconds / total)


def test_lines_of_equal_time_cross_the_area_of_the_sets(results):
    """Passes x samples / throughput is the time that stands at the line's end."""
    chart = next(chart for chart in charts(results) if chart.kind == "joint")
    samples = results[0].mean("train_samples")
    places = [row[2:4] for row in chart.tables["points"].rows]
    ends = [row[1:] for row in chart.tables["lines"].rows]
    times = {name: seconds for seconds, name in across.DURATIONS}
    labels = [row for row in chart.tables["labels"].rows if row[2] in times]
    assert len(ends) == 2 * len(labels) > 0
    for at, (x, y, name) in enumerate(labels):
        assert ends[2 * at + 1] == (x, y) and y * samples / x == pytest.approx(times[name])
        assert ends[2 * at][1] * samples / ends[2 * at][0] == pytest.approx(times[name])
    for axis in (0, 1):
        least, most = min(p[axis] for p in places) / 1.3, max(p[axis] for p in places) * 1.3
        assert all(least <= end[axis] * 1.001 and end[axis] <= most * 1.001 for end in ends)


def test_models_an_hour_are_over_the_units_of_all_models(tree, new_log):
    for org, instances in (("a", 2), ("b", 4)):
        tree.set([new_log.scaffold(50.0 + i, seed=i) for i in range(instances + 1)], org=org, scaling="weak")
    many = [r for r in tree.results() if r.throughput]
    chart = next(c for c in charts(many) if c.kind == "weak")
    wanted = [(r.label, r.throughput.total, r.throughput.models_per_hour) for r in many]
    assert [row[1:4] for row in chart.tables["points"].rows] == wanted and "many models at once" in chart.caption


def test_sizes_of_one_system_are_joined_with_their_efficiency(tree, new_log):
    for units, seconds in ((4, 80.0), (8, 50.0)):
        logs = [new_log.scaffold(seconds, seed=i, accelerators_per_node=units) for i in range(5)]
        tree.set(logs, org="a", system=f"box{units}")
    chart = next(c for c in charts(tree.results()) if c.kind == "strong")
    assert [row[1:] for row in chart.tables["joined"].rows] == [(4, 80 / 60), (8, 50 / 60)]
    assert {row[0] for row in chart.tables["joined"].rows} == {1}  # the smaller one's look
    assert {label for *_, label in chart.tables["labels"].rows if label} == {"100 %", "80 %"}


def test_ranks_are_on_one_axis_with_their_intervals(results, monkeypatch):
    chart = next(c for c in charts(results) if c.kind == "ranks")
    (_, row, name, rank, fom, low, high), second = chart.tables["sets"].rows
    assert (row, name, rank, fom) == ("1  a/box", "a/box", "1", 52) and low < 52 < high
    assert second[1] == "2  b/box" and len(chart.tables["runs"].rows) == 10
    monkeypatch.setattr(across, "MOST", 1)
    chart = next(c for c in charts(results) if c.kind == "ranks")
    assert len(chart.tables["sets"].rows) == 1 and chart.caption.endswith("; the first 1 sets of 2")


def test_sets_of_one_name_are_told_apart(results):
    strong, weak = (next(r for r in results if r.org == "a" and r.weak is is_weak) for is_weak in (False, True))
    assert names([strong]) == ["a/box"]
    assert names([strong, weak]) == ["a/box, closed", "a/box, closed, throughput"]
    assert names([strong, strong]) == ["a/box, closed 1", "a/box, closed 2"]


def test_ideal_scaling_starts_at_the_smallest():
    assert perfect([[(2, 10.0), (8, 20.0)], [(4, 1.0)]]) == [(2, 10.0, 8, 40.0, "")]
    assert perfect([[(8, 3.0), (2, 10.0)]], -1) == [(2, 10.0, 8, 2.5, "")]
    assert ideal([], 1) == []


def test_rates_have_a_look_a_series(tree, new_log):
    logs = [new_log.steps(units, rate=rate) for units, rate in ((1, 10.0), (2, 18.0), (4, 32.0))]
    tree.set(logs, org="<b>", system="scaled", scaling="throughput")
    (r,) = tree.results()
    lines = series(rates([r]))
    chart = rate_chart(lines, "caption")
    assert [k["name"] for k in chart.keys] == [s.name for s in lines]
    assert chart.tables["joined"].rows == [(0, 1, 10.0), (0, 2, 18.0), (0, 4, 32.0)]
    assert chart.tables["lines"].rows == [(0, 1, 10.0), (0, 4, 40.0)] and rate_chart([], "") is None
    assert chart.sets == ids([r])
