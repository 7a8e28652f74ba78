"""A run of one process: the head of its log in one call, and its end with the exit code that tools rely on."""

import json
import signal
import sys
import traceback
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.config import load_settings, read_bytes, shallow
from benchmark.environment.facts import Fact
from benchmark.launch import Launch, ending_signals
from benchmark.problem import load_problem
from benchmark.run import keys
from benchmark.run.describe import Implementation, description
from benchmark.run.devices import Device
from benchmark.run.environment import environment_of_process
from benchmark.run.errors import Aborted, WrongData, reason
from benchmark.run.files import LEDGER
from benchmark.run.log import RunLog, settings_digest, time_to_target
from benchmark.run.reader import drop_cached_pages
from benchmark.run.seeds import draw_seed
from benchmark.source import combine, install
from benchmark.workload import AnyProblem

ALONE = Launch(rank=0, world_size=1, local_rank=0, local_world_size=1, launcher="none")


@dataclass(frozen=True)
class Setup:
    """What a run of one process is made of. `config_file` is the file that the settings come from, and its bytes."""

    options: Namespace
    problem: AnyProblem
    config: Any
    config_file: tuple[Path, bytes]
    seed: int
    log: RunLog


def run_process(
    options: Namespace, implementation: Implementation, config: type, defaults: Path, train: Callable[[Setup], None]
) -> int:
    """Make a run as the options ask for, or describe it. Return the exit code.

    Settings are those of the class `config`: from --config or else from <problem>.yaml in the folder `defaults`, with
    field=value on top. `train` gets the setup, whose log has begun with the seed, and makes the run: it completes the
    head by `log_head`, starts the clock, and stops it. What goes wrong is one line on stderr. Of a run that reached its
    target, the time is one line on stdout.
    """
    try:
        problem = load_problem(options.problem, options.problems)
        path = options.config or defaults / f"{problem.name}.yaml"
        file = (path, read_bytes(path))
        settings: Any = load_settings(config, *file, options.settings)
        if options.describe:
            source = install().files_with(*file)
            print(json.dumps(description(implementation, problem, settings, ALONE, source)), flush=True)
            return 0
        log = RunLog(options.log)
    except (ValueError, OSError) as error:
        print(f"train.py: {reason(error)}", file=sys.stderr)
        return 2
    seed = draw_seed() if options.rehearsal_seed is None else options.rehearsal_seed
    setup = Setup(options, problem, settings, file, seed, log)
    return finish(log, attempt(setup, train), scored=not options.head)


def log_head(
    setup: Setup, device: Device, parameter_count: int, repeated: Mapping[str, Any], edition: str,
    framework: Mapping[str, Fact] | None = None, **versions: str,
) -> None:  # fmt: skip
    """Complete the head of the log, and register the start of the run in the ledger, unless --head asks for the head
    alone. `repeated` are the settings that the standard repeats under keys of its own, `edition` is that of the rules,
    `framework` has the framework's facts for the environment (`torch`, `backends`), which have no value without it, and
    `versions` are those of the framework's packages. Raises OSError."""
    log, config, options = setup.log, setup.config, setup.options
    log.problem(setup.problem, edition)
    log.machine([device], nodes=1, layout=(1, 1, 1, 1), tile=(1, 1, 1, 1))
    log.event("parameter_count", parameter_count)
    log.settings(config, repeated, **({} if device.kind == "cpu" else {"tf32": False}))
    files, config_file = install().files_with(*setup.config_file)
    log.source(files, config_file, **versions)
    log.environment(*environment_of_process(ALONE, setup.config_file, options.data, framework or {}))
    if not options.head:
        digests = combine(files.items()), settings_digest(shallow(config)), setup.problem.digest()
        log.register(setup.seed, *digests)
    log.end("init")


def attempt(setup: Setup, train: Callable[[Setup], None]) -> int:
    """Make the run, and stop its clock if it goes wrong. Return the exit code."""
    options, log = setup.options, setup.log
    for number in ending_signals():
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        org, system, division, status = options.org, options.system, options.division, options.status
        log.submission(setup.problem.workload, org, system, division, status)
        log.start("init")
        log.event(keys.mllog.SEED, setup.seed, source="os.urandom" if options.rehearsal_seed is None else "rehearsal")
        drop_cached_pages(options.data)
        make(setup, train)
        log.check_file()
        return 0
    except WrongData as error:
        code, why = 2, str(error)
    except Aborted as error:
        code, why = 1, str(error)
    except SystemExit as end:
        code = end.code if type(end.code) is int and end.code else 1
        signals = {128 + number: signal.Signals(number).name for number in ending_signals()}
        why = signals.get(code, f"the program ended by itself, with {end.code!r}")
    except OSError as error:
        code, why = 1, reason(error)
    except Exception as error:
        traceback.print_exc()
        code, why = 1, repr(error)
    log.stop(keys.ABORTED, why)
    print(f"train.py: {why}", file=sys.stderr)
    return code


def make(setup: Setup, train: Callable[[Setup], None]) -> None:
    """Have `train` make the run. Weights that cannot be written after the target was reached change nothing of the
    result, and one line says so. Raises Aborted if `train` returns and has not logged the end of a success."""
    log = setup.log
    try:
        train(setup)
    except OSError as error:
        if log.status != keys.SUCCESS:
            raise
        print(f"train.py: final weights not written: {reason(error)}", file=sys.stderr)
    if log.status != keys.SUCCESS and not setup.options.head:
        raise Aborted("the program returned without run_stop of a success")


def finish(log: RunLog, code: int, scored: bool) -> int:
    """Close the log and its ledger. Return the exit code."""
    try:
        head = log.finish()
        if head and not code:
            print(f"{log.path and log.path.parent / LEDGER}: head {head}", file=sys.stderr)
        if scored and not code and log.path:
            print(f"time to target: {time_to_target(log.path):.3f} s", flush=True)
    except (OSError, ValueError) as error:
        print(f"train.py: {reason(error)}", file=sys.stderr)
    return code
