"""SYS: the devices that a run names: that they agree, and that they can have computed so fast."""

from collections.abc import Iterator

from benchmark.log import Event
from compliance.checks.clock import _seconds
from compliance.finding import Fault, show
from compliance.reading.devices import CPU, devices_of
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of, metadata
from compliance.reading.values import is_number
from compliance.rule import rule


@rule("SYS07", "log", after=("CLK04", "CLK10", "LOG06", "SYS08"))
def devices_can_compute_so_fast(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """The run computes no faster than its devices can"""
    limits, problem = terms.edition.limits.compute, terms.problem
    devices = devices_of(log, limits) if limits else None
    rates = list(_rates(log))
    if devices is None or problem is None or not problem.flops_per_sample or not rates:
        return
    peak, (rate, event) = devices.peak(limits), max(rates, key=lambda r: r[0])
    share = rate * problem.flops_per_sample / peak if peak else 0.0
    if share >= limits.review:
        where = f"{devices.number} of kind {devices.kind} at {devices.precision}"
        found = f"{rate:.4g} samples/s, {rate * problem.flops_per_sample:.3g} FLOP/s on {where}"
        wanted = f"below {limits.review:g} of {peak:.3g} FLOP/s"
        yield Fault(event.line, found, wanted, severity="" if share > 1 else "review")


@rule("SYS08", "log", after=("LOG06",))
def devices_agree(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """The device that a run computes on agrees with its numbers of accelerators and ranks"""
    event, number = log.first("hyperparameters"), log.value("accelerators_per_node")
    ranks, nodes = log.value("number_of_ranks"), log.value("number_of_nodes")
    device = event.value.get("device") if event and type(event.value) is dict else None
    if device is None or not all(type(n) is int for n in (number, ranks, nodes)):
        return  # HYP05 and LOG06 say so
    line = log.line("accelerators_per_node")
    if type(device) is not str:
        yield Fault(event.line, f"device {show(device)}", "the name of a kind of device")
    elif device == CPU:
        if number:
            yield Fault(line, f"{number} accelerators a node and device cpu", "none, or their kind as device")
    elif ranks > number * nodes:
        found = f"{ranks} ranks with device {show(device)} on {number * nodes} accelerators"
        yield Fault(line, found, "an accelerator for each rank")


def _rates(log: Log) -> Iterator[tuple[float, Event]]:
    """Samples a second, by the clock of each epoch, and as a throughput-only log says in all."""
    starts = {epoch_of(e): e for e in log.all("epoch_start")}
    for stop in log.all("epoch_stop"):
        seconds, samples = _seconds(starts.get(epoch_of(stop)), stop), metadata(stop, "samples_count")
        if seconds is not None and is_number(samples) and samples > 0:
            yield samples / max(seconds, 1e-3), stop  # stamps are whole milliseconds
    for event in log.all("throughput"):
        rate = event.value.get("throughput") if type(event.value) is dict else None
        if is_number(rate) and rate > 0:
            yield float(rate), event
