"""Build a run before its clock starts: connect the ranks, draw the seed, build and warm up the model, log the head."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import nn

from benchmark.energy.choice import choose
from benchmark.launch import Launch
from benchmark.memory import keep_freed_memory
from benchmark.run import keys
from benchmark.run.devices import Device, accelerator, processor
from benchmark.run.errors import Aborted
from benchmark.run.log import RunLog, settings_digest
from benchmark.run.reader import drop_cached_pages
from benchmark.run.seeds import draw_seed
from benchmark.source import combine, install
from rules.current import current

from ..config import RunConfig, activation_type, gpu_of
from ..layers.blocks import parameter_count, recompute_blocks
from ..layers.norm import fuse_norms
from ..parallel.layout import Layout, init_process_group
from ..training.average import average_of
from ..training.checkpoint import fixed
from ..training.run import Files, Run
from ..training.seeds import seed_weights
from ..training.state import TrainingState
from ..training.step import float32_facts, ieee_float32, warm_up
from ..training.watchdog import Watchdog, cuda_mark
from .environment import log_environment
from .setup import Setup

OnSilence = Callable[[str], None]


def build(setup: Setup, files: Files, on_silence: OnSilence, needs_model: bool = True) -> Run:
    """Return a run that is ready to start its clock, and write the head of its log. `on_silence` is called with the
    reason when the device waits for a lost rank. Without `needs_model` the network has shapes alone. Raises Aborted on
    all ranks where they differ."""
    options, task, log = setup.options, setup.task, files.log
    log.submission(task.problem.workload, options.org, options.system, options.division, options.status)
    if options.steps:
        log.event("throughput_only", True)
    if getattr(options, "io_only", False):
        log.event("io_only", True)
    log.start("init")
    seed, origin = seed_of(setup, files)
    log.event(keys.mllog.SEED, seed, **origin)
    log.problem(task.problem, current())
    if setup.trial:
        log.event("trial", setup.trial.facts)
    if setup.table:
        log.event("settings_table", setup.table)
    device = open_device(setup)
    watchdog = None
    if device.type == "cuda" and setup.layout.ranks > 1:
        # A new thread is on GPU 0, where asking for a mark would take half a GiB for every rank of the node.
        enter = partial(torch.cuda.set_device, torch.cuda.current_device())
        watchdog = Watchdog(task.config.timeout_seconds, on_silence, cuda_mark, enter)
    layout = init_process_group(setup.layout, setup.launch, device, task.config.timeout_seconds)
    drop_cached_pages(files.reader.root, setup.launch.local_rank, setup.launch.local_world_size)
    check_settings(layout, task.config)
    check_checkpoints(layout, files)
    seed = layout.gather(seed)[0]  # rank 0's, for all
    energy = log_machine(setup, layout, files)
    state = build_state(setup, layout, seed, log, needs_model)
    source = log_source(setup, layout, log)
    if not (options.steps or options.head or getattr(options, "io_only", False)):
        log.register(seed, source, task.config.digest(), task.problem.digest())
    log.end("init")
    return Run(task, layout, state, seed, files, watchdog, energy, setup.trial)


def seed_of(setup: Setup, files: Files) -> tuple[int, dict[str, Any]]:
    """Return the seed, and its origin for the log. Rank 0's counts. A resumed run keeps its seed."""
    rehearsal, assigned = setup.options.rehearsal_seed, setup.assigned
    seed, origin = draw_seed(), {"source": "os.urandom"}
    if assigned:
        seed, origin = assigned.seed, assigned.origin
    elif rehearsal is not None:
        seed, origin = rehearsal, {"source": "rehearsal"}
    resumed = files.checkpoints and files.checkpoints.resumed
    return resumed.seed if resumed else seed, origin


def check_settings(layout: Layout, config: RunConfig) -> None:
    """Raise Aborted on all ranks if they have different settings, but for those of the machine: each node chooses a
    precision "auto" for itself."""
    mine = fixed(config)
    if len(set(layout.gather(settings_digest(mine)))) > 1:
        first, *others = layout.gather(mine)
        rank, other = next((rank, other) for rank, other in enumerate(others, 1) if other != first)
        name = next(name for name in first if first[name] != other[name])
        raise Aborted(f"{name}: found {other[name]!r} on rank {rank}, wanted {first[name]!r}, as on rank 0")


def check_checkpoints(layout: Layout, files: Files) -> None:
    """Raise Aborted on all ranks if they resume after different epochs: some have looked at the folder before an
    earlier run, which was about to end, had written its last checkpoint."""
    resumed = files.checkpoints and files.checkpoints.resumed
    epochs = layout.gather(resumed.epoch if resumed else 0)
    if files.checkpoints and len(set(epochs)) > 1:
        found = f"checkpoints of {min(epochs)} to {max(epochs)} epochs on different ranks"
        raise Aborted(f"{files.checkpoints.root}: found {found}, wanted the same one: start the run again")


def open_device(setup: Setup) -> torch.device:
    """Prepare this process's threads and device."""
    device = torch.device(setup.task.config.device)
    torch.set_num_threads(setup.task.config.threads)
    if device.type == "cuda":
        torch.cuda.set_device(gpu_of(setup.launch))
        ieee_float32()
    else:
        keep_freed_memory()
    return device


def device_of(device: torch.device) -> Device:
    """Return the device of this process."""
    if device.type == "cpu":
        return processor()
    facts = torch.cuda.get_device_properties(device)
    return accelerator(device.type, facts.name, str(facts.uuid))


def build_state(setup: Setup, layout: Layout, seed: int, log: RunLog, needs_model: bool) -> TrainingState:
    """Return model, optimizer and average, warmed up, and log what they are. Without `needs_model` the model has shapes
    alone, and there is no optimizer."""
    task, config = setup.task, setup.task.config
    seed_weights(seed)
    with nullcontext() if needs_model else torch.device("meta"):
        model: nn.Module = task.build_model()
    model = model.to(config.device) if needs_model else model
    if config.recompute or config.recompute_norms:
        recompute_blocks(model, "block" if config.recompute else "norms")
    compiled = config.compile and fuse_norms(model, activation_type(config))
    log.event("parameter_count", parameter_count(model))
    wrapped = task.parallelize(model, layout) if needs_model else model
    optimizer = task.build_optimizer(model) if needs_model else None
    average = average_of(wrapped, config, task.problem.train_samples)
    if needs_model:
        warm_up(task, wrapped, layout)
    if config.compile:
        log_compiled(log, layout, compiled)
    log.settings(config, task.events(), **float32_facts(config.device))
    return TrainingState(wrapped, optimizer, average)


def log_compiled(log: RunLog, layout: Layout, compiled: bool) -> None:
    """Log whether the ranks could compile their kernels, and print a warning if they could not. Such a run is slower,
    so the checker wants all runs of a set to be alike (RUN07). Raises Aborted on all ranks if only some could."""
    ranks = layout.gather(compiled)
    if failed := [rank for rank, able in enumerate(ranks) if not able]:
        if len(failed) < len(ranks):
            names = ", ".join(map(str, failed))
            raise Aborted(f"compile: found kernels that ranks {names} could not compile, wanted all or none of them")
        if layout.rank == 0:
            why = "this run can't be in one set with runs whose kernels are (with compile=false none has any)"
            print(f"train.py: kernels are not compiled: {why}", file=sys.stderr)
    log.event("compiled", not failed)


def log_machine(setup: Setup, layout: Layout, files: Files) -> Any:
    """Log the numbers of nodes, ranks and accelerators, the devices, the layout, and which counters of energy are read.
    Return the meter of a scored run on nodes with counters. All ranks call it."""
    log, launch, device = files.log, setup.launch, device_of(torch.device(setup.task.config.device))
    nodes = sum(layout.gather(launch.local_rank == 0))  # which may have unequal numbers of ranks
    log.machine(layout.gather(device), nodes, layout.extents, layout.tile)
    scored = not (setup.options.steps or (files.checkpoints and files.checkpoints.resumed))
    return energy_meter(launch, layout, log, device, scored)


def energy_meter(launch: Launch, layout: Layout, log: RunLog, device: Device, scored: bool) -> Any:
    """Log which counters of energy a scored run reads. Return its meter, or None without counters. All ranks call it.
    Runs of all kinds on nodes with counters load the same modules, so that their source is the same."""
    devices = layout.gather((device.host, device.uuid))
    uuids = [uuid for host, uuid in devices if host == device.host and uuid]
    choice = choose(uuids) if launch.local_rank == 0 else None
    mine = choice and (device.host, len(choice.counters), choice.unreadable, choice.rehearsal)
    nodes = [found for found in layout.gather(mine) if found]
    if len(nodes) <= 64 and not any(count for _, count, *_ in nodes):
        why = {host: reasons for host, _, reasons, _ in nodes if reasons}
        if scored:
            log.event("energy_sources", [], unreadable=why, rehearsal=any(rehearsal for *_, rehearsal in nodes))
        return None
    from .energy import announce  # here, because a run without counters does not load it

    return announce(log, layout, device.host, choice) if scored else None


def log_source(setup: Setup, layout: Layout, log: RunLog) -> str:
    """Log the source that was loaded, and the environment. Return the source's digest. Raises Aborted on all ranks if a
    rank loaded other files, or if the registry's entry of the seed is of another run."""
    files, config_file = install().files_with(setup.config_file, setup.config_data)
    digest, config = combine(files.items()), setup.task.config
    first, *others = layout.gather((digest, config_file))
    if strays := [rank for rank, other in enumerate(others, 1) if other != first]:
        found = f"ranks {', '.join(map(str, strays))}: found other source than rank 0 has"
        raise Aborted(f"{found}, wanted the same")
    names = (setup.options.org, setup.options.system, setup.task.problem.workload, setup.task.problem.name)
    differs = setup.assigned.difference(*names, digest, config.digest()) if setup.assigned else ""
    if differs := layout.gather(differs)[0]:
        raise Aborted(differs)
    log.source(files, config_file, torch=torch.__version__)
    log_environment(log, layout, setup)
    return digest
