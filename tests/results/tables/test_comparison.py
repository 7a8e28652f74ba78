"""The comparison as text: nothing is called faster inside its interval, and what can't be compared has no ratio."""

import re
from dataclasses import replace

import pytest

from results.differences import pairs, sides
from results.statistics.energy import SetEnergy
from results.statistics.score import trimmed_mean
from results.tables.comparison import block, pair_words, text


@pytest.fixture
def made(tree, new_log):
    """Makes sets of five runs that take so many seconds: their results."""

    def make(*seconds, **facts):
        for number, each in enumerate(seconds):
            tree.set(new_log.five(each, 100 * number, epochs=5, **(facts if number else {})), org=f"org{number}")
        return tree.results()

    return make


def told(results):
    """What is said of each pair of sets."""
    found = sides(results)
    return [pair_words(pair, found) for pair in pairs(found)]


def whole(results):
    """The whole comparison."""
    found = sides(results)
    return text(found, pairs(found))


def test_the_verdict_names_the_faster_one_and_its_advantage(made):
    b, a = made(50, 100)
    ((words, *more),) = told([a, b])
    assert words.startswith("B is faster: A takes 1.96 times as long as B (95 %: ")
    assert more[0] == "of all pairs of their runs, that of B was faster in 100 %"
    assert whole([a, b]).splitlines()[1:6] == [f"A  {a.label}", f"B  {b.label}", "", words, f"   {more[0]}"]


def test_several_ratios_hold_at_once(made):
    (one,), several = told(made(50, 100)), told(made(50, 100, 200))
    assert "(95 %: " in one[0] and all("(95 % for all 2 ratios at once: " in words[0] for words in several)
    assert span_of(several[0][0])[0] < span_of(one[0])[0] < 1.96 < span_of(one[0])[1] < span_of(several[0][0])[1]


def span_of(words):
    return [float(x) for x in re.search(r": ([\d.]+) to ([\d.]+),", words).groups()]


def test_one_comparison_makes_one_statement(made):
    """Where no test tells means apart, no winner is named; where all runs separate, the sentence says so."""
    sets = made(50, 50.5)
    ((words, *more),) = told(sets)
    said = r"B takes 0.\d+ to 1.\d+ times as long as A \(95 %, [\d.]+ degrees of freedom\)"
    assert re.fullmatch(rf"A and B: no difference can be told: {said}", words)
    assert not any("faster" in line for line in more)
    fast, late = map(timed, sets, ((100, 101, 102, 103, 104), (105, 106, 150, 200, 290)))
    for one, other, name in ((fast, late, "A"), (late, fast, "B")):
        ((words, *more),) = told([one, other])
        assert words.startswith(f"{name} is faster: ") and "; every run of one is faster than every run of" in words
        assert more[0] == f"of all pairs of their runs, that of {name} was faster in 100 %"


def timed(r, seconds):
    """The set with runs that took so many seconds."""
    return replace(r, rows=tuple(row._replace(seconds=s) for row, s in zip(r.rows, seconds, strict=True)))


def test_a_faster_set_may_have_runs_that_are_slower(made):
    sets = list(map(timed, made(50, 100), ((50, 51, 52, 53, 150), (100, 101, 102, 103, 104))))
    ((words, more, *_),) = told(sets)
    assert words.startswith("A is faster: ") and "every run" not in words
    assert more == "of all pairs of their runs, that of A was faster in 80 %"


def test_sets_that_stage_on_different_sides_of_the_clock_are_told(made):
    a, b = made(50, 100)
    assert not any("stage" in line for line in told([a, b])[0][1:])
    early = replace(a, rows=tuple(row._replace(staging_ms=0, staged_ms=13_000) for row in a.rows))
    said = "A 0 s on the clock, 13 s before run_start, which no time counts; B 0.5000 s on the clock"
    assert f"they stage differently: {said}" in told([early, b])[0]
    assert f"Staged before run_start, which no time counts: {a.label}: 13 s." in whole([early, b])
    assert "\n  staged before the clock, s" in whole([early, b])


def test_energies_are_compared_where_they_are_of_one_kind(made):
    found = made(50, 100)

    def said(*energies):
        measured = [SetEnergy(tier, trimmed_mean(js), js, 1.0, None, None, 0.0) for tier, js in energies]
        return told([replace(r, energy=energy) for r, energy in zip(found, measured, strict=True)])[0][1]

    low, high = (10.0, 11.0, 12.0, 13.0, 14.0), (20.0, 22.0, 24.0, 26.0, 28.0)
    assert said(("node", low), ("node", high)).startswith("A takes 0.50 times the energy of B (95 %: ")
    assert said(("node", high), ("node", low)).startswith("A takes 2.00 times the energy of B (95 %: ")
    assert said(("node", low), ("node", low[::-1])).startswith("no difference in energy can be told: A takes 0.")
    assert said(("node", low), ("meter", high)) == "their energies are not compared: node counters and meter"
    apart = said(("node", (100.0, 101.0, 102.0, 103.0, 104.0)), ("node", (105.0, 106.0, 150.0, 200.0, 290.0)))
    assert "; every run of one takes less than every run of the other" in apart and "faster" not in apart
    rehearsed = said(("node", low), ("rehearsal", high))
    assert rehearsed == "their energies are not compared: node counters and rehearsal (no measurement)"


def test_throughputs_are_by_models_an_hour_and_never_slower(tree, new_log):
    for org, seconds in (("a", 100), ("b", 50)):
        logs = [new_log.scaffold(seconds, seed=i, start=1_700_000_000_000 + 1000 * i) for i in range(4)]
        tree.set(logs, org=org, scaling="weak")
    a, b = tree.results()
    said = "A makes 1.94 times as many models an hour as B (271.7 and 139.8)"
    once = ", each measured once, so that no interval is known"
    assert told([a, b])[0][0] == f"{said}, and 1.94 times as many a device (128 and 128 accelerators){once}"
    shown = whole([a, b])
    names = (
        "models an hour a device",
        "devices of the system (T)",
        "devices of a model (S)",
        "models (M)",
        "(TTTa), s",
    )
    assert all(name in shown for name in names)
    assert "\n  devices   " not in shown and "\n  nodes " not in shown  # of one model
    wide = replace(a, models=replace(a.models, total=512.0))
    assert told([wide, b])[0][0] == f"{said}, but B makes 2.06 times as many a device (512 and 128 accelerators){once}"


def test_every_part_is_there_and_long_values_are_cut(made):
    results = made(50, 100, precision="x" * 80)
    shown = whole(results)
    for name in ("measured", "settings (differences)", "source (differences)", "findings"):
        assert f"\n{name}" in shown
    settings = shown.partition("\nsettings")[2].partition("\nsource")[0]
    assert "x" * 57 + "..." in settings and "x" * 58 not in settings
    assert block("system", [], sides(results)) == ["system: none", ""]
