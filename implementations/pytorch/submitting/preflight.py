"""Judge runs before they are made: first their settings, then one measured step, by the rules that judge runs."""

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmark.collect import collect, snapshot
from benchmark.log import Event, read_log
from benchmark.source import ROOT
from benchmark.tree import THROUGHPUT, result_path, system_path
from rules.limits import Published

from ..task import Task
from ..training.events import RunLog, Submission
from .campaign import Campaign, duration

FLOAT = 4  # bytes of a weight
MOST = 20  # findings that are printed
SOURCE = re.compile(r"/source/[0-9a-f]{12}/(.+)")  # a file of source within a submission
FORESEEN = "HYP,RUN13,RUN14,SYS"  # rules that can be judged before anything runs
CHOSEN = {"RUN13": "division", "RUN14": "status"}  # fields of the description that an option also chooses


@dataclass(frozen=True)
class Preflight:
    """The result of a measured step: findings, (severity, words) each, seconds of an epoch, and parameters."""

    findings: tuple[tuple[str, str], ...]
    epoch_seconds: float
    parameters: int

    @property
    def wrong(self) -> bool:
        """Return whether the rules refuse the runs."""
        return any(severity == "error" for severity, _ in self.findings)


def foresee(campaign: Campaign, names: Submission, task: Task, edition: str) -> tuple[tuple[str, str], ...]:
    """Return the findings on the settings that runs would log, and on the system description, before anything runs:
    (severity, words) each. Raises ValueError if the checker fails."""
    with tempfile.TemporaryDirectory(prefix="preflight-") as folder:
        tree = Path(folder) / edition / campaign.submission.name
        log = RunLog(made(result_path(tree, campaign.system, campaign.benchmark, 0)))
        log.submission(names, campaign.benchmark)
        log.event("problem", task.problem.name)
        log.event("train_samples", task.problem.train_samples)
        log.event("eval_samples", task.problem.validation_samples)
        log.event("global_batch_size", task.config.batch_size)
        log.event("precision", task.config.precision)
        log.hyperparameters(task)
        log.writer.close()
        found = judged(tree, campaign, FORESEEN)
    return findings_of(found, campaign)


def judged_by(edition: str, division: str) -> str:
    """Return which rules judged, and which option chooses them."""
    return f"judged by the rules {edition}, the newest in rules/, {division} division (--division)"


def findings_of(found: list[dict], campaign: Campaign) -> tuple[tuple[str, str], ...]:
    """Return (severity, words) of each distinct finding. If an option contradicts the description, the words say what
    to type."""
    return tuple(dict.fromkeys((f["severity"], words(f) + mend(f["code"], campaign)) for f in found))


def mend(code: str, campaign: Campaign) -> str:
    """Return what to type where an option and the system description differ; "" for another rule. There is no log yet,
    so either may be changed."""
    if code not in CHOSEN:
        return ""
    name, path = CHOSEN[code], system_path(campaign.submission, campaign.system)
    described = json.loads(path.read_text(encoding="utf-8"))[name]
    return f': --{name} {described}, or correct "{name}" in {path}'


def made(path: Path) -> Path:
    """Make the folder of a file. Return the file's path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def judged(tree: Path, campaign: Campaign, select: str = "") -> list[dict]:
    """Copy the description into a tree, and return the checker's findings on it. Raises ValueError if it fails."""
    described = system_path(campaign.submission, campaign.system)
    shutil.copyfile(described, made(system_path(tree, campaign.system)))
    command = [sys.executable, str(ROOT / "compliance" / "check.py"), "--format", "json", str(tree)]
    done = subprocess.run([*command, *(["--select", select] if select else [])], stdout=subprocess.PIPE)
    try:
        return json.loads(done.stdout)["findings"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"compliance/check.py ended with {done.returncode}, wanted findings") from None


def measure(campaign: Campaign, edition: str) -> Preflight | int:
    """Measure one step, started as a run, and have it judged in a tree like the submission's. Return the result, or the
    exit code if the step failed. Raises ValueError if the checker fails."""
    with tempfile.TemporaryDirectory(prefix="preflight-") as folder:
        tree = Path(folder) / edition / campaign.submission.name
        log = result_path(tree, campaign.system, campaign.benchmark, 0, THROUGHPUT)
        if code := campaign.start(log, ["--steps", "1"]):
            return code
        collect(tree, snapshot(*filter(None, [campaign.config_file])))
        found = judged(tree, campaign)
        values = {event.key: event.value for event in read_log(log) if isinstance(event, Event)}
    return Preflight(findings_of(found, campaign), values["throughput"]["epoch_seconds"], values["parameter_count"])


def words(finding: dict) -> str:
    """Return a finding of the checker's JSON on one line, with its place if it is in a file of source."""
    parts = [f"{name} {finding[name]}" for name in ("found", "wanted") if finding.get(name)]
    place = SOURCE.search(finding.get("path", ""))
    said = f"{finding['code']} {finding['sentence']}" + (f" ({', '.join(parts)})" if parts else "")
    return f"{said} at {place[1]}:{finding['line']}" if place else said


def plan(campaign: Campaign, found: Preflight, published: Published | None, at_once: int = 1) -> list[str]:
    """Return lines on the runs to come, `at_once` at a time: their number, seconds and bytes."""
    todo = sum(not standing.over for standing in campaign.standings())
    point = published.reference_epochs.get(campaign.config.batch_size) if published else None
    epochs, turns = point.median if point else None, math.ceil(todo / at_once)
    took = f"an epoch takes about {found.epoch_seconds:.1f} s here"
    if epochs:
        took += f", the reference took {epochs:g} epochs: about {duration(turns * epochs * found.epoch_seconds)} in all"
    size, free = room(campaign, found)
    return [f"{todo} runs; {took}", f"final weights of {size / 1e6:.1f} MB, {free / 1e9:.1f} GB are free"]


def room(campaign: Campaign, found: Preflight) -> tuple[int, int]:
    """Return the bytes of the final weights of the runs to come, and the free bytes of the disk."""
    todo = sum(not standing.over for standing in campaign.standings())
    return todo * found.parameters * FLOAT, shutil.disk_usage(campaign.submission).free


def want_room(campaign: Campaign, found: Preflight) -> None:
    """Raise ValueError if the disk is too small for the runs' final weights."""
    size, free = room(campaign, found)
    if free < size:
        raise ValueError(f"{campaign.submission}: found {free} bytes free, wanted {size} for the runs' final weights")


def report(found: Preflight, lines: list[str], say: Callable[[str], None]) -> None:
    """Print the findings, errors first, then the lines."""
    order = ("error", "warning", "review", "info")
    findings = sorted(found.findings, key=lambda finding: order.index(finding[0]))
    for severity, text in findings[:MOST]:
        say(f"{severity}: {text}")
    if len(findings) > MOST:
        say(f"and {len(findings) - MOST} more")
    for line in lines:
        say(line)
