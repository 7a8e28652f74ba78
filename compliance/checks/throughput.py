"""THR: throughput sets, many instances of one training at the same time on one system."""

from collections.abc import Iterator
from typing import Any

from compliance.checks.system import _number, described
from compliance.facts import Facts
from compliance.finding import Fault, show
from compliance.rule import rule
from compliance.run import Law, is_number


@rule("THR01", "set", after=("RUN07", "THR02"))
def instances_fit_into_the_system(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The instances that run at the same time never have more nodes together than the system"""
    total = _total(place)
    if place.scaling != "weak" or total is None:
        return
    changes = []
    for run in runs:
        nodes = _nodes(run, law)
        if nodes and run.start_ms is not None and run.stop_ms is not None and run.start_ms < run.stop_ms:
            # A stop frees its nodes before a start at the same time takes some.
            changes += [(run.start_ms, 1, nodes, run), (run.stop_ms, 0, -nodes, run)]
    used = 0
    for _, _, nodes, run in sorted(changes, key=lambda c: c[:2]):
        used += nodes
        if used > total:
            line = run.line("number_of_nodes")
            yield Fault(line, f"{used:g} nodes at once with this instance", f"at most {total:g}", path=run.path)
            return


@rule("THR02", "set", after=("RUN07",))
def instances_say_their_scale(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """Every instance of a throughput set says how many nodes it ran on, one or more and not the whole system's"""
    if place.scaling != "weak":
        return
    total = _total(place)
    for run in runs:
        nodes = run.value("number_of_nodes")
        line = run.line("number_of_nodes")
        if (not is_number(nodes) or nodes < 1) and line not in run.lines:
            yield Fault(line, f"number_of_nodes {show(nodes)}", "a number from 1 on", path=run.path)
    scales = {_nodes(run, law) for run in runs}
    if law.edition.limits.system_nodes_logged and len(runs) > 1 and total is not None and scales == {total}:
        yield Fault(1, f"number_of_nodes {total:g}, the whole system's, in every instance", "the instance's own")


def _total(place: Any) -> float | None:
    description = described(place)
    return _number((description.data or {}).get("number_of_nodes")) if description else None


def _nodes(run: Facts, law: Law) -> float | None:
    """The nodes of an instance. Where logs may give the whole system's, the instance's ranks tell its own."""
    nodes, ranks, accelerators = (run.value(k) for k in ("number_of_nodes", "number_of_ranks", "accelerators_per_node"))
    if law.edition.limits.system_nodes_logged and all(is_number(v) and v > 0 for v in (ranks, accelerators)):
        return ranks / accelerators
    return nodes if is_number(nodes) and nodes > 0 else None
