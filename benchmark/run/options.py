"""The command line of an implementation: what the project's tools rely on (docs/implementing.md)."""

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmark.problem import UNREACHED

REQUIRED = ("--problem", "--data", "--log", "--org", "--system", "--division", "--status")
OPTIONAL = (  # that an implementation may leave out
    *("--layout", "--stage", "--checkpoint", "--resume", "--registry", "--entry", "--run", "--steps", "--trial"),
    *("--batch-from-table", "--rehearsal-seed", "--problems", "--config", "--describe", "--head", "--keep-states"),
)


def parse_options(
    description: str | None,
    arguments: Sequence[str],
    supported: Sequence[str] = OPTIONAL,
    add: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
) -> argparse.Namespace:
    """Return the options of a run. Those of OPTIONAL that are not `supported` are unknown; `add` adds the
    implementation's own. A wrong command ends the process with exit code 2."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    needed = "--describe" not in arguments
    parser.add_argument("--problem", required=True, help=f"smoke, scale6, ...; {UNREACHED}")
    parser.add_argument("--data", required=needed, type=Path, help="folder that benchmark/generate.py wrote")
    parser.add_argument("--log", required=needed, type=Path, help="log to write")
    parser.add_argument("--org", default="unnamed", help="who submits")
    parser.add_argument("--system", default="unnamed", help="name of the system description")
    parser.add_argument("--division", default="closed", choices=("closed", "open"))
    parser.add_argument("--status", default="onprem", choices=("onprem", "cloud", "research"))

    def optional(name: str, **about: object) -> None:
        if name in supported:
            parser.add_argument(name, **about)  # type: ignore[arg-type]  # argparse's own types
        else:
            parser.set_defaults(**{name.strip("-").replace("-", "_"): about.get("default")})

    optional("--layout", help="ranks by data,depth,height,width (default: all by data)")
    optional("--steps", type=int, default=0, help="only measure this many steps; such a log is never scored")
    optional("--stage", type=Path, help="folder on each node's own disk to copy the data to, on the clock")
    optional("--checkpoint", type=Path, help="this run's own folder for a checkpoint after every epoch")
    optional("--keep-states", action="store_true", default=False, help="keep the checkpoints of all epochs")
    optional("--resume", action="store_true", default=False, help="resume from the checkpoint, if there is one")
    optional("--registry", type=Path, help="registry.yaml of the round, which assigns the seed")
    optional("--entry", type=int, help="with --registry: the number of the entry")
    optional("--run", type=int, help="with --registry: which run of the entry (default: as the log's name)")
    optional("--trial", type=Path, help="folder of a campaign; result_<i>.txt is the log of its trial i")
    optional("--batch-from-table", metavar="TABLE:BATCH", help="settings of hpo_table.json for a batch size")
    optional("--rehearsal-seed", type=int, help="train with this seed; the checker refuses such a log")
    optional("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    optional("--config", type=Path, help="defaults instead of the problem's own")
    optional("--describe", action="store_true", default=False, help="print what would run as JSON, and make no run")
    optional("--head", action="store_true", default=False, help="write the head of the log, and make no run")
    add(parser)
    parser.add_argument("settings", nargs="*", metavar="field=value", help="settings on top of the defaults")
    options = parser.parse_intermixed_args(arguments)
    options.supported = [name for name in OPTIONAL if name in supported]
    options.settings += [f"layout=[{options.layout}]"] if options.layout else []
    if options.run is None and options.log and (number := re.fullmatch(r"result_(\d{1,9})\.txt", options.log.name)):
        options.run = int(number[1])
    if wrong := contradiction(options):
        parser.error(wrong)
    return options


def contradiction(options: argparse.Namespace) -> str:
    """Return what is wrong with options that contradict each other; "" if none do."""
    for name in ("resume", "keep_states"):
        if getattr(options, name) and not options.checkpoint:
            return f"--{name.replace('_', '-')}: found no --checkpoint, wanted --checkpoint DIR too"
    if (options.registry is None) != (options.entry is None):
        return "--registry: found one of --registry and --entry, wanted both or none"
    if options.registry and options.rehearsal_seed is not None:
        return "--rehearsal-seed: found --registry too, wanted one of them"
    if options.rehearsal_seed is not None and not 0 <= options.rehearsal_seed < 2**63:
        return f"--rehearsal-seed: found {options.rehearsal_seed}, wanted 0 to 2^63 - 1"
    if options.trial and (options.steps or options.checkpoint or options.registry or options.batch_from_table):
        return "--trial: found another of --steps, --checkpoint, --registry, --batch-from-table, wanted none"
    if options.registry and options.run is None and not options.describe:
        return f"--log: found {options.log.name}, wanted result_<i>.txt, or --run I"
    if options.steps < 0:
        return f"--steps: found {options.steps}, wanted 1 or more, or 0 for a run"
    if options.checkpoint and options.steps:
        return "--checkpoint: found --steps too, wanted one of them: measured steps cannot be resumed"
    if options.head and (options.steps or options.resume):
        return "--head: found another of --steps, --resume, wanted none"
    return ""
