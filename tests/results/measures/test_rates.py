"""Rates and utilization, as measures."""

import pytest

from results.measures.rates import busy, busy_epochs
from results.measures.registry import MEASURES


def test_a_rate_a_device_is_the_rate_over_the_units(results):
    (r,) = results
    whole, each = (MEASURES[f"train_samples_per_second{name}"].get(r) for name in ("", "_per_unit"))
    assert whole == pytest.approx(each * MEASURES["units"].get(r))
    assert MEASURES["run_samples_per_second"].get(r) <= whole


def test_utilization_by_epoch_is_nothing_where_no_log_has_it(results):
    (r,) = results
    assert busy(r) == (" ".join(f"{au:.4f}" for au in busy_epochs(r).values()) or None)
    assert (busy(r) is None) == (MEASURES["au"].get(r) is None)
