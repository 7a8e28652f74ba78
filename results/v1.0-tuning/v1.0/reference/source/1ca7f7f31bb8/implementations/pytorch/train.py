"""Train on a problem until its target, and write the log that is checked.

    python implementations/pytorch/train.py --problem smoke --data data/smoke --log build/result_0.txt
    torchrun --nproc-per-node 4 -- implementations/pytorch/train.py --layout 2,2,1,1 ...

Exit codes: 0 the target was reached, 1 the run was aborted, 2 wrong data or a wrong command. Of a run that reached its
target stdout has one line, `time to target: 28.381 s`.
"""

import argparse
import os
import re
import sys
import traceback
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NoReturn

if not __package__:  # run as a file: look for modules where `python -m` would, as part of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    __package__ = f"implementations.{Path(__file__).resolve().parent.name}"
    if __package__.count(".") > 1:
        print(
            f"train.py: found {__package__!r}, wanted a folder without a dot in its name",
            file=sys.stderr,
        )
        sys.exit(2)

# What comes before the recorder is not loaded from cached bytecode, either.
prefix, sys.pycache_prefix = sys.pycache_prefix, os.devnull
import benchmark.installed  # noqa: F401
from benchmark.source import install

RECORDER = install()  # before other modules of the repository are loaded, so
sys.pycache_prefix = prefix
# ruff: noqa: E402

import torch
import torch.distributed as dist

from benchmark.config import read_bytes
from benchmark.launch import Launch, detect_launch
from benchmark.memory import keep_freed_memory
from benchmark.problem import load_problem
from benchmark.tree import LEDGER, combine
from benchmark.tuning.table import settings_from
from rules.registry import SOURCE

from .config import activation_type, config_path, gpu_of, load_config, resolve
from .input.reader import Reader, drop_cached_pages
from .input.staging import Staging
from .io_trial.options import add_options, check_options, needs_model
from .layers.blocks import parameter_count, recompute_blocks
from .layers.norm import fuse_norms
from .measuring.energy import announce
from .measuring.environment import log_environment
from .measuring.throughput import run_steps
from .parallel.layout import AXES, Layout, connect
from .parallel.layout_search import arrange, idle
from .task import Task, build_task, config_class
from .training.assigned import Assigned, read_assigned
from .training.average import average_of
from .training.checkpoint import Checkpoints, Origin, hold, open_checkpoints
from .training.compiled import log_compiled
from .training.devices import device_of, grouped
from .training.events import EDITION, RunLog, Submission, open_log
from .training.run import Run
from .training.seeds import seed_dropout, seed_weights
from .training.step import float32_facts, ieee_float32, warm_up
from .training.stop import Aborted, WrongData, lost_peer, watch_signals
from .training.stop import reason as why
from .training.told import told
from .training.trial import Trial, open_trial
from .training.watchdog import Watchdog, cuda_mark


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    needed = "--settings" not in (sys.argv if arguments is None else arguments)
    parser.add_argument("--problem", required=needed, help="smoke, scale6, ...")
    parser.add_argument("--data", required=needed, type=Path, help="folder that benchmark/generate.py wrote")
    parser.add_argument("--log", required=needed, type=Path, help="log to write")
    parser.add_argument("--org", default="unnamed", help="who submits")
    parser.add_argument("--system", default="unnamed", help="name of the system description")
    parser.add_argument("--division", default="closed", choices=("closed", "open"))
    parser.add_argument("--status", default="onprem", choices=("onprem", "cloud", "research"))
    parser.add_argument("--layout", type=layout_setting, help="ranks by data,depth,height,width (default: all by data)")
    parser.add_argument("--steps", type=int, default=0, help="measure so many steps instead: no run, and never scored")
    parser.add_argument("--trace", type=Path, help="with --steps: folder for the profiler's traces, or a file *.json")
    add_options(parser)
    parser.add_argument("--stage", type=Path, help="folder on each node's own disk to copy the data to, on the clock")
    parser.add_argument("--checkpoint", type=Path, help="folder of a run's own for a checkpoint after every epoch")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint, if there is one")
    parser.add_argument("--registry", type=Path, help="registry.yaml of the round, which assigns the seed")
    parser.add_argument("--entry", type=int, help="with --registry: the number of the entry")
    parser.add_argument("--run", type=int, help="with --registry: which run of the entry (default: as the log's name)")
    parser.add_argument("--trial", type=Path, help="folder of a campaign: the run is a trial of it, by the log's name")
    parser.add_argument("--batch-from-table", metavar="TABLE:BATCH", help="settings of hpo_table.json for a batch size")
    parser.add_argument("--rehearsal-seed", type=int, help="train with this seed; the checker refuses such a log")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--config", type=Path, help="defaults instead of configs/<problem>.yaml")
    parser.add_argument("--settings", dest="show", action="store_true", help="print what may be set, and make no run")
    parser.add_argument("settings", nargs="*", metavar="field=value", help="settings on top of the defaults")
    args = parser.parse_intermixed_args(arguments)
    if args.show:
        return args
    args.settings += [args.layout] if args.layout else []
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
        parser.error("--checkpoint: found --steps too, wanted one of them: steps are no run to go on with")
    check_options(parser, args)
    if args.trace and not args.steps:
        parser.error("--trace: found no --steps, wanted --steps N too: a profiler slows a scored run down")
    return args


def layout_setting(text: str) -> str:
    """The layout "2,1,1,1" as a setting."""
    return f"layout=[{text}]"


def prepare(
    args: argparse.Namespace,
    task: Task,
    layout: Layout,
    launch: Launch,
    log: RunLog,
    reader: Reader,
    checkpoints: Checkpoints | None,
    staging: Staging | None,
    assigned: Assigned | None,
    config_file: tuple[Path, bytes],
    trial: Trial | None = None,
) -> Run:
    """Everything before the clock: connect the ranks, draw the seed, build and warm up the model, log what will run."""
    problem, config = task.problem, task.config
    log.submission(Submission(args.org, args.system, args.division, args.status), problem.workload)
    if args.steps:
        log.event("throughput_only", True)
    if args.io_only:
        log.event("io_only", True)
    log.start("init")
    torch.set_num_threads(config.threads)
    device = torch.device(config.device)
    if device.type == "cuda":
        torch.cuda.set_device(gpu_of(launch))
        ieee_float32()
    else:
        keep_freed_memory()
    watchdog = None
    if device.type == "cuda" and layout.ranks > 1:
        watchdog = Watchdog(config.timeout_seconds, lambda why: lost(launch, log, staging, why), cuda_mark)
    layout = connect(layout, launch, device, config.timeout_seconds)
    if launch.local_rank == 0:
        drop_cached_pages(reader.root)
    origin, drawn = draw_seed(args, assigned)
    seed = layout.gather(drawn)[0]  # rank 0's, for all
    if checkpoints and checkpoints.resumed:
        seed = checkpoints.resumed.seed
    seed_weights(seed)
    real = needs_model(args)
    with nullcontext() if real else torch.device("meta"):
        model = task.build_model()
    model = model.to(device) if real else model
    seed_dropout(seed, layout.place[0], 0)
    if config.recompute or config.recompute_norms:
        recompute_blocks(model, "block" if config.recompute else "norms")
    compiled = config.compile and fuse_norms(model, activation_type(config))
    parameters = parameter_count(model)
    wrapped = task.parallelize(model, layout) if real else model
    average = average_of(wrapped, config.average_decay)
    optimizer = task.build_optimizer(model) if real else None
    if real:
        warm_up(task, wrapped, layout)

    log.event("seed", seed, **origin)
    log.event("problem", problem.name)
    log.event("problem_digest", problem.digest())
    log.event("rules_edition", EDITION)
    if trial:
        log.event("trial", trial.facts)
    log.event("target", problem.target)
    log_ranks(log, layout, launch, device)
    measured = not args.steps and not (checkpoints and checkpoints.resumed)
    energy = announce(log, layout, launch, device_of(device)) if measured else None
    log.event("train_samples", problem.train_samples)
    log.event("eval_samples", problem.validation_samples)
    log.event("global_batch_size", config.batch_size)
    log.event("precision", config.precision, **float32_facts(config.device))
    if config.compile:
        log_compiled(log, layout, compiled)
    log.event("parameter_count", parameters)
    log.hyperparameters(task)
    source = same_source(RECORDER.files_with(*config_file), layout)
    as_registered(args, assigned, task, source, layout)
    log.digests(config, *source)
    log_environment(log, layout, launch, device, args.data, config_file, source[0])
    if not (args.steps or args.io_only):
        log.launch(seed, combine(source[0].items()), config.digest(), problem.digest())
    log.end("init")
    return Run(
        task, layout, wrapped, average, optimizer, seed, reader, log, checkpoints, staging, watchdog, energy, trial
    )


def draw_seed(args: argparse.Namespace, assigned: Assigned | None) -> tuple[dict[str, Any], int]:
    """Where the seed comes from, as the log says it, and the seed: rank 0's counts."""
    if assigned:
        return {"source": SOURCE, "entry": assigned.entry.entry}, assigned.seed
    if args.rehearsal_seed is not None:
        return {"source": "rehearsal"}, args.rehearsal_seed
    return {"source": "os.urandom"}, int.from_bytes(os.urandom(8), "big") >> 1


def as_registered(
    args: argparse.Namespace, assigned: Assigned | None, task: Task, source: tuple[dict[str, str], str], layout: Layout
) -> None:
    """Hold what runs against the entry of its seed. Raises Aborted on all ranks where something differs."""
    names = (args.org, args.system, task.problem.workload, task.problem.name)
    digests = (combine(source[0].items()), task.config.digest())
    differs = layout.gather(assigned.difference(*names, *digests) if assigned else "")[0]
    if differs:
        raise Aborted(differs)


def lost(launch: Launch, log: RunLog, staging: Staging | None, why: str) -> None:
    """What a thread still does for a run whose main thread waits for ranks that are gone."""
    log.stop("aborted", why)
    finish(log)
    print(f"train.py: rank {launch.rank}: {why}", file=sys.stderr, flush=True)
    if staging:
        staging.clear()


def same_source(found: tuple[dict[str, str], str], layout: Layout) -> tuple[dict[str, str], str]:
    """The files that this rank has loaded. Raises Aborted on all ranks unless they are those of rank 0."""
    files, config = found
    first, *others = layout.gather((combine(files.items()), config))
    strays = [rank for rank, other in enumerate(others, 1) if other != first]
    if strays:
        raise Aborted(f"ranks {', '.join(map(str, strays))}: found other source than rank 0 has, wanted the same")
    return found


def log_ranks(log: RunLog, layout: Layout, launch: Launch, device: torch.device) -> None:
    """On how many nodes, ranks and accelerators, and how they are laid out."""
    log.event("number_of_nodes", launch.world_size // launch.local_world_size)
    log.event("number_of_ranks", layout.ranks)
    log.event("accelerators_per_node", launch.local_world_size if device.type == "cuda" else 0)
    log.event("devices", grouped(layout.gather(device_of(device))))
    log.event("layout", dict(zip(AXES, layout.extents, strict=True)), tile=list(layout.tile))


def attempt(args: argparse.Namespace, launch: Launch, log: RunLog, **parts: Any) -> int:
    """Run to the target and return the exit code; whatever goes wrong is logged, and said in one line."""
    silent = False
    try:
        run = prepare(args, launch=launch, log=log, **parts)
        if args.io_only:
            args.trial.begin(run)
        else:
            run_steps(run, args.steps, args.trace) if args.steps else run.to_target()
        log.check()
        return 0
    except WrongData as error:
        code, reason, silent = 2, str(error), error.everywhere and launch.rank > 0
    except Aborted as error:
        code, reason, silent = 1, str(error), launch.rank > 0
    except OSError as error:
        code, reason = 1, why(error)
    except BrokenProcessPool:
        code, reason = 1, "a reader process died"
    except BaseException as error:
        lost = isinstance(error, RuntimeError) and lost_peer(error)
        reason = f"another rank ended or cannot be reached: {first_line(error)}" if lost else repr(error)
        if not lost:
            traceback.print_exc()
        code = 1
    log.stop("aborted", reason)
    if not silent:
        print(f"train.py: rank {launch.rank}: {reason}", file=sys.stderr, flush=True)
    return code


def finish(log: RunLog) -> None:
    """Close the log, and say what stands for the ledger now."""
    try:
        head = log.finish()
        if head and log.status == "success":  # an error is one line
            print(f"{log.path.parent / LEDGER}: head {head}", file=sys.stderr)
    except (OSError, ValueError) as error:
        print(f"train.py: {log.path.parent / LEDGER}: {why(error)}", file=sys.stderr)


def say(log: RunLog) -> None:
    """The one line on stdout, which is for other tools. A run that reached its target did so, whoever can read it."""
    try:
        print(told(log.path), flush=True)
    except (OSError, ValueError) as error:
        print(f"train.py: {why(error)}", file=sys.stderr)


def first_line(error: BaseException) -> str:
    """The first line of an error's text."""
    return str(error).partition("\n")[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a run."""
    args = parse(arguments)
    try:
        if args.show:
            from .settings import tables  # which no run loads

            print(tables(args.problem), flush=True)
            return 0
        launch = detect_launch()
        problem = load_problem(args.problem, args.problems)
        path = args.config or config_path(args.problem)
        data = read_bytes(path)
        trial = open_trial(args.trial, args.log, args.run) if args.trial else None
        table, told = settings_from(args.batch_from_table, args.problem) if args.batch_from_table else ([], "")
        if told and launch.rank == 0:
            print(f"train.py: {told}", file=sys.stderr)
        args.settings = [*table, *args.settings, *(trial.settings if trial else [])]
        config = load_config(config_class(problem.workload), path, args.settings, data)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        config = resolve(config, cores, launch.local_world_size, launch.world_size)
        if config.device == "cuda":
            gpu_of(launch)
        kind = Reader
        if args.io_only:
            from .io_trial.trial import trial_of  # which no run loads

            args.trial = trial_of(args)
            kind = args.trial.reader
        at_once = config.batch_size // config.accumulate
        layout = arrange(config.layout, config.tile, problem, launch.rank, launch.world_size, at_once)
        if launch.rank == 0 and (wasteful := idle(layout, problem, at_once)):
            print(f"train.py: {wasteful}", file=sys.stderr)
    except (ValueError, OSError) as error:
        print(f"train.py: {why(error)}", file=sys.stderr)
        if args.show and isinstance(error, OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left has nowhere to go
        return 2
    task = build_task(problem, config)
    box = layout.box(problem.shape)
    reader = kind(args.data, problem, box, config.workers, config.prefetch, config.cache_gib)  # forks: no thread yet
    try:
        held = args.checkpoint and launch.rank == 0 and hold(args.checkpoint)  # as long as this process lives
        origin = Origin(problem, config, args.log)
        assigned = read_assigned(args.registry, args.entry, args.run) if args.registry and launch.rank == 0 else None
        opened = args.checkpoint and open_checkpoints(args.checkpoint, args.resume, origin)
        if launch.rank == 0 and not (opened and opened.resumed) and args.log.exists() and args.log.stat().st_size:
            raise ValueError(f"{args.log}: found a log, wanted a new one: nothing is written over")
        log = open_log(args.log if launch.rank == 0 else None, bool(opened and opened.resumed))
    except (OSError, ValueError) as error:
        print(f"train.py: {why(error)}", file=sys.stderr)
        reader.close()
        return 2
    staging = Staging(args.stage, []) if args.stage else None
    watch_signals(lambda number: (log.stop("aborted", number.name), finish(log), staging and staging.clear()))
    parts = {"task": task, "layout": layout, "reader": reader, "checkpoints": opened, "staging": staging}
    parts |= {"assigned": assigned, "trial": trial}
    code = attempt(args, launch, log, **parts, config_file=(path, data))
    finish(log)
    if code == 0 and log.path and not args.steps:
        say(log)
    reader.close()
    if staging:
        staging.clear()
    if held:
        held.close()
    if dist.is_initialized():
        leave(code)
    return code


def leave(code: int) -> NoReturn:
    """End this rank at once, as all is written: taking leave of ranks that are gone can take forever, and threads
    that libraries still run can abort an interpreter that ends in order. After a success ranks leave together."""
    if not code:
        # Without a device NCCL's barrier warns. init_process_group(device_id=...) would do too, but then every group is
        # split off the one of all ranks, which have to take part and to be alive.
        dist.barrier(device_ids=[torch.cuda.current_device()] if dist.get_backend() == "nccl" else None)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
