"""Accelerator utilization from what epochs waited."""

from types import SimpleNamespace

import pytest

from compliance.reading.series import Waited, Waits
from results.runs.utilization import utilization


def run(*epochs, ranks=1, only=False):
    return SimpleNamespace(waits=Waits([Waited(*e) for e in epochs]), throughput_only=only, value=lambda key: ranks)


def columns(whole, first, later, barrier):
    return {"au": whole, "au_first": first, "au_later": later, "au_barrier": barrier}


def test_of_one_rank_the_barrier_changes_nothing():
    found = utilization(run((1, 2.0, 8.0, None, None), (2, 0.0, 10.0, None, None)))
    assert found == columns(0.9, 0.8, 1.0, 0.9)


def test_of_several_ranks_it_is_known_where_it_is_logged():
    epochs = (1, 2.0, 8.0, 1.0, 4.0), (2, 0.0, 10.0, 1.0, 2.0)
    assert utilization(run(*epochs, ranks=4)) == columns(0.9, 0.9, 0.9, pytest.approx(0.7))
    assert utilization(run(epochs[0], (2, 0.0, 10.0, None, None), ranks=4))["au_barrier"] is None


def test_a_single_epoch_has_no_later_ones_and_no_epoch_no_utilization():
    assert utilization(run((1, 5.0, 5.0, None, None))) == columns(0.5, 0.5, None, 0.5)
    assert utilization(run((1, 1.0, 1.0, 5.0, 9.0), ranks=2)) == columns(0.0, 0.0, None, 0.0)  # waits of more than all
    assert utilization(run()) == utilization(run((1, 1.0, 1.0, None, None), only=True)) == {}
