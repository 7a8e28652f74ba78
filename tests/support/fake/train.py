"""An implementation that learns nothing: it takes the options of the contract, and writes the logs that it is told to.

ACTS, a file with one word a line, says what runs do, one after another; each takes the first word away. Without one
they reach their target. CALLS, a file, gets a line of JSON for each start: its options, and its variables of ranks.
"""

import fcntl
import hashlib
import json
import os
import signal
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[3])
# ruff: noqa: E402

from benchmark.config import build, override
from benchmark.launch import detect_launch
from benchmark.log import LogWriter
from benchmark.problem import load_problem
from benchmark.run.options import OPTIONAL, parse_options
from tests.support.described import FIELDS
from tests.support.fake.config import Config

NAMES = ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "CUDA_VISIBLE_DEVICES", "CONTAINER_DIGEST", "NCCL_DEBUG")


def act() -> str:
    """What this run does."""
    with open(os.environ["ACTS"], "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        word, *rest = file.read().split() or ["reach"]
        file.seek(0)
        file.truncate()
        file.write("\n".join(rest))
    return word


def note() -> None:
    """Note this start."""
    variables = {name: os.environ[name] for name in NAMES if name in os.environ}
    with open(os.environ["CALLS"], "a") as file:
        file.write(json.dumps({"options": sys.argv[1:], "variables": variables}) + "\n")


def describe(config: Config, digest: str, options, launch) -> dict:
    """What would run."""
    problem = load_problem(options.problem, options.problems)
    return FIELDS | {
        "benchmark": problem.workload,
        "problem": problem.name,
        "problem_digest": problem.digest(),
        "settings": vars(config),
        "config_digest": digest,
        "source": "0" * 64,
        "files": {},
        "ranks": launch.world_size,
        "nodes": launch.world_size // launch.local_world_size,
        "layout": [launch.world_size, 1, 1, 1],
        "device": config.device,
        "accelerators": {"count": 4 if config.device == "cuda" else 0, "name": "", "memory_gib": 0},
        "options": options.supported,
    }


def main() -> int:
    """Do what the options and ACTS say."""
    launch = detect_launch()
    lacking = os.environ.get("LACKING", "").split()
    options = parse_options(__doc__, sys.argv[1:], [name for name in OPTIONAL if name not in lacking])
    settings = [word for word in options.settings if not word.startswith("layout=")]
    try:
        config = override(build(Config, {}, "defaults"), settings) if settings else Config()
    except ValueError as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    digest = hashlib.sha256(json.dumps(vars(config), sort_keys=True).encode()).hexdigest()
    if launch.rank:
        return 0
    if options.describe:
        print(json.dumps(describe(config, digest, options, launch)))
        return 0
    note()
    word = act()
    if word == "refuse":
        print("train.py: refused", file=sys.stderr)
        return 2
    return write(options, config, digest, word, launch.world_size)


def write(options, config: Config, digest: str, word: str, ranks: int) -> int:
    """Write the log."""
    log = LogWriter(options.log, append=options.log.exists())
    problem = load_problem(options.problem, options.problems)
    log.event("submission_benchmark", problem.workload)
    for name in ("org", "division", "status"):
        log.event(f"submission_{name}", getattr(options, name))
    log.event("submission_platform", options.system)
    log.event("problem", problem.name)
    log.event("number_of_ranks", ranks)
    log.event("hyperparameters", vars(config))
    log.event("config_digest", digest)
    if options.head:  # with `files`, it would be the log of a run, whose source is collected
        log.event("source", "0" * 64)
    if options.head:
        return 0
    log.start("run_start")
    if options.steps:
        log.event("parameter_count", 1000)
        log.event("train_samples", problem.train_samples)
        log.event("throughput", {"throughput": problem.train_samples / 2, "step_seconds": 0.1}, steps=options.steps)
    for epoch in range(1, config.epochs + 1 if word == "miss" else 2):
        log.event("eval_accuracy", 0.5, epoch_num=epoch)
    if options.checkpoint:
        (options.checkpoint / "epoch_000001").mkdir(parents=True, exist_ok=True)
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "signal":
        return 128 + signal.SIGTERM
    log.end("run_stop", None, status="aborted" if word == "miss" else "success")
    log.close()
    return int(word == "miss")


if __name__ == "__main__":
    sys.exit(main())
