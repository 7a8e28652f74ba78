"""Packed series: what goes in comes out, as far as it is kept."""

import math

import pytest

from compliance.reading import series as module
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


def test_series_keep_so_many(monkeypatch):
    assert module.MOST == 20_000
    monkeypatch.setattr(module, "MOST", 2)
    assert len(Evaluations([Evaluation(i, i, None, None, 0.5) for i in range(3)])) == 2
    packed = Spans([(1, 5), (7, 9), (11, 12)])
    assert list(packed) == [(1, 5), (7, 9)]
    for one in (packed, Evaluations([Evaluation(1, 1, None, None, 0.5)])):
        with pytest.raises(IndexError):
            one[-3]
