"""Counters and readings as events: nodes one after another, in the order of the sources."""

from benchmark.energy.choice import Choice
from benchmark.energy.counter import Counter
from benchmark.energy.entry import Marked, event, sources
from benchmark.energy.reader import Reading


def test_sources():
    counter = Counter("rapl", "package", "package-0", 1e-6, lambda: 1, wraps_at=262143.3, limit_watts=None)
    assert sources("n1", Choice((counter,), {})) == [
        {
            "node": "n1",
            "source": "rapl",
            "scope": "package",
            "device": "package-0",
            "wraps_at": 262143.3,
            "limit_watts": None,
        }
    ]


def test_a_reading_of_two_nodes():
    one = Marked("epoch_stop", {"epoch_num": 3}, Reading(1000, [1.0, 2.0], 0.5, {}))
    other = Marked("epoch_stop", {"epoch_num": 3}, Reading(1001, [None], 10.0004, {0: "gone"}))
    none = Marked("epoch_stop", {"epoch_num": 3}, Reading(1002, [], 0.0, {}))
    assert event([one, none, other]) == (
        {"time_ms": [1000, 1000, 1001], "joules": [1.0, 2.0, None]},
        {"moment": "epoch_stop", "epoch_num": 3, "gap_seconds": 10.0, "faults": {"2": "gone"}},
    )
