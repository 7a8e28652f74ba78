"""Measure the energy of a run. One rank of each node reads the node's counters, and rank 0 logs the readings of all
nodes.

Readings are taken at the start and end of the run, of staging, of epochs and of evaluations, without messages between
ranks. The nodes' readings are gathered once an epoch, after its evaluation, and at the end, when the clock has stopped.
"""

from typing import Any

from benchmark.energy.choice import choose
from benchmark.energy.entry import MOMENTS, READING, SOURCES, Marked, event, sources
from benchmark.energy.reader import Reader
from benchmark.launch import Launch

from ..parallel.layout import Layout
from ..training.devices import Device
from ..training.events import RunLog


class EnergyMeter:
    """Takes the readings of this node, if this rank is the one to read its counters, and logs those of all nodes."""

    def __init__(self, reader: Reader | None, layout: Layout, nodes: int, log: RunLog):
        self.reader, self.layout, self.nodes, self.log = reader, layout, nodes, log
        self.marked: list[Marked] = []

    def at(self, moment: str, facts: dict[str, Any]) -> None:
        """Read the counters at a moment of the log."""
        if self.reader and moment in MOMENTS:
            reading = self.reader.start() if moment == "run_start" else self.reader.read()
            epoch = {"epoch_num": facts["epoch_num"]} if "epoch_num" in facts else {}
            self.marked.append(Marked(moment, epoch, reading))

    def write(self, late: bool = False) -> None:
        """Log the readings since the last call. If there are several nodes, all ranks must call it."""
        found = self.layout.gather(self.marked) if self.nodes > 1 else [self.marked]
        for nodes in zip(*filter(None, found), strict=True):
            value, facts = event(nodes)
            (self.log.late if late else self.log.event)(READING, value, **facts)
        self.marked = []

    def finish(self) -> None:
        """Take and log the last reading, after the clock has stopped."""
        if self.reader:
            self.marked.append(Marked("run_stop", {}, self.reader.stop()))
        self.write(late=True)


def announce(log: RunLog, layout: Layout, launch: Launch, device: Device) -> EnergyMeter | None:
    """Log which counters are read. Return the meter, or None if no node has a counter. All ranks must call it."""
    devices = layout.gather((device.host, device.uuid))
    mine = choose([uuid for host, uuid in devices if host == device.host and uuid]) if not launch.local_rank else None
    said = (sources(device.host, mine), {device.host: mine.unreadable}, mine.rehearsal) if mine else None
    nodes = [found for found in layout.gather(said) if found]
    every = [counter for counters, _, _ in nodes for counter in counters]
    unreadable = {host: why for _, hosts, _ in nodes for host, why in hosts.items() if why}
    log.event(SOURCES, every, unreadable=unreadable, rehearsal=any(rehearsal for *_, rehearsal in nodes))
    if not every:
        return None
    meter = EnergyMeter(Reader(mine.counters) if mine else None, layout, len(nodes), log)
    log.passed = meter.at
    return meter
