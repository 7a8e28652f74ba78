"""Attacks with steps and power that are measured beside runs, and with changed source."""

import copy
import shutil
from pathlib import Path

from benchmark.tree import THROUGHPUT
from tests.compliance.attacks.submission import fresh
from tests.compliance.logs import event_like, logged, reading, throughput

PYTORCH = "implementations/pytorch"
SETUP = f"{PYTORCH}/startup/environment.py"


def timed_steps(told):
    """The attack that adds a throughput-only log of steps of 0.3 s, which are said to have taken `told` seconds."""

    def attack(submission):
        run = copy.deepcopy(submission.logs[0])
        fresh(run, 90)
        figures = {"throughput": 2 / told, "step_seconds": told, "seconds": {"wait": told}}
        path = str(submission.path(0)).replace("/strong/", f"/{THROUGHPUT}/")
        throughput(run, 2, 40, 0.3, figures, 10528751616).write(Path(path))

    return attack


def metered(factor, watts):
    """The attack that adds a power meter whose readings are told times `factor`."""

    def attack(submission):
        for number, run in enumerate(submission.logs):
            start, stop = (run.one(key)["time_ms"] for key in ("run_start", "run_stop"))
            found = [reading(time, watts) for time in range(start - 1000, stop + 2000, 1000)]
            submission.power([logged(start - 2000, "conversion_eff", factor), *found], f"result_{number}")

    return attack


def a_reading_in_the_log(submission):
    """A millisecond of 50 W, in place of all that counters and meters have."""
    for run in submission.logs:
        start = run.one("run_start")
        second = run.events[run.line(start)]
        second["time_ms"] = start["time_ms"] + 1
        run.insert(second, event_like(second, "power_reading", 50.0))


def a_reading_at_each_end(submission):
    """300 W before the run, and 3 W after it, which stand for all of it."""
    for number, run in enumerate(submission.logs):
        start, stop = (run.one(key)["time_ms"] for key in ("run_start", "run_stop"))
        submission.power([reading(start - 1, 300.0), reading(stop + 1, 3.0)], f"result_{number}")


def sourced(lines, path=SETUP):
    """The attack that adds lines to a file of source, or another file, as all runs loaded it."""
    return lambda submission: submission.add(path, lines)


def kept_back(folder):
    """The attack that neither logs nor hands in the files below a folder of the source."""

    def attack(submission):
        shutil.rmtree(submission.source / folder)
        submission.ran()

    return attack


WEIGHTS_AS_SETTINGS = sourced("0.5, " * 60_000, f"{PYTORCH}/configs/a.json")
MEASURED = [
    ("310 W told as 3.1 W", metered(0.01, 310.0), "PWR01"),
    ("a millisecond of power in the log itself", a_reading_in_the_log, "PWR02"),
    ("a low reading after the run", a_reading_at_each_end, "PWR02"),
    ("a meter of half the machine", metered(0.9, 155.0), ""),
    ("steps told ten times faster than the clock", timed_steps(0.03), "THR04"),
]
SOURCE = [
    ("the clock patched", sourced("\nimport benchmark.clock as c\nc.__dict__.update(_START=5)\n"), "CODE03"),
    ("the log written over", sourced("\nlog.path.write_text('')\n"), "CODE03"),
    ("another target", sourced("\nobject.__setattr__(task.problem, 'target', 0.5)\n"), "CODE03"),
    ("behaves where no replay looks", sourced("\nimport os\nFAST = os.environ.get('REPLAY') is None\n"), "CODE03"),
    ("the program kept back", kept_back(PYTORCH), "SRC09"),
    ("the loop of training kept back", kept_back(f"{PYTORCH}/training"), "SRC10"),
    ("weights as a table of settings", WEIGHTS_AS_SETTINGS, "CODE04"),
]
