"""The energy of a run: one rank of each node reads its counters, rank 0 writes what all nodes read into the log.

Readings are taken where the log has the edges of the run, of staging, epochs and evaluations, without a message between
ranks. What nodes read comes together once an epoch, behind its evaluation, and at the end, when the clock stands.
"""

from typing import Any, Protocol

from benchmark.energy.choice import choose
from benchmark.energy.entry import MOMENTS, READING, SOURCES, Marked, event, sources
from benchmark.energy.reader import Reader
from benchmark.launch import Launch

from ..parallel.layout import Layout


class Log(Protocol):
    """What this needs of the run's log."""

    passed: Any

    def event(self, key: str, value: Any = None, **metadata: Any) -> None: ...

    def late(self, key: str, value: Any, **metadata: Any) -> None: ...


class Device(Protocol):
    """What this needs of a rank's device: its host, and the uuid of an accelerator."""

    host: str
    uuid: str


class EnergyMeter:
    """Readings of this node, if its counters are this rank's to read, and the way of all nodes' into the log."""

    def __init__(self, reader: Reader | None, layout: Layout, nodes: int, log: Log):
        self.reader, self.layout, self.nodes, self.log = reader, layout, nodes, log
        self.marked: list[Marked] = []

    def at(self, moment: str, facts: dict[str, Any]) -> None:
        """Read the counters, at an edge of the log."""
        if self.reader and moment in MOMENTS:
            reading = self.reader.start() if moment == "run_start" else self.reader.read()
            epoch = {"epoch_num": facts["epoch_num"]} if "epoch_num" in facts else {}
            self.marked.append(Marked(moment, epoch, reading))

    def write(self, late: bool = False) -> None:
        """Log what was read since the last time. Where there are several nodes, all ranks must call it."""
        found = self.layout.gather(self.marked) if self.nodes > 1 else [self.marked]
        for nodes in zip(*filter(None, found), strict=True):
            value, facts = event(nodes)
            (self.log.late if late else self.log.event)(READING, value, **facts)
        self.marked = []

    def finish(self) -> None:
        """The last reading, when the clock stands."""
        if self.reader:
            self.marked.append(Marked("run_stop", {}, self.reader.stop()))
        self.write(late=True)


def announce(log: Log, layout: Layout, launch: Launch, device: Device) -> EnergyMeter | None:
    """Log which counters are read, and which can't be; None where no node has any. All ranks must call it."""
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
