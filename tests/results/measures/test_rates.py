"""Rates and utilization, as measures."""

import pytest

from compliance.engine import judge
from results.measures.registry import MEASURES
from results.statistics.result import summarize
from results.tables.record import record
from results.tables.text import terminal_text
from results.tables.words import facts


def test_a_rate_a_device_is_the_rate_over_the_units(r):
    whole, each = (MEASURES[f"train_samples_per_second{name}"].get(r) for name in ("", "_per_unit"))
    assert whole == pytest.approx(each * MEASURES["units"].get(r))
    assert MEASURES["run_samples_per_second"].get(r) <= whole


def waiting(line, wait, slowest):
    """A line of an epoch's statistics, whose rank waited this share of a second, and the slowest one so much."""
    more = f', "wait_by_rank": {{"mean": {wait}, "slowest": {slowest}}}' if slowest else ""
    return line.replace('"throughput"', f'"wait_seconds": {wait}, "compute_seconds": {1 - wait}{more}, "throughput"')


@pytest.fixture
def waited(tree, new_log):
    """Makes a set of five runs of two ranks that waited these shares of each epoch."""

    def of(*waits, slowest=None):
        logs = new_log.five(10.0, 2**62, number_of_ranks=2)
        for log in logs:
            left = iter(waits)
            log.lines = [waiting(x, next(left), slowest) if '"tracked_stats"' in x else x for x in log.lines]
        (found,) = summarize(judge([tree.set(logs)]), as_logged=True)
        return found

    return of


def test_utilization_is_a_column_and_told_in_percent(waited):
    r = waited(0.4, 0.1, 0.1, 0.0, slowest=0.5)
    found = {name: value for name, value in record(r).items() if name.startswith("au")}
    assert found == pytest.approx(
        {"au": 0.85, "au_deviation": 0, "au_first": 0.6, "au_later": 14 / 15, "au_barrier": 0.5}
    )
    told = dict(facts(r))
    assert told["AU, %"].startswith("85") and told["AU with the barrier, %"].startswith("50")
    assert f"    AU, %: {told['AU, %']}\n" in terminal_text([r])


def test_what_the_logs_do_not_say_is_no_utilization(waited, r):
    told = dict(facts(waited(0.4, 0.1, 0.1, 0.0)))
    assert "AU, %" in told and "AU with the barrier, %" not in told
    assert not [name for name, _ in facts(r) if name.startswith("AU")]
