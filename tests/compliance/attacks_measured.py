"""Attacks with what is measured beside runs: steps, trials of the input, power."""

import copy
from collections.abc import Callable

from tests.compliance.attack_edits import HOME
from tests.compliance.attacks import Run, Submission, fresh, text_of

STEPS, SAMPLES = 40, 80  # of a block
STUDY = HOME.replace("/strong/", "/throughput/")


def timed_steps(told: float, taken: float = 0.3) -> Callable[[Submission], None]:
    """The attack that adds a throughput-only log of three blocks, whose steps took `taken` seconds and are said to have
    taken `told`."""

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
            time = clock["time_ms"] + round(1000 * block * STEPS * taken)
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
