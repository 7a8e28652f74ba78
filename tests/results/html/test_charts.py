"""The figures of one set, from the runs that the checker read."""

from results.html.charts import breakdown, curves, longest, sample, timeline


def test_a_line_a_run_and_the_target(new_log, read):
    runs = [read(new_log.scaffold(10.0, epochs=4)), read(new_log.scaffold(20.0, epochs=6))]
    drawn = curves(runs, 0.95)
    assert drawn.count('class="curve') == 2 and "target 0.95" in drawn and "eval_accuracy" in drawn
    assert curves([read(new_log.Log())], 0.95) == ""


def test_bars_of_where_the_time_went(new_log, read):
    runs = [read(new_log.scaffold(10.0, epochs=4))]
    drawn = breakdown(runs, set())
    assert "staging 0.500 of 10.000 s" in drawn and "dropped" in drawn
    assert "dropped" not in breakdown(runs, {runs[0].path})
    assert breakdown([read(new_log.scaffold(stop=False))], set()) == ""


def test_timelines_begin_together_where_runs_ran_together(new_log, read):
    runs = [read(new_log.scaffold(10.0, start=1_700_000_000_000 + wait)) for wait in (0, 5000)]
    assert (longest(runs, False), longest(runs, True)) == (10, 15)
    assert "since the first start" in timeline(runs, True) and "since its start" in timeline(runs, False)
    assert timeline([], False) == ""


def test_many_runs_are_sampled_evenly():
    assert sample(range(5)) == [0, 1, 2, 3, 4]
    shown = sample(range(1000), 40)
    assert len(shown) == 40 and (shown[0], shown[-1]) == (0, 999)
