"""Decide from the command line what a run is made of, before anything of it exists."""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.config import load_settings, read_bytes
from benchmark.launch import Launch, cores_of_rank, detect_launch
from benchmark.problem import load_problem
from benchmark.run.assigned import Assigned, read_assigned
from benchmark.run.layouts import idle_replicas, validate_layout
from benchmark.run.trial import Trial, open_trial

from ..config import config_path, gpu_of, resolve
from ..parallel.layout import Layout
from ..task import Task, build_task, config_class


@dataclass(frozen=True)
class Setup:
    """What a run is made of. `config_file` and `config_data` are the file of defaults and its bytes; `table` is the
    value of the log's event `settings_table`, of a run whose settings come from a table."""

    options: argparse.Namespace
    launch: Launch
    task: Task
    layout: Layout
    config_file: Path
    config_data: bytes
    trial: Trial | None = None
    assigned: Assigned | None = None  # on rank 0
    table: dict[str, Any] | None = None
    staging: Any = None  # an input.staging.Staging


def set_up(options: argparse.Namespace) -> Setup:
    """Return what a command line asks for. Raises ValueError, with found and wanted, and OSError."""
    launch = detect_launch()
    problem = load_problem(options.problem, options.problems)
    path = options.config or config_path(options.problem)
    data = read_bytes(path)
    trial = open_trial(options.trial, options.log, options.run) if options.trial else None
    # Loaded by every run, because an entry is registered with the digest of what a run without it loads.
    reads = options.registry and launch.rank == 0 and not options.describe
    assigned = read_assigned(options.registry, options.entry, options.run) if reads else None
    table, facts = settings_of_table(options, launch)
    config = load_settings(config_class(problem.workload), path, data, [*table, *options.settings])
    config = resolve(config, cores_of_rank(launch), launch.world_size)
    if config.device == "cuda":
        gpu_of(launch)
    at_once = max(1, config.batch_size // config.accumulate)  # a part has at least a sample
    validate_layout(config.layout, config.tile, problem, launch.world_size, at_once)
    layout = Layout.of(config.layout, config.tile, launch.rank)
    if launch.rank == 0 and (warning := idle_replicas(config.layout, problem, at_once)):
        print(f"train.py: {warning}", file=sys.stderr)
    if launch.launcher not in ("none", "torchrun") and not {"MASTER_ADDR", "MASTER_PORT"} <= os.environ.keys():
        # Here, because other runs do not load it. By this launcher those of one rank do, too: a study is one source.
        from benchmark.rendezvous import meet

        if not options.describe:
            meet(launch)
    staging = None
    if options.stage:
        from ..input.staging import Staging  # here, because other runs do not load it

        staging = Staging(options.stage, [])
    return Setup(options, launch, build_task(problem, config), layout, path, data, trial, assigned, facts, staging)


def settings_of_table(options: argparse.Namespace, launch: Launch) -> tuple[list[str], dict[str, Any] | None]:
    """Return the settings that --batch-from-table gives, and what the log says of them."""
    if not options.batch_from_table:
        return [], None
    from benchmark.tuning.table import settings_for_batch  # here, because other runs do not load it

    found = settings_for_batch(options.batch_from_table, options.problem, options.settings)
    if launch.rank == 0:
        print(f"train.py: {found.told}", file=sys.stderr)
    return found.settings, found.facts
