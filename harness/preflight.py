"""Judge runs before they are made, by the rules that judge runs: first the head of a run's log, then one measured step.

Both are made by train.py itself, started as a run, in a submission of their own. What an implementation does not write
(`--head`, `--steps`) cannot be judged beforehand.
"""

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.collect import collect
from benchmark.launch import end_with_parent
from benchmark.log import Event, read_log
from benchmark.source import ROOT
from benchmark.tree import THROUGHPUT, result_path, system_path
from harness.options import Setup
from harness.processes import ended, finish
from harness.runset import RunSet, duration, say
from harness.status import number
from rules.current import EDITION

FLOAT = 4  # bytes of a weight
MOST = 20  # findings that are printed
SOURCE = re.compile(r"/source/[0-9a-f]{12}/(.+)")  # a file of source within a submission
HEAD = ("--select", "HYP,RUN13,RUN14,SYS", "--ignore", "CLK,EVL")  # a head has no clock yet and no evaluation
CHOSEN = {"RUN13": "division", "RUN14": "status"}  # fields of the description that an option also chooses
SEVERITIES = ("error", "review", "warning", "info")
JUDGED = f"checked by the rules {EDITION}, the current edition"


@dataclass(frozen=True)
class Finding:
    """What the checker found, on one line."""

    severity: str
    text: str


@dataclass(frozen=True)
class Step:
    """A measured step: the checker's findings on its log, seconds of an epoch, and parameters; None for a number that
    the log does not tell."""

    findings: tuple[Finding, ...]
    epoch_seconds: float | None
    parameters: int | None


def judge_head(setup: Setup) -> tuple[Finding, ...]:
    """Have train.py write the head of a log, and return the checker's findings on it and on the system description.
    Raises ValueError if there is no head, or if the checker fails."""
    with setup.scratch() as folder:
        tree = folder / EDITION / setup.org
        log = result_path(tree, setup.system, setup.benchmark, 0)
        log.parent.mkdir(parents=True)
        setup.write_head(log)
        return judged(tree, setup, HEAD)


def measure_step(setup: Setup) -> Step:
    """Measure one step and have its log judged. Raises ValueError if it cannot be measured, or if the checker fails."""
    with setup.scratch() as folder:
        tree = folder / EDITION / setup.org
        log = result_path(tree, setup.system, setup.benchmark, 0, THROUGHPUT)
        if code := finish(setup.start(log, ["--steps", "1"])):
            raise ValueError(f"a first step was not measured: {ended(code)}")
        collect(tree, setup.source())
        found = judged(tree, setup)
        values = {event.key: event.value for event in read_log(log) if isinstance(event, Event)}
    parameters = values.get("parameter_count")
    return Step(found, epoch_seconds(values), parameters if type(parameters) is int else None)


def epoch_seconds(values: dict[str, Any]) -> float | None:
    """Return how long an epoch takes by the values of a measurement: as its log says, or else its samples over their
    rate, without evaluations; None if it tells neither."""
    told = values.get("throughput")
    told = told if isinstance(told, dict) else {}
    samples, rate = number(values.get("train_samples")), number(told.get("throughput"))
    return number(told.get("epoch_seconds")) or (samples / rate if samples and rate else None)


def judged(tree: Path, setup: Setup, rules: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Copy the system description into a tree, and return the checker's findings on the tree, by all rules or by those
    that these options of the checker choose. Raises ValueError if the checker fails."""
    described = system_path(tree, setup.system)
    described.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(system_path(setup.submission, setup.system), described)
    command = [sys.executable, str(ROOT / "compliance" / "check.py"), "--format", "json"]
    done = subprocess.run([*command, *rules, str(tree)], stdout=subprocess.PIPE, preexec_fn=end_with_parent)
    try:
        found = json.loads(done.stdout)["findings"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"compliance/check.py ended with {done.returncode}, wanted findings") from None
    findings = [Finding(f["severity"], one_line(f) + remedy(f["code"], setup)) for f in found]
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: SEVERITIES.index(finding.severity)))


def one_line(finding: dict[str, Any]) -> str:
    """Return a finding of the checker's JSON on one line, with its place if it is in a file of source."""
    parts = [f"{name} {finding[name]}" for name in ("found", "wanted") if finding.get(name)]
    place = SOURCE.search(finding.get("path", ""))
    text = f"{finding['code']} {finding['sentence']}" + (f" ({', '.join(parts)})" if parts else "")
    return f"{text} at {place[1]}:{finding['line']}" if place else text


def remedy(code: str, setup: Setup) -> str:
    """Return what to type where an option and the system description differ; "" for another rule. There is no log yet,
    so either may be changed."""
    if code not in CHOSEN:
        return ""
    name, path = CHOSEN[code], system_path(setup.submission, setup.system)
    value = json.loads(path.read_text(encoding="utf-8"))[name]
    return f': --{name} {value}, or correct "{name}" in {path}'


def forecast(runs: RunSet, todo: int, step: Step, at_once: int) -> list[str]:
    """Return lines on the `todo` runs to come, `at_once` at a time: their number, seconds and bytes. Raises ValueError
    if the disk is too small for their final weights."""
    published = runs.setup.published
    batch = runs.described.settings.get("batch_size") if runs.described else None
    point = published.reference_epochs.get(batch) if published and batch else None
    each = step.epoch_seconds
    took = (
        f"an epoch takes about {each:.1f} s here" if each else "the measured step does not say how long an epoch takes"
    )
    if each and point and point.median:
        seconds = math.ceil(todo / at_once) * point.median * each
        took += f", the reference took {point.median:g} epochs: about {duration(seconds)} in all"
    size, submission = todo * (step.parameters or 0) * FLOAT, runs.setup.submission
    free = shutil.disk_usage(submission).free
    if free < size:
        raise ValueError(f"{submission}: found {free} bytes free, wanted {size} for the runs' final weights")
    return [f"{todo} runs; {took}", f"final weights of {size / 1e6:.1f} MB, {free / 1e9:.1f} GB are free"]


def report(findings: tuple[Finding, ...], division: str, lines: Sequence[str] = ()) -> None:
    """Print findings, more lines, and by which rules the findings are."""
    for finding in findings[:MOST]:
        say(f"{finding.severity}: {finding.text}")
    if len(findings) > MOST:
        say(f"and {len(findings) - MOST} more")
    for line in lines:
        say(line)
    say(f"{JUDGED}, {division} division (--division)")
