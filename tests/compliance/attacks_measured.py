"""Attacks with steps and power that are measured beside runs, and with changed source."""

import copy
import hashlib
from collections.abc import Callable
from pathlib import Path

from benchmark.source import combine
from benchmark.tree import source_path
from tests.compliance.attack_edits import HOME
from tests.compliance.attacks import REFERENCE, Run, Submission, fresh, text_of

STEPS, SAMPLES, TAKEN = 40, 80, 0.3  # of a block; seconds of a step
STUDY = HOME.replace("/strong/", "/throughput/")


def timed_steps(told: float) -> Callable[[Submission], None]:
    """The attack that adds a throughput-only log of three blocks, whose steps are said to have taken `told`
    seconds."""

    def attack(submission: Submission) -> None:
        run = Run(copy.deepcopy(list(submission.runs[0])))
        fresh(run, 90)
        clock = run.one("run_start")
        head = Run(run[: run.at(clock)])
        head.insert_before(head.one("init_start"), "throughput_only", True)
        setup = {"steps": 3 * STEPS, "warm_up_steps": 3, "block_steps": STEPS, "flops_per_sample": 10528751616}
        head.append(clock)
        head.insert_before(clock, "throughput_setup", setup)
        rate = {"throughput": SAMPLES / (STEPS * told), "step_seconds": told, "seconds": {"wait": told}}
        for block in range(1, 4):
            time = clock["time_ms"] + round(1000 * block * STEPS * TAKEN)
            head.append(event(clock, time, "tracked_stats", rate, block=block, steps=STEPS, samples_count=SAMPLES))
        head.append(event(clock, time, "throughput", rate, steps=3 * STEPS, samples_count=3 * SAMPLES))
        stop = event(clock, time, "run_stop", None, status="success", epoch_num=0)
        head.append({**stop, "event_type": "INTERVAL_END"})
        submission.files[f"{STUDY}/result_0.txt"] = text_of(head)

    return attack


def event(like: dict, time: int, key: str, value: object, **more: object) -> dict:
    """Another event of a log, at a time."""
    place = {"file": "train.py", "lineno": 1}
    return {
        **like,
        "time_ms": time,
        "event_type": "POINT_IN_TIME",
        "key": key,
        "value": value,
        "metadata": place | more,
    }


def a_reading_in_the_log(submission: Submission) -> None:
    """A millisecond of 50 W, in place of all that counters and meters have."""
    for run in submission.runs:
        start = run.one("run_start")
        run[run.at(start) + 1]["time_ms"] = start["time_ms"] + 1
        run.insert_before(run[run.at(start) + 1], "power_reading", 50.0)


def a_reading_at_each_end(submission: Submission) -> None:
    """300 W before the run, and 3 W after it, which stand for all of it."""
    for number, run in enumerate(submission.runs):
        start, stop = run.one("run_start"), run.one("run_stop")
        ends = [event(start, start["time_ms"] - 1, "power_reading", 300.0)]
        ends.append(event(stop, stop["time_ms"] + 1, "power_reading", 3.0))
        submission.files[f"{HOME}/power/result_{number}/node_0.txt"] = text_of(Run(ends))


def sourced(path: str, lines: str) -> Callable[[Submission], None]:
    """The attack that adds lines to a file of source, or another file, as all runs loaded it."""

    def attack(submission: Submission) -> None:
        (folder,) = (REFERENCE / "source").iterdir()
        old = (folder / path).read_text() if (folder / path).exists() else ""
        files = {**submission.source, path: hashlib.sha256((old + lines).encode()).hexdigest()}
        submission.source = dict(sorted(files.items()))
        for run in submission.runs:
            run.put("source", combine(files.items()))
            run.one("source")["metadata"]["files"] = submission.source
        submission.files[str(source_path(Path(), combine(files.items())) / path)] = old + lines

    return attack
