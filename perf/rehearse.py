"""Rehearse a run on a machine that is not there: what ranks would keep and send, and whether they would wait for ever.

    python perf/rehearse.py --problem scale11 --layout 4,8,8,8 --system dgx-h100
    python perf/rehearse.py --problem scale9 --layout 4,2,2,4 --rank 0,37 --order 'tile=[1,2,2,2]'

On one core, with tensors that have shapes and no memory, ranks make their groups, a step, an evaluation of a sample
and a checkpoint. By default these are the first rank, one in the middle of the volume, and the last. Settings go at the
end; sharded weights (sharding=fsdp) are not rehearsed. Exit codes: 0 nothing stands against the run, 1 it does not fit
the memory, convolves tensors that 32-bit indices cannot number, or has ranks that call in different orders, 2 a wrong
command.
"""

import argparse
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.problem import load_problem
from benchmark.run.layouts import idle_replicas, validate_layout
from implementations.pytorch.config import resolve
from implementations.pytorch.parallel.layout import Layout
from perf.projection.machine import System, load_system
from perf.projection.op_costs import MOST
from perf.projection.record import Event
from perf.projection.trace import middle
from perf.rehearsal.rank import Rehearsal, rehearse
from perf.script import script
from perf.settings import reference_settings

GIB = 2**30


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", required=True, help="smoke, scale9, cosmoflow, ...")
    parser.add_argument("--layout", required=True, help="ranks by data,depth,height,width")
    parser.add_argument("--system", default="dgx-h100", help="of perf/systems, or a file (default: dgx-h100)")
    parser.add_argument("--memory", type=float, metavar="GIB", help="of a rank, instead of the system's")
    parser.add_argument("--rank", metavar="R,...", help="which (default: first, middle of the volume, last)")
    parser.add_argument("--order", action="store_true", help="print each call in order, not only their sums")
    parser.add_argument("settings", nargs="*", metavar="field=value", help="as for train.py")
    return parser.parse_intermixed_args(arguments)


def named(text: str) -> list[int]:
    """The ranks in a text such as 0,37. Raises ValueError for another text."""
    if not re.fullmatch(r"\d{1,6}(,\d{1,6})*", text):
        raise ValueError(f"--rank: found {text!r}, wanted numbers such as 0,37")
    return sorted(set(map(int, text.split(","))))


def chosen(layout: Layout) -> list[int]:
    """The first rank, one in the middle of the volume, and the last, whose replica may have no sample."""
    return sorted({0, middle(layout), layout.ranks - 1})


def difference(found: Sequence[Rehearsal]) -> str:
    """Where the calls of ranks differ first, in words; "" if all ranks call the same in the same order.

    Each kind of communicator divides the ranks among its groups, and every rank is in one of each. So if all ranks call
    the same kinds in the same order, the n-th call of a rank meets the n-th call of all others in its group, and no
    rank waits for one that waits for it.
    """
    first, *others = found
    for other in others:
        pairs = zip(first.events, other.events, strict=False)
        for number, (one, two) in enumerate(pairs):
            if one.alike != two.alike:
                return f"call {number}: rank {first.rank} {one.alike}, rank {other.rank} {two.alike}"
        if len(first.events) != len(other.events):
            return f"rank {first.rank} makes {len(first.events)} calls, rank {other.rank} {len(other.events)}"
    return ""


def faults(found: Sequence[Rehearsal], system: System) -> list[str]:
    """What stands against the run, in words."""
    said = []
    fullest = max(found, key=lambda one: one.bytes)
    if fullest.bytes > system.room:
        room = f"of {system.room / GIB:.1f} GiB that the system leaves"
        said.append(f"memory: rank {fullest.rank} takes {fullest.bytes / GIB:.1f} {room}")
    said += [f"32-bit indices: rank {one.rank}: {what}" for one in found[:1] for what in one.large]
    return said + [f"order: {where}" for where in [difference(found)] if where]


def show(found: Sequence[Rehearsal], order: bool) -> None:
    """Print what ranks keep, and what the one that sends the most calls."""
    rows = {"rank": [f"{one.rank}" for one in found], "place": [",".join(map(str, one.place)) for one in found]}
    for kind in found[0].memory:
        rows[f"GiB {kind}"] = [f"{one.memory[kind] / GIB:.2f}" for one in found]
    rows["GiB together"] = [f"{one.bytes / GIB:.2f}" for one in found]
    rows["GiB of a checkpoint"] = [f"{one.checkpoint / GIB:.2f}" for one in found]
    rows["largest tensor / 2^31"] = [f"{one.most / MOST:.2f}" for one in found]
    for name, cells in rows.items():
        print(f"{name:24}" + "".join(f"{cell:>12}" for cell in cells))
    one = max(found, key=lambda one: sum(event.sent for event in one.events))
    print(f"\ncalls of rank {one.rank}" + ("" if order else ", in the order in which each comes first"))
    for number, (stage, group, what, size, sent) in enumerate(one.events if order else ()):
        print(f"{number:6} {stage:14} {group:8} {what:17} {size:12} {sent:12}")
    if not order:
        show_sums(one.events)


def show_sums(events: Sequence[Event]) -> None:
    """Print a line for all calls of a kind in a stage."""
    kinds: dict[tuple[str, str, str], list[Event]] = {}
    for event in events:
        kinds.setdefault((event.stage, event.group, event.what), []).append(event)
    for (stage, group, what), alike in kinds.items():
        most, sent = max(event.bytes for event in alike) / 1e6, sum(event.sent for event in alike) / 1e6
        sizes = f"of {most:.3f} MB at most, {sent:.3f} MB to neighbours"
        print(f"{stage:14} {group:8} {what:17} {len(alike):4} x, {sizes}")


@script
def main(arguments: Sequence[str] | None) -> int:
    """Rehearse. Return the exit code."""
    args, start = parse(arguments), time.perf_counter()
    problem, system = load_problem(args.problem), load_system(args.system)
    if args.memory is not None:
        system = replace(system, memory_gib=args.memory, reserve_gib=min(system.reserve_gib, args.memory / 10))
    settings = [*args.settings, "compile=false", "device=cpu", f"layout=[{args.layout}]"]
    config = reference_settings(args.problem, ["precision=bfloat16", *settings])
    if config.sharding == "fsdp":
        raise ValueError("sharding: found fsdp, wanted ddp: project.py predicts the memory of sharded weights")
    layout = Layout.of(config.layout, config.tile)
    config = resolve(config, 1, layout.ranks)
    at_once = config.batch_size // config.accumulate
    validate_layout(layout.extents, layout.tile, problem, layout.ranks, at_once)
    ranks = named(args.rank) if args.rank else chosen(layout)
    if odd := [rank for rank in ranks if not 0 <= rank < layout.ranks]:
        raise ValueError(f"--rank: found {odd[0]}, wanted 0 to {layout.ranks - 1}")
    if warning := idle_replicas(layout.extents, problem, at_once):
        print(f"rehearse.py: {warning}", file=sys.stderr)
    found = [rehearse(problem, config, replace(layout, rank=rank)) for rank in ranks]
    print(f"{args.problem}, {layout.ranks} ranks, {len(found)} of them in {time.perf_counter() - start:.0f} s")
    show(found, args.order)
    said = faults(found, system)
    for line in said:
        print(f"rehearse.py: {line}", file=sys.stderr)
    print("nothing stands against it" if not said else f"{len(said)} things stand against it")
    return int(bool(said))


if __name__ == "__main__":
    sys.exit(main())
