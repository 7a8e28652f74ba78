"""Make the submission of one system: data, system description, what can be judged beforehand, and the missing runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmark.run.layouts import propose
from benchmark.tree import WEAK, set_path, system_path
from harness.data import compare_data, has_data, make_data
from harness.implementation import Description, takes
from harness.options import Setup
from harness.preflight import forecast, judge_head, measure_step, report
from harness.processes import Share
from harness.registration import check_entry, request_of
from harness.rehearsal import rehearsed
from harness.runset import WRONG, RunSet, say
from harness.system import write_system
from harness.throughput import shares
from harness.witnessing.attendance import attendance
from rules.current import EDITION
from rules.edition import load


@dataclass(frozen=True)
class Wanted:
    """What is made. `runs` is how many runs there are to be, None for what the rules ask for. `only` is the one to
    make. `models` are trained at once (a throughput set), 0 for runs one after another. `check` makes no runs.
    `whole_node` asks for a layout where accelerators of this node would be idle. `witness` is the address of the
    round's witness. `keep_states` keeps the checkpoints of all epochs."""

    runs: int | None = None
    only: int | None = None
    anew: bool = False
    check: bool = False
    models: int = 0
    checkpoints: Path | None = None
    keep_states: bool = False
    whole_node: bool = False
    witness: str | None = None


def make_submission(setup: Setup, wanted: Wanted) -> int:
    """Make what is missing of the submission of one system. Return the exit code: 0 every run reached its target, 1
    some did not, or the rules refuse what is checked, 2 nothing could be made. Raises ValueError."""
    if not wanted.models:  # a throughput set takes no entry
        check_entry(setup)
    described, parts = describe(setup, wanted.models)
    if wanted.whole_node and not wanted.models:
        check_use(setup, described)
    runs = set_of(setup, wanted, described)
    if wanted.check:
        compare_data(setup.problem, setup.data, setup.problems)
    new, todo = write_system(setup, described, len(parts)), len(runs.todo(wanted.anew, wanted.only))
    if wanted.check:
        return int(not rehearsed(setup, described) or refused(runs, todo, True, len(parts)))
    if not setup.published:
        say(f"{setup.problem}: the rules of {EDITION} publish no such problem (LOG12): no round scores its runs")
    begins = wanted.anew or len(runs.missing()) == runs.runs
    if setup.published and todo and refused(runs, todo, begins, len(parts)):
        if new:  # what is refused leaves nothing behind
            system_path(setup.submission, setup.system).unlink()
        return WRONG
    make_data(setup.problem, setup.data, setup.problems)
    if not runs.runs:
        return 0
    if wanted.witness:
        metric = load(EDITION).benchmarks[setup.benchmark].metric
        runs = replace(runs, witness=attendance(wanted.witness, request_of(setup), metric))
    code = runs.make(parts, wanted.anew, wanted.only)
    return code if code == WRONG else runs.report(wanted.only)


def refused(runs: RunSet, todo: int, measure: bool, at_once: int) -> bool:
    """Return whether the rules refuse `todo` runs, by the head of a log, and to `measure`, by that of a measured step.
    The data are made in between. A step that is measured at once has a head of its own."""
    setup = runs.setup
    data = (setup.problem, setup.data, setup.problems)
    head = not (measure and takes(runs.described, "--steps") and has_data(*data))
    if head and refused_by_head(setup, runs.described):
        return True
    make_data(*data)
    return measure and refused_by_step(runs, todo, at_once)


def describe(setup: Setup, models: int) -> tuple[Description | None, Sequence[Share]]:
    """Return what a run would be, and the share of this node that each of the runs at once gets. Raises ValueError for
    runs that cannot be."""
    if not models:
        parts: Sequence[Share] = (Share(),)
        described = setup.describe()
    else:
        described = setup.describe(shares(setup.launcher.ranks, models, 0)[0])
        gpus = described.accelerators.count if described and described.device != "cpu" else 0
        parts = shares(setup.launcher.ranks, models, gpus)
    if described is None:
        say("train.py has no --describe: settings, devices and software are not known; complete the system description")
    return described, parts


def check_use(setup: Setup, described: Description | None) -> None:
    """Print how many of this node's accelerators a run uses. Raises ValueError if it would use one of several, and no
    option says how ranks are laid out."""
    if described is None or described.device == "cpu" or setup.launcher.words:
        return
    found, used = described.accelerators.count, setup.launcher.ranks
    if used == 1 < found and not setup.layout and not any(word.startswith("layout=") for word in setup.settings):
        batch = described.settings.get("batch_size")
        fits = " or ".join(propose(setup.definition, found, batch if isinstance(batch, int) else None))
        raise ValueError(f"--layout: found none, and {found} accelerators here, wanted {fits}, or 1,1,1,1 to use one")
    say(f"uses {used} of this node's {found} accelerators")


def set_of(setup: Setup, wanted: Wanted, described: Description | None) -> RunSet:
    """Return the set of runs. Raises ValueError if it would need options that train.py does not take."""
    for option, needed in (("--checkpoint", wanted.checkpoints), ("--keep-states", wanted.keep_states)):
        if needed and described and not takes(described, option):
            raise ValueError(f"{option}: found no such option in train.py, wanted one that writes checkpoints")
    asked = wanted.models or load(EDITION).benchmarks[setup.benchmark].runs
    count = asked if wanted.runs is None else wanted.runs
    if wanted.only is not None and wanted.only >= count:
        raise ValueError(f"--run: found {wanted.only}, wanted 0 to {count - 1}")
    if wanted.models:
        folder = set_path(setup.submission, setup.system, setup.benchmark, WEAK)
        return RunSet(setup, folder, count, described, what="model")
    folder = set_path(setup.submission, setup.system, setup.benchmark)
    return RunSet(setup, folder, count, described, wanted.checkpoints, keep_states=wanted.keep_states)


def refused_by_head(setup: Setup, described: Description | None) -> bool:
    """Return whether the rules refuse settings or description, and print why, before anything runs."""
    if not takes(described, "--head"):
        say("train.py has no --head, so that settings are not judged beforehand")
        return False
    errors = tuple(finding for finding in judge_head(setup) if finding.severity == "error")
    if errors:
        report(errors, setup.division)
    return bool(errors)


def refused_by_step(runs: RunSet, todo: int, at_once: int) -> bool:
    """Return whether the rules refuse the log of a measured step, and print the findings and a forecast."""
    if not takes(runs.described, "--steps"):
        say("train.py has no --steps, so that no step is measured beforehand")
        return False
    step = measure_step(runs.setup)
    report(step.findings, runs.setup.division, forecast(runs, todo, step, at_once))
    return any(finding.severity == "error" for finding in step.findings)
