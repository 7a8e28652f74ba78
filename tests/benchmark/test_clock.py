import time

import pytest

from benchmark import clock


def test_it_is_the_systems_time_and_counts_on_when_that_is_set(monkeypatch):
    assert clock.now_ms() / 1000 == pytest.approx(time.time(), abs=60)
    assert abs(clock.set_by()) < 60
    times = [clock.now_ms() for _ in range(1000)]
    assert times == sorted(times) and all(type(at) is int for at in times)
    before, real = clock.now_ms(), time.time_ns
    monkeypatch.setattr(clock.time, "time_ns", lambda: real() - 3600 * 10**9)
    assert before <= clock.now_ms() < before + 60_000
    assert clock.set_by() == pytest.approx(-3600, abs=60)
