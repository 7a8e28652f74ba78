"""Attacks with steps and power that are measured beside runs, and with changed source."""

import copy
import hashlib
from pathlib import Path

from benchmark.source import combine
from benchmark.tree import source_path
from tests.compliance.attacks.submission import HOME, REFERENCE, Run, fresh
from tests.compliance.logs import log_text, logged

STEPS, SAMPLES, TAKEN = 40, 80, 0.3  # of a block; seconds of a step
STUDY = HOME.replace("/strong/", "/throughput/")
SETUP = "implementations/pytorch/startup/environment.py"


def timed_steps(told):
    """The attack that adds a throughput-only log of three blocks, whose steps are said to have taken `told` seconds."""

    def attack(submission):
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
            head.append(logged(time, "tracked_stats", rate, block=block, steps=STEPS, samples_count=SAMPLES))
        head.append(logged(time, "throughput", rate, steps=3 * STEPS, samples_count=3 * SAMPLES))
        head.append(logged(time, "run_stop", None, "INTERVAL_END", status="success", epoch_num=0))
        submission.files[f"{STUDY}/result_0.txt"] = log_text(head)

    return attack


def metered(factor, watts):
    """The attack that adds a power meter whose readings are told times `factor`."""

    def attack(submission):
        for number, run in enumerate(submission.runs):
            start, stop = (run.one(key)["time_ms"] for key in ("run_start", "run_stop"))
            found = [logged(start - 2000, "conversion_eff", factor)]
            found += [logged(time, "power_reading", watts) for time in range(start - 1000, stop + 2000, 1000)]
            submission.files[f"{HOME}/power/result_{number}/node_0.txt"] = log_text(found)

    return attack


def a_reading_in_the_log(submission):
    """A millisecond of 50 W, in place of all that counters and meters have."""
    for run in submission.runs:
        start = run.one("run_start")
        run[run.at(start) + 1]["time_ms"] = start["time_ms"] + 1
        run.insert_before(run[run.at(start) + 1], "power_reading", 50.0)


def a_reading_at_each_end(submission):
    """300 W before the run, and 3 W after it, which stand for all of it."""
    for number, run in enumerate(submission.runs):
        start, stop = run.one("run_start"), run.one("run_stop")
        ends = [logged(start["time_ms"] - 1, "power_reading", 300.0)]
        ends.append(logged(stop["time_ms"] + 1, "power_reading", 3.0))
        submission.files[f"{HOME}/power/result_{number}/node_0.txt"] = log_text(ends)


def sourced(lines, path=SETUP):
    """The attack that adds lines to a file of source, or another file, as all runs loaded it."""

    def attack(submission):
        (folder,) = (REFERENCE / "source").iterdir()
        old = (folder / path).read_text() if (folder / path).exists() else ""
        files = {**submission.source, path: hashlib.sha256((old + lines).encode()).hexdigest()}
        submission.source = dict(sorted(files.items()))
        for run in submission.runs:
            run.put("source", combine(files.items()))
            run.one("source")["metadata"]["files"] = submission.source
        submission.files[str(source_path(Path(), combine(files.items())) / path)] = old + lines

    return attack


def kept_back(*folders):
    """The attack that neither logs nor hands in the files below folders of the source."""

    def attack(submission):
        submission.source = {n: d for n, d in submission.source.items() if not n.startswith(folders)}
        for run in submission.runs:
            run.put("source", combine(submission.source.items()))
            run.one("source")["metadata"]["files"] = submission.source

    return attack


WEIGHTS_AS_SETTINGS = sourced("0.5, " * 60_000, "implementations/pytorch/configs/a.json")
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
    ("the program kept back", kept_back("implementations/pytorch/"), "SRC09"),
    ("the loop of training kept back", kept_back("implementations/pytorch/training/"), "SRC10"),
    ("weights as a table of settings", WEIGHTS_AS_SETTINGS, "CODE04"),
]
