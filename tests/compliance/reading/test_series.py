"""Packed series: what goes in comes out, as far as it is kept."""

import math

import pytest

from compliance.reading.series import MOST, Evaluation, Evaluations, Spans


def test_packed_series_give_back_what_was_put_in():
    items = [Evaluation(3, 1_790_000_000_123, 1.0, None, 0.5), Evaluation(9, 1_790_000_000_999, None, 64.0, math.pi)]
    packed = Evaluations(items)
    assert list(packed) == items and packed[-1] == items[1] and packed[:1] == items[:1]
    assert packed.curve == [(3, 0.5), (9, math.pi)]
    spans = Spans([(1, 5), (7, 1 << 50)])
    assert list(spans) == [(1, 5), (7, 1 << 50)] and spans[-1] == (7, 1 << 50)
    for series in (packed, spans):
        with pytest.raises(IndexError):
            series[2]


@pytest.mark.parametrize(("given", "kept"), [(MOST - 1, MOST - 1), (MOST, MOST), (MOST + 1, MOST)])
def test_so_many_are_kept(given, kept):
    assert len(Spans([(1, 2)] * given)) == len(Evaluations([Evaluation(1, 2, 3.0, 4.0, 0.5)] * given)) == kept
