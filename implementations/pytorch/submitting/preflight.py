"""What is wrong with runs before they are made: their settings are judged, then a step of them is measured and judged,
by the rules that judge runs."""

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
FORESEEN = "HYP,RUN13,RUN14,SYS"  # rules of what is known before anything runs
CHOSEN = {"RUN13": "division", "RUN14": "status"}  # what an option chooses, which the description has, too


@dataclass(frozen=True)
class Preflight:
    """What one measured step told: findings, (severity, words) each, seconds of an epoch, and parameters of the
    model."""

    findings: tuple[tuple[str, str], ...]
    epoch_seconds: float
    parameters: int

    @property
    def wrong(self) -> bool:
        """Whether the rules refuse the runs."""
        return any(severity == "error" for severity, _ in self.findings)


def foresee(campaign: Campaign, names: Submission, task: Task, edition: str) -> tuple[tuple[str, str], ...]:
    """What the rules say of the settings that runs would log, and of the system description, before anything runs:
    (severity, words) each. Raises ValueError where the checker could not look."""
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
    """Which rules judged, and what chooses them."""
    return f"judged by the rules {edition}, the newest in rules/, {division} division (--division)"


def findings_of(found: list[dict], campaign: Campaign) -> tuple[tuple[str, str], ...]:
    """(severity, words) of each finding, once; of an option that the description contradicts, with what to type."""
    return tuple(dict.fromkeys((f["severity"], words(f) + mend(f["code"], campaign)) for f in found))


def mend(code: str, campaign: Campaign) -> str:
    """What to type where an option and the system description differ; "" for another rule. No log is there yet, so that
    either may be changed."""
    if code not in CHOSEN:
        return ""
    name, path = CHOSEN[code], system_path(campaign.submission, campaign.system)
    described = json.loads(path.read_text(encoding="utf-8"))[name]
    return f': --{name} {described}, or correct "{name}" in {path}'


def made(path: Path) -> Path:
    """A file's path, whose folder is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def judged(tree: Path, campaign: Campaign, select: str = "") -> list[dict]:
    """The checker's findings on a tree, beside whose logs the submission's description is put. Raises ValueError where
    it could not look."""
    described = system_path(campaign.submission, campaign.system)
    shutil.copyfile(described, made(system_path(tree, campaign.system)))
    command = [sys.executable, str(ROOT / "compliance" / "check.py"), "--format", "json", str(tree)]
    done = subprocess.run([*command, *(["--select", select] if select else [])], stdout=subprocess.PIPE)
    try:
        return json.loads(done.stdout)["findings"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"compliance/check.py ended with {done.returncode}, wanted findings") from None


def measure(campaign: Campaign, edition: str) -> Preflight | int:
    """Measure one step as a run is started, and have it judged in a tree like the submission's; or the exit code of a
    step that could not be made. Raises ValueError where the checker could not look."""
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
    """A finding of the checker's JSON on one line, with its place if it is in a file of source."""
    parts = [f"{name} {finding[name]}" for name in ("found", "wanted") if finding.get(name)]
    place = SOURCE.search(finding.get("path", ""))
    said = f"{finding['code']} {finding['sentence']}" + (f" ({', '.join(parts)})" if parts else "")
    return f"{said} at {place[1]}:{finding['line']}" if place else said


def plan(campaign: Campaign, found: Preflight, published: Published | None, at_once: int = 1) -> list[str]:
    """What the runs will take, so many at once: how many, seconds, bytes."""
    todo = sum(not standing.over for standing in campaign.standings())
    point = published.reference_epochs.get(campaign.config.batch_size) if published else None
    epochs, turns = point.median if point else None, math.ceil(todo / at_once)
    took = f"an epoch takes about {found.epoch_seconds:.1f} s here"
    if epochs:
        took += f", the reference took {epochs:g} epochs: about {duration(turns * epochs * found.epoch_seconds)} in all"
    size, free = room(campaign, found)
    return [f"{todo} runs; {took}", f"final weights of {size / 1e6:.1f} MB, {free / 1e9:.1f} GB are free"]


def room(campaign: Campaign, found: Preflight) -> tuple[int, int]:
    """(bytes that the runs to come write at least, their weights; bytes that are free)"""
    todo = sum(not standing.over for standing in campaign.standings())
    return todo * found.parameters * FLOAT, shutil.disk_usage(campaign.submission).free


def want_room(campaign: Campaign, found: Preflight) -> None:
    """Raises ValueError for a disk that has no room for what the runs write."""
    size, free = room(campaign, found)
    if free < size:
        raise ValueError(f"{campaign.submission}: found {free} bytes free, wanted {size} for the runs' final weights")


def report(found: Preflight, lines: list[str], say: Callable[[str], None]) -> None:
    """Say what was found, errors first, and what the runs will take."""
    order = ("error", "warning", "review", "info")
    findings = sorted(found.findings, key=lambda finding: order.index(finding[0]))
    for severity, text in findings[:MOST]:
        say(f"{severity}: {text}")
    if len(findings) > MOST:
        say(f"and {len(findings) - MOST} more")
    for line in lines:
        say(line)
