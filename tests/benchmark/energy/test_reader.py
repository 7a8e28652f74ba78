"""Readings on demand and in between: wraps, counters that stand still, and what the thread costs."""

import time

import pytest

from benchmark.energy.counter import Counter
from benchmark.energy.reader import FROZEN, LONGEST, OFTEN, WATTS, Reader
from benchmark.energy.sysfs import rapl


def still(count=5.0, wraps_at=None):
    return Counter("cray", "node", "node", 1.0, lambda: count, wraps_at=wraps_at)


def test_readings_of_files_that_wrap_are_the_integral(sysfs):
    """Two packages of 150 and 90 W; each second is read; one wraps at 1000 J."""
    seconds, watts, ranges = 15, (150, 90), (1000.0, 262143.0)
    reader = Reader(rapl_of(sysfs, watts, ranges, 0))
    first = reader.read()
    for second in range(1, seconds + 1):
        rapl_of(sysfs, watts, ranges, second)
        last = reader.read()
    assert first.joules == [0.0, 0.0]
    assert last.joules == pytest.approx([w * seconds for w in watts], rel=1e-9)
    assert last.faults == {} and first.time_ms <= last.time_ms


def rapl_of(sysfs, watts, ranges, second):
    """The packages after so many seconds."""
    for index, (draw, wraps_at) in enumerate(zip(watts, ranges, strict=True)):
        sysfs.package(index, joules=(900 + draw * second) % wraps_at, wraps_at=wraps_at)
    return rapl(sysfs.root)


def test_a_counter_that_stands_still_has_counted_nothing():
    reader = Reader([still(), Counter("nvml", "device", "a", 1e-3, iter(range(9)).__next__)])
    assert reader.start().joules == [0.0, 0.0]
    last = reader.stop()
    assert last.joules == [None, pytest.approx(0.001)] and last.faults == {0: FROZEN}


def test_a_file_that_vanishes_is_a_fault_from_then_on(sysfs):
    reader, path = Reader(rapl_of(sysfs, (1,), (1000.0,), 0)), sysfs.root / "class/powercap/intel-rapl:0/energy_uj"
    reader.read()
    path.unlink()
    assert reader.read().faults == {0: "no such file or directory"}
    sysfs.package(0, joules=950.0)
    assert reader.stop().joules == [None]


@pytest.mark.parametrize(
    ("wraps_at", "interval"),
    [(None, None), (1e9, LONGEST), (LONGEST * WATTS * OFTEN, LONGEST), (65_532.0, 65_532.0 / WATTS / OFTEN)],
)
def test_counters_are_read_four_times_a_wrap_at_least(wraps_at, interval):
    assert Reader([still(), still(wraps_at=wraps_at)]).interval == interval


def test_the_thread_reads_in_between_and_ends():
    counts = []
    counter = Counter(
        "rapl", "package", "p", 1.0, lambda: counts.append(1) or len(counts), wraps_at=WATTS * OFTEN / 100
    )
    reader = Reader([counter])
    reader.start()
    end = time.monotonic() + 5
    while len(counts) < 4 and time.monotonic() < end:
        time.sleep(0.01)
    last = reader.stop()
    assert not reader.thread.is_alive()
    assert last.joules == [len(counts) - 1] and len(counts) >= 5
    assert 0 < last.gap < 5


def test_without_wraps_there_is_no_thread():
    reader = Reader([still()])
    reader.start()
    assert reader.thread is None
    reader.stop()
