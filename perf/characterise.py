"""What workloads do in a training step beside what a machine allows: a table, and an extended roofline as SVG.

    python perf/characterise.py                                  # small problems, measured on this machine
    python perf/characterise.py --system dgx-h200                # the official sizes, predicted for a system file
    python perf/characterise.py --system ./mine.yaml --workload scale9:4,2,2,2 deepcam:16,1,1,1 --steps 0

By rank and step: operations, memory traffic, messages and bytes by communicator, and input. A workload is a problem
and the layout of its ranks. Operations and messages are counted by tracing the training code. So is memory traffic:
operands and results of each operation once. Beside it stands what hardware counters say (`perf stat`), or "none" where
they cannot be read, as on most virtual machines. Seconds are measured for this machine (`--system here`), and predicted
for others. --page writes the tables between the lines `<!-- characterise: SYSTEM -->` and `<!-- end -->` of a page.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.problem import load_problem
from benchmark.writing import write_text
from implementations.pytorch.config import resolve
from perf.projection.machine import System, load_system
from perf.roofline.counts import CHANNELS, Counts, ceilings, count
from perf.roofline.figure import figure
from perf.roofline.here import here, measure
from perf.settings import reference_settings

HERE = "here"
SMALL = ("smoke:1,1,1,1", "cosmoflow-mini:1,1,1,1", "deepcam-mini:1,1,1,1")
FULL = ("scale11:4,8,8,8", "cosmoflow:64,1,2,2", "deepcam:64,1,1,1")
COMPUTING = (
    "workload",
    "ranks",
    "samples",
    "TFLOP",
    "GB of memory",
    "GB counted",
    "GiB",
    "step s",
    "TFLOP/s",
    "nearest ceiling",
)
SENDING = ("workload", "communicator", "messages", "MB", "KB a message")
READING = ("workload", "MB read a rank", "MB/s a rank", "GB/s of all ranks", "of what storage gives")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", default=HERE, help="of perf/systems, or a file (default: here, this machine)")
    parser.add_argument("--workload", nargs="+", metavar="PROBLEM:LAYOUT", help="smoke:1,1,1,1, ...")
    parser.add_argument("--steps", type=int, default=3, help="that are measured, with --system here")
    parser.add_argument(
        "--out", type=Path, default=Path("build/roofline"), help="folder of the SVG, whose disk is read"
    )
    parser.add_argument("--page", type=Path, help="a page that gets the tables")
    parser.add_argument("--set", nargs="*", default=[], metavar="field=value", help="settings, as for train.py")
    return parser.parse_args(arguments)


def counted(text: str, system: System, args: argparse.Namespace) -> Counts:
    """The counts of a workload. Raises ValueError for a wrong problem or layout."""
    name, _, words = text.partition(":")
    try:
        extents = tuple(map(int, (words or "1,1,1,1").split(",")))
    except ValueError:
        extents = ()
    if len(extents) != 4:
        raise ValueError(f"--workload: found {text!r}, wanted such as scale11:1,8,8,8")
    problem, measured = load_problem(name), args.system == HERE
    if measured and math.prod(extents) > 1:
        raise ValueError(
            f"--workload: found {math.prod(extents)} ranks on this machine, wanted 1: steps of one are measured"
        )
    config = reference_settings(name, args.set)
    config = resolve(config, 1, 1) if measured else replace(config, precision=predicted(config.precision))
    config = replace(config, batch_size=max(config.batch_size, extents[0] * config.accumulate), layout=extents)
    found = count(problem, config, system, extents)
    if not measured:
        return found
    seconds, moved = measure(problem, config, args.steps)
    return replace(found, seconds=seconds, counted=moved)


def predicted(precision: str) -> str:
    """The precision that is predicted: "auto" is bfloat16."""
    return "bfloat16" if precision == "auto" else precision


def tables(found: Sequence[Counts], system: System) -> str:
    """The rates of a rank, and the three tables in Markdown."""
    computing, sending, read = [], [], []
    for one in found:
        roofs, ranks = ceilings(system, one.layout.ranks), one.layout.ranks
        named = f"{one.problem}, {','.join(map(str, one.layout.extents))}"
        known = "none" if one.counted is None else f"{one.counted / 1e9:.4g}"
        cells = [f"{one.samples}", f"{one.flops / 1e12:.4g}", f"{one.moved['memory'] / 1e9:.4g}", known]
        cells += [f"{one.memory / 2**30:.2f}", f"{one.seconds:.4g}", f"{one.rate / 1e12:.4g}", limit(one, system)]
        computing.append([f"{named}, {one.config.precision}", f"{ranks}", *cells])
        for communicator, (number, size) in one.messages.items():
            sending.append([named, communicator, f"{number}", f"{size / 1e6:.4g}", f"{size / number / 1e3:,.1f}"])
        stored = one.moved["storage"]
        share = stored / one.seconds / roofs["storage"]
        cells = [
            f"{stored / 1e6:.4g}",
            f"{stored / 1e6 / one.seconds:.4g}",
            f"{ranks * stored / 1e9 / one.seconds:.4g}",
        ]
        read.append([named, *cells, f"{100 * share:.3g} %"])
    parts = ((COMPUTING, computing), (SENDING, sending), (READING, read))
    peaks = [f"{name} {flops:.4g} TFLOP/s" for name, flops in asdict(system.peak_tflops).items()]
    rates = ", ".join([*peaks, *(f"{name} {speed / 1e9:.4g} GB/s" for name, speed in roofs_of(found, system))])
    told = f"A rank has at most: {rates}."
    return "\n\n".join([told, *(markdown(head, rows) for head, rows in parts if rows)])


def roofs_of(found: Sequence[Counts], system: System) -> list[tuple[str, float]]:
    """(channel, bytes/s of a rank): ranks of one node share one wire, and workloads on as many ranks a share of the
    storage."""
    roofs = ceilings(system, 1)
    wires = ["link", "network"] if system.link != system.network else ["link, network"]
    shared = {one.layout.ranks: ceilings(system, one.layout.ranks)["storage"] for one in found}
    speeds = [("memory", roofs["memory"]), *((name, roofs[name.partition(",")[0]]) for name in wires)]
    return speeds + [(f"storage of {ranks} rank{'s' * (ranks > 1)}", speed) for ranks, speed in sorted(shared.items())]


def limit(one: Counts, system: System) -> str:
    """The ceiling that is nearest above a workload, and the share of it that is reached."""
    roofs = ceilings(system, one.layout.ranks)
    shares = {channel: one.rate / (roofs[channel] * one.intensity(channel)) for channel in CHANNELS}
    shares[one.config.precision] = one.rate / (1e12 * getattr(system.peak_tflops, one.config.precision))
    nearest = max(shares, key=shares.__getitem__)
    return f"{nearest}, {100 * shares[nearest]:.3g} %"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---", *(["---:"] * (len(head) - 1))], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def drawn(args: argparse.Namespace, found: Sequence[Counts], system: System) -> str:
    """The chart."""
    used = sorted({one.config.precision for one in found})
    peaks = {precision: 1e12 * getattr(system.peak_tflops, precision) for precision in used}
    return figure(Path(args.system).stem, system.source, found, peaks, roofs_of(found, system))


def between(page: str, name: str, table: str) -> str:
    """The page with tables between its marks. Raises ValueError unless it has both, in this order."""
    mark = f"<!-- characterise: {name} -->"
    before, begin, rest = page.partition(mark)
    _, end, after = rest.partition("<!-- end -->")
    if not begin or not end:
        raise ValueError(f"found no {mark} with <!-- end --> after it")
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, print, draw, and return the exit code: 2 for a wrong command."""
    args = parse(arguments)
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        measured = args.system == HERE
        config = resolve(reference_settings("smoke", args.set), 1, 1)
        system = here(config.device, args.out, config.threads) if measured else load_system(args.system)
        found = [counted(text, system, args) for text in args.workload or (SMALL if measured else FULL)]
        text, name = tables(found, system), Path(args.system).stem
        print(f"{system.source}\n\n{text}")
        write_text(args.out / f"roofline-{name}.svg", drawn(args, found, system))
        if args.page:
            write_text(args.page, between(args.page.read_text(encoding="utf-8"), name, text))
    except (ValueError, OSError) as error:
        print(f"characterise.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
