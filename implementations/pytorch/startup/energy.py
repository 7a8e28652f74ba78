"""Measure the energy of a run. One rank of each node reads the node's counters, and rank 0 logs the readings of all
nodes.

Readings are taken at the start and end of the run, of staging, of epochs and of evaluations, without messages between
ranks. The nodes' readings are gathered once an epoch, after its evaluation, and at the end, when the clock has stopped.
"""

from typing import Any

from benchmark.energy.choice import Choice
from benchmark.energy.entry import MOMENTS, READING, SOURCES, Marked, event, sources, together, unreadable
from benchmark.energy.reader import Reader
from benchmark.run.log import RunLog

from ..parallel.layout import Layout


class EnergyMeter:
    """Takes the readings of this node, if this rank is the one to read its counters, and logs those of all nodes."""

    def __init__(self, reader: Reader | None, layout: Layout, members: list[list[int]], log: RunLog):
        self.reader, self.layout, self.members, self.log = reader, layout, members, log
        self.marked: list[Marked] = []

    def at(self, moment: str, facts: dict[str, Any]) -> None:
        """Read the counters at a moment of the log."""
        if self.reader and moment in MOMENTS:
            reading = self.reader.start() if moment == "run_start" else self.reader.read()
            epoch = {"epoch_num": facts["epoch_num"]} if "epoch_num" in facts else {}
            self.marked.append(Marked(moment, epoch, reading))

    def write(self) -> None:
        """Log the readings since the last call. All ranks must call it."""
        for nodes in zip(*filter(None, self.layout.gather(self.marked)), strict=True):
            value, facts = event(nodes, self.members)
            self.log.event(READING, value, **facts)
        self.marked = []

    def finish(self) -> None:
        """Take and log the last reading, after the clock has stopped."""
        if self.reader:
            self.marked.append(Marked("run_stop", {}, self.reader.stop()))
        self.write()


def announce(log: RunLog, layout: Layout, host: str, choice: Choice | None) -> EnergyMeter | None:
    """Log which counters are read: this rank's `choice`, if it is the one that reads its node's, and all others'.
    Return the meter, or None if no node has a counter. All ranks must call it."""
    mine = (sources(host, choice), {host: choice.unreadable}, choice.rehearsal) if choice else None
    nodes = [found for found in layout.gather(mine) if found]
    entries, members = together([counters for counters, _, _ in nodes])
    why = unreadable({host: why for _, hosts, _ in nodes for host, why in hosts.items()})
    log.event(SOURCES, entries, unreadable=why, rehearsal=any(rehearsal for *_, rehearsal in nodes))
    if not entries:
        return None
    meter = EnergyMeter(Reader(choice.counters) if choice else None, layout, members, log)
    log.on_edge = meter.at
    return meter
