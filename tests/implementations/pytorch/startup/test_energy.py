"""The way of what nodes read. A run that reads counters is in test_describe.py."""

from types import SimpleNamespace

from benchmark.energy.counter import Counter
from benchmark.energy.reader import Reader
from implementations.pytorch.startup.energy import EnergyMeter

MEMBERS = [[0], [1]]  # each counter is an entry of its own


def test_what_nodes_read_comes_together():
    """Of three ranks of two nodes: this is the first, and the last one read the second node's counter."""
    written, counter = [], Counter("rapl", "package", "p", 1.0, iter(range(100)).__next__)
    log = SimpleNamespace(event=lambda key, value, **more: written.append((value["joules"], more["moment"])))
    layout = SimpleNamespace(gather=lambda mine: [mine, rank.marked, other.marked])
    meter, other = (EnergyMeter(Reader([counter]), layout, MEMBERS, log) for _ in range(2))
    rank = EnergyMeter(None, layout, MEMBERS, log)
    for moment in ("init_stop", "run_start", "epoch_start"):
        for one in (meter, other, rank):
            one.at(moment, {"samples_count": 3})
    meter.write()
    assert written == [([0.0, 0.0], "run_start"), ([2.0, 2.0], "epoch_start")]
    assert rank.marked == [] and meter.marked == []


def test_ranks_that_read_nothing_write_nothing():
    EnergyMeter(None, SimpleNamespace(gather=lambda mine: [mine]), [[0]], None).finish()
