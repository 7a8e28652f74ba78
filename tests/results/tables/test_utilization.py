"""Accelerator utilization in the tables: summary, CSV, HTML and comparison."""

import csv
import io

import pytest

from compliance.engine import judge
from results.differences import measures, sides
from results.statistics.result import summarize
from results.tables.text import csv_text, terminal_text
from results.tables.utilization import epochs_words, utilization_words
from results.tables.words import facts


def logs(new_log, waits, **ranks):
    found = []
    for i in range(5):
        log = new_log.scaffold(10.0 + i, epochs=4, seed=2**62 + i, number_of_ranks=2)
        stats = iter(waits)
        log.lines = [with_wait(line, stats, ranks) for line in log.lines]
        found.append(log)
    return found


def with_wait(line, waits, ranks):
    if '"tracked_stats"' not in line:
        return line
    wait = next(waits)
    more = f', "wait_by_rank": {{"mean": {wait}, "slowest": {ranks["slowest"]}}}' if ranks else ""
    return line.replace('"throughput"', f'"wait_seconds": {wait}, "compute_seconds": {1 - wait}{more}, "throughput"')


@pytest.fixture
def result(tree, new_log):
    def of(waits, **ranks):
        (found,) = summarize(judge([tree.set(logs(new_log, waits, **ranks))]), as_logged=True)
        return found

    return of


def test_in_words_and_columns(result):
    r = result([0.4, 0.1, 0.1, 0.0], slowest=0.5)
    said = "85.0 % (60.0 % in the first epoch, 93.3 % in later ones); with the barrier 50.0 %"
    assert utilization_words(r) == said and f"accelerator utilization: {said}" in terminal_text([r])
    assert epochs_words(r) == "1: 60.0 %, 2: 90.0 %, 3: 90.0 %, 4: 100.0 %"
    assert dict(facts(r))["accelerator utilization"] == said
    (row,) = csv.DictReader(io.StringIO(csv_text([r])))
    assert float(row["au"]) == pytest.approx(0.85) and float(row["au_barrier"]) == pytest.approx(0.5)
    assert row["au_by_epoch"] == "0.6000 0.9000 0.9000 1.0000"
    table = dict(measures(sides([r, r])))
    assert table["AU, %"][0].startswith("85") and table["AU with the barrier, %"][1].startswith("50")


def test_without_ranks_the_barrier_is_not_logged(result):
    r = result([0.4, 0.1, 0.1, 0.0])
    assert utilization_words(r).endswith("; with the barrier not logged")
    assert "AU with the barrier, %" not in dict(measures(sides([r, r])))


def test_logs_that_say_nothing_of_it(tree, new_log):
    runs = [new_log.scaffold(10.0, epochs=4, seed=2**62 + i) for i in range(5)]
    (r,) = summarize(judge([tree.set(runs)]), as_logged=True)
    assert utilization_words(r) == epochs_words(r) == "" and "accelerator utilization" not in terminal_text([r])
