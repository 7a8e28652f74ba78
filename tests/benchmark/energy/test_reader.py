import pytest

from benchmark.energy.counter import Counter
from benchmark.energy.reader import FROZEN, LONGEST, OFTEN, WATTS, Reader
from tests.support.waiting import wait_for


def still(count=5.0, wraps_at=None):
    return Counter("cray", "node", "node", 1.0, lambda: count, wraps_at=wraps_at)


def test_a_counter_that_stands_still_has_counted_nothing():
    reader = Reader([still(), Counter("nvml", "device", "a", 1e-3, iter(range(9)).__next__)])
    assert reader.start().joules == [0.0, 0.0] and reader.thread is None  # without wraps
    last = reader.stop()
    assert last.joules == [None, pytest.approx(0.001)] and last.faults == {0: FROZEN}


@pytest.mark.parametrize(
    ("wraps_at", "interval"),
    [(None, None), (1e9, LONGEST), (LONGEST * WATTS * OFTEN, LONGEST), (65_532.0, 65_532.0 / WATTS / OFTEN)],
)
def test_counters_are_read_four_times_a_wrap_at_least(wraps_at, interval):
    assert Reader([still(), still(wraps_at=wraps_at)]).interval == interval


def test_the_thread_reads_in_between_and_ends():
    counts = []
    count = lambda: counts.append(1) or len(counts)  # noqa: E731
    reader = Reader([Counter("rapl", "package", "p", 1.0, count, wraps_at=WATTS * OFTEN / 100)])
    reader.start()
    wait_for(lambda: len(counts) >= 4)
    last = reader.stop()
    assert not reader.thread.is_alive()
    assert last.joules == [len(counts) - 1] and len(counts) >= 5 and last.gap > 0
