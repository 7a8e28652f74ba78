"""The table of predicted times, of sets whose curves are known."""

from types import SimpleNamespace

import pytest

from results.tables.predicted import ROWS, columns, predictions
from tests.results.statistics.test_predicted import GROUP, ran


def sized(batch, devices, samples, step, org="a", division="closed", model="A100", **rest):
    """A set of one organisation with an accelerator model."""
    r = ran(batch, devices, samples, step, **rest)
    r.org, r.group = org, (*GROUP[:4], division)
    r.judged = SimpleNamespace(description={"accelerator_model_name": model})
    return r


def rows(table):
    return [[cell.words for cell in line.cells] for line in table.lines]


def test_each_systems_time_at_the_batch_sizes_of_all():
    sets = [sized(16, 4, 1600, 0.5), sized(64, 8, 6400, 0.5, org="b")]
    ((title, table, said),) = predictions(sets, lambda r: f"#{r.system}")
    assert title == "v1.0 · b · p · closed division · seconds without staging, predicted; * extrapolated"
    assert table.head == ["system", "batch 16", "batch 32", "batch 64"] and said == ""
    first, second = rows(table)
    assert first[:2] == ["s4 (a)", "50 (on 4: measured)"] and second[3] == "50 (on 8: measured)"
    assert first[3].startswith("50 * (on 16: ") and second[1].startswith("50 * (on 2: ")
    assert table.lines[0].cells[0].href == "#s4"


def test_a_single_batch_size_predicts_nothing():
    sets = [sized(16, 4, 1600, 0.5), sized(16, 8, 1600, 0.5), sized(32, 8, 1600, 0.5, division="open")]
    said = [(table, words) for _, table, words in predictions(sets)]
    assert said == [(None, f"Nothing can be predicted: all runs have a batch size of {n}.") for n in (16, 32)]
    assert predictions([sized(None, 4, 1600, 0.5)]) == []


def test_the_sizes_of_a_machine_share_a_row():
    sets = [sized(16, 4, 1600, 0.5), sized(64, 16, 6400, 0.5)]
    ((_, table, _),) = predictions(sets, lambda r: f"#{r.system}")
    assert table.lines[0].cells[0].href == "#s4"  # that of the first
    ((name, *times),) = rows(table)
    assert name == "s4 · s16 (a)" and times[1].startswith("50 (on 8: ") and "*" not in "".join(times)


def test_sizes_that_ran_one_batch_size_stand_alone():
    sets = [sized(16, 4, 1600, 0.5), sized(16, 8, 1600, 0.3), sized(64, 8, 6400, 0.5)]
    ((_, table, _),) = predictions(sets)
    assert [name for name, *_ in rows(table)] == ["s4 (a)", "s8 (a)"]


def test_a_batch_size_between_others_tells_how_far_lines_go():
    sets = [sized(16, 4, 2000, 1), sized(32, 4, 1000, 1), sized(64, 4, 5000, 1)]
    ((_, _, said),) = predictions(sets)
    assert said.endswith("samples to the target are off by +200 % at 32.")


def test_columns_between_batch_sizes_if_they_are_few():
    assert columns([1, 2, 8]) == [1, 2, 4, 8]
    assert columns([1, 4, 16, 64, 256]) == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert columns([1, 2, 4, 8, 16, 32]) == [1, 2, 4, 8, 16, 32]


def test_a_large_round_has_the_first_systems():
    sets = [sized(16 * (1 + i % 2), 4, 1600, 0.5, org=f"o{i}") for i in range(ROWS + 5)]
    ((_, table, _),) = predictions(sets)
    assert len(table.lines) == ROWS


def test_places_that_are_asked_for_are_columns():
    sets = [sized(16, 4, 1600, 0.5), sized(64, 8, 6400, 0.5, org="b")]
    ((_, table, _),) = predictions(sets, at=[(24, None), (64, 16), (64, 8), (99, 8)])
    assert table.head[4:] == ["batch 24", "batch 64 on 16", "batch 64 on 8", "batch 99 on 8"]
    first, second = rows(table)
    assert first[4].startswith("50 * (on 6: ") and first[5].startswith("50 * (on 16: ") and first[7] == "-"
    assert second[5].startswith("25 * (on 16: ") and second[6] == "50 (on 8: measured)"


@pytest.mark.parametrize(("at", "made"), [((16, 8), True), ((16, None), True), ((17, 8), False)])
def test_a_single_batch_size_is_predicted_on_other_devices(at, made):
    ((_, table, _),) = predictions([sized(16, 4, 1600, 0.5)], at=[at])
    assert bool(table) == made
