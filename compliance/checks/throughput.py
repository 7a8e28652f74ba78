"""THR: throughput sets, many instances of one training at the same time on one system."""

from collections.abc import Iterator
from typing import Any

from compliance.checks.system import _number, described
from compliance.facts import Facts
from compliance.finding import Fault
from compliance.rule import rule
from compliance.run import Law


@rule("THR01", "set", after=("RUN07",))
def instances_fit_into_the_system(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The instances that run at the same time never have more nodes together than the system"""
    description = described(place)
    total = _number((description.data or {}).get("number_of_nodes")) if description else None
    if place.scaling != "weak" or total is None:
        return
    changes = []
    for run in runs:
        nodes = run.value("number_of_nodes")
        if type(nodes) is int and run.start_ms is not None and run.stop_ms is not None and run.start_ms < run.stop_ms:
            changes += [
                (run.start_ms, 1, nodes, run),
                (run.stop_ms, 0, -nodes, run),
            ]  # a stop frees before a start takes
    used = 0
    for _, _, nodes, run in sorted(changes, key=lambda c: c[:2]):
        used += nodes
        if used > total:
            line = run.line("number_of_nodes")
            yield Fault(line, f"{used} nodes at once with this instance", f"at most {total:g}", path=run.path)
            return


@rule("THR02", "set", after=("RUN07",))
def instances_say_their_scale(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """Every instance of a throughput set says how many nodes it ran on, and ran on at least one"""
    if place.scaling != "weak":
        return
    for run in runs:
        nodes = run.value("number_of_nodes")
        if type(nodes) is not int or nodes < 1:
            yield Fault(
                run.line("number_of_nodes"), f"number_of_nodes {nodes!r}", "an integer from 1 on", path=run.path
            )
