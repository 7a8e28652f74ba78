"""Predict the memory, FLOPs, halos and seconds of a problem on a system that a few rates describe.

    python perf/project.py --problem scale11 --ranks 64 128 256 512 --system dgx-h200
    python perf/project.py --problem scale11 --ranks 512 --system dgx-h200 --target --epochs 4 7
    python perf/project.py --system dgx-h200 --calibrate build/result_*.txt > mine.yaml
    python perf/project.py --system ./mine.yaml --compare build/result_*.txt

For several numbers of ranks the table has the fastest layout that fits each; for a single number, all layouts. A step
is traced through the real network, without its memory and without the system. Logs come from `train.py --steps N`:
--calibrate prints the system with the rates that fit them best, and reports rates that they do not determine; --compare
prints measured beside predicted values. docs/scaling.md has the settings that count, the assumptions and their limits.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import pandas as pd

from benchmark.problem import UNREACHED, load_problem
from implementations.pytorch.config import RunConfig
from perf.projection.calibrate import calibrate
from perf.projection.machine import System, dump_system, load_system
from perf.projection.measured import read_measured, report
from perf.projection.predict import LADDER, Prediction
from perf.projection.search import best_of, busy, search
from perf.projection.table import COLUMNS, TARGET, details, origins, row, text_table
from perf.projection.target import assumed, epochs_of, target_row
from perf.script import script, want
from perf.settings import reference_settings

AUTO = "as the settings say, and more if memory is too small"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--problem", nargs="+", default=[], help=f"scale11, smoke, ...; several for one table; {UNREACHED}"
    )
    parser.add_argument("--ranks", type=int, nargs="+", help="numbers of ranks (default: 1)")
    parser.add_argument("--system", required=True, help="a name in systems/, or a file ending in .yaml")
    parser.add_argument("--layout", help="data,depth,height,width: this layout only, instead of --ranks")
    parser.add_argument("--target", action="store_true", help="print time, node-hours and energy to the target")
    parser.add_argument(
        "--epochs", type=float, nargs=2, metavar=("LEAST", "MOST"), help="to the target, where no points are known"
    )
    parser.add_argument("--recompute", choices=("auto", *LADDER), default="auto", help=f"auto: {AUTO}")
    parser.add_argument("--calibrate", type=Path, nargs="+", metavar="LOG", help="print the system that fits them")
    parser.add_argument("--compare", type=Path, nargs="+", metavar="LOG", help="print measured beside predicted values")
    parser.add_argument("--format", choices=("text", "csv", "json"), default="text")
    parser.add_argument("settings", nargs="*", metavar="field=value", help="settings on top of the defaults")
    return parser.parse_args(arguments)


def settings(args: argparse.Namespace, problem: Any) -> RunConfig:
    """The config of a problem with the changes of the command line. A precision that is left open is bfloat16."""
    layout = [f"layout=[{args.layout}]"] if args.layout else []
    config = reference_settings(problem.name, [*args.settings, *layout])
    return replace(config, precision="bfloat16") if config.precision == "auto" else config


def project(args: argparse.Namespace, name: str, system: System) -> list[dict[str, Any]]:
    """The rows of a problem's table. Raises ValueError for a wrong number of ranks."""
    problem = load_problem(name)
    config = settings(args, problem)
    epochs = assumed(*args.epochs) if args.epochs else epochs_of(problem, config.batch_size)

    def told(found: Prediction) -> dict[str, Any]:
        return {"problem": name, **row(found, system), **target_row(problem, system, found, epochs)}

    if config.layout:
        if args.ranks and args.ranks != [math.prod(config.layout)]:
            layout = ",".join(map(str, config.layout))
            raise ValueError(f"--ranks: found {args.ranks} beside layout {layout}, wanted one of the two")
        return [told(best_of(problem, config, system, config.layout, args.recompute))]
    rows = []
    for ranks in args.ranks or [1]:
        want(1, ranks=ranks)
        found = search(problem, config, system, ranks, args.recompute)
        if not found:
            print(f"project.py: {name}: {ranks} ranks: {idle(problem, config, ranks)}", file=sys.stderr)
        rows += map(told, found if single(args) else found[:1])
    return rows


def single(args: argparse.Namespace) -> bool:
    """Whether one number of ranks was asked for; details are then shown."""
    return len(args.ranks or [1]) == 1


def idle(problem: Any, config: RunConfig, ranks: int) -> str:
    """Why no layout has work for so many ranks, with the nearest numbers of ranks that have one."""
    known = busy(problem, config)
    near = [n for n in known if n < ranks][-1:] + [n for n in known if n > ranks][:1]
    wanted = " or ".join(map(str, near)) or "as many samples as parts"
    at = f"{problem.name} at batch {config.batch_size}" + f" in {config.accumulate} parts" * (config.accumulate > 1)
    return f"nothing to do for all of them: {at} wants {wanted}"


def show(args: argparse.Namespace, rows: list[dict[str, Any]], system: System) -> str:
    """The rows in the format asked for."""
    if args.format == "json":
        return json.dumps(rows, indent=2)
    if args.format == "csv":
        return pd.DataFrame(rows).to_csv(index=False).rstrip("\n")
    blocks = [f"{args.system}: {system.source}"]
    for name in args.problem:
        mine = [r for r in rows if r["problem"] == name]
        if not mine:
            continue
        table = text_table(mine, TARGET if args.target else COLUMNS)
        blocks.append(f"{name}, batch {mine[0]['batch']}, {mine[0]['precision']}\n{table}")
        if args.target:
            blocks.append(origins(mine[-1]))
        elif single(args):
            blocks.append(details(mine[0]))
    return "\n\n".join(blocks)


@script
def main(arguments: Sequence[str] | None) -> int:
    """Predict and print; return the exit code. Raises ValueError for what cannot be projected, and OSError for logs
    that cannot be read."""
    args = parse(arguments)
    system = load_system(args.system)
    if args.calibrate:
        found, doubts = calibrate([read_measured(log) for log in args.calibrate], system)
        for doubt in doubts:
            print(f"project.py: calibration: {doubt}", file=sys.stderr)
        print(dump_system(found, doubts).rstrip())
    elif args.compare:
        print(report([read_measured(log) for log in args.compare], system))
    elif args.problem:
        rows = [r for name in args.problem for r in project(args, name, system)]
        if not rows:
            return 2
        print(show(args, rows, system))
    else:
        raise ValueError("found nothing to do, wanted --problem, --calibrate or --compare")
    return 0


if __name__ == "__main__":
    sys.exit(main())
