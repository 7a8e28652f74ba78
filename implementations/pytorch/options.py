"""The command line of train.py."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from .io_trial.options import add_options, check_options


def parse_options(description: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options. A contradiction among them ends the process with exit code 2."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    needed = "--settings" not in arguments
    parser.add_argument("--problem", required=needed, help="smoke, scale6, ...")
    parser.add_argument("--data", required=needed, type=Path, help="folder that benchmark/generate.py wrote")
    parser.add_argument("--log", required=needed, type=Path, help="log to write")
    parser.add_argument("--org", default="unnamed", help="who submits")
    parser.add_argument("--system", default="unnamed", help="name of the system description")
    parser.add_argument("--division", default="closed", choices=("closed", "open"))
    parser.add_argument("--status", default="onprem", choices=("onprem", "cloud", "research"))
    parser.add_argument("--layout", help="ranks by data,depth,height,width (default: all by data)")
    parser.add_argument("--steps", type=int, default=0, help="only measure this many steps; such a log is never scored")
    parser.add_argument("--trace", type=Path, help="with --steps: folder for the profiler's traces, or a file *.json")
    add_options(parser)
    parser.add_argument("--stage", type=Path, help="folder on each node's own disk to copy the data to, on the clock")
    parser.add_argument("--checkpoint", type=Path, help="this run's own folder for a checkpoint after every epoch")
    parser.add_argument("--resume", action="store_true", help="resume from the checkpoint, if there is one")
    parser.add_argument("--registry", type=Path, help="registry.yaml of the round, which assigns the seed")
    parser.add_argument("--entry", type=int, help="with --registry: the number of the entry")
    parser.add_argument("--run", type=int, help="with --registry: which run of the entry (default: as the log's name)")
    parser.add_argument("--trial", type=Path, help="folder of a campaign; result_<i>.txt is the log of its trial i")
    parser.add_argument("--batch-from-table", metavar="TABLE:BATCH", help="settings of hpo_table.json for a batch size")
    parser.add_argument("--rehearsal-seed", type=int, help="train with this seed; the checker refuses such a log")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--config", type=Path, help="defaults instead of configs/<problem>.yaml")
    parser.add_argument("--settings", dest="show", action="store_true", help="print what may be set, and make no run")
    parser.add_argument("settings", nargs="*", metavar="field=value", help="settings on top of the defaults")
    parser.set_defaults(table=None)
    args = parser.parse_intermixed_args(arguments)
    if args.show:
        return args
    args.settings += [f"layout=[{args.layout}]"] if args.layout else []
    if args.resume and not args.checkpoint:
        parser.error("--resume: found no --checkpoint, wanted --checkpoint DIR too")
    if (args.registry is None) != (args.entry is None):
        parser.error("--registry: found one of --registry and --entry, wanted both or none")
    if args.registry and args.rehearsal_seed is not None:
        parser.error("--rehearsal-seed: found --registry too, wanted one of them")
    if args.run is None and (number := re.fullmatch(r"result_(\d{1,9})\.txt", args.log.name)):
        args.run = int(number[1])
    if args.trial and (args.steps or args.checkpoint or args.registry or args.batch_from_table):
        parser.error("--trial: found another of --steps, --checkpoint, --registry, --batch-from-table, wanted none")
    if args.registry and args.run is None:
        parser.error(f"--log: found {args.log.name}, wanted result_<i>.txt, or --run I")
    if args.steps < 0:
        parser.error(f"--steps: found {args.steps}, wanted 1 or more")
    if args.checkpoint and args.steps:
        parser.error("--checkpoint: found --steps too, wanted one of them: measured steps cannot be resumed")
    check_options(parser, args)
    if args.trace and not args.steps:
        parser.error("--trace: found no --steps, wanted --steps N too: a profiler slows a scored run down")
    return args
