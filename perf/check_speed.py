"""Speed of the checker: `python perf/check_speed.py ROUND [--repeats 3]`.

Over a round of MLPerf HPC, on one core and in one process each: MLLOG lines a second of `compliance/` (every rule,
logs, sets and submissions), of `mlperf_logging`'s compliance checker doing the same files, and of merely reading the
files and parsing each event with the standard library's `json`. In processor time, the best of the repeats, turn by
turn, so that other work on the machine matters less. Then the command in wall time, its start included.
"""

import argparse
import contextlib
import io
import json
import logging
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.log import TOKEN
from compliance.engine import judge
from perf.script import script, want

ROOT = Path(__file__).resolve().parents[1]
RULESETS = ("1.0.0", "2.0.0", "3.0.0")  # of mlperf_logging's checker for HPC


def ruleset_of(round_: Path) -> str:
    """The official ruleset of a round, by the name of its folder: v3.0 or hpc_results_v3.0. The last one of others."""
    found = re.search(r"v?(\d\.\d)$", round_.resolve().name)
    return f"{found[1]}.0" if found and f"{found[1]}.0" in RULESETS else RULESETS[-1]


def ours(round_: Path, files: list[Path]) -> None:
    """All rules on all of it."""
    judge([round_])


def theirs(round_: Path, files: list[Path]) -> None:
    """mlperf_logging's compliance checker, log by log, as its package checker calls it."""
    from mlperf_logging.compliance_checker import mlp_compliance

    ruleset = ruleset_of(round_)
    for path in files:
        checker = mlp_compliance.make_checker("hpc", ruleset, quiet=True, werror=False)
        # A log of a benchmark that the ruleset doesn't have, one of ours say, ends the check with an error.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            mlp_compliance.main(str(path), f"hpc_{ruleset}/common.yaml", checker)


def parsing(round_: Path, files: list[Path]) -> None:
    """No less than this can be done with the standard library."""
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            for text in file:
                if TOKEN in text:
                    with contextlib.suppress(ValueError):
                        json.loads(text[text.index(TOKEN) + len(TOKEN) :])


def compare(round_: Path, files: list[Path], repeats: int) -> dict[str, float]:
    """Processor seconds of each, the best of the repeats, taken in turn."""
    jobs = {"ours": ours, "mlperf_logging": theirs, "reading and json": parsing}
    seconds = dict.fromkeys(jobs, float("inf"))
    for job in jobs.values():
        job(round_, files[:1] if job is theirs else files)  # imports, caches
    for _ in range(repeats):
        for name, job in jobs.items():
            start = time.process_time()
            job(round_, files)
            seconds[name] = min(seconds[name], time.process_time() - start)
    return seconds


def of_the_command(round_: Path, repeats: int) -> float:
    """Wall seconds of the command, the median of the repeats."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        command = [sys.executable, "compliance/check.py", str(round_.resolve())]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)  # 1 where there are errors
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@script
def main(arguments: Sequence[str] | None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("round", type=Path, help="a round of MLPerf HPC")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args(arguments)
    want(1, repeats=args.repeats)
    files = sorted(args.round.rglob("result_*.txt"))
    if not files:
        raise ValueError(f"{args.round}: found no result_<i>.txt, wanted a round")
    lines = sum(path.read_bytes().count(TOKEN.encode()) for path in files)
    seconds = compare(args.round, files, args.repeats)
    print(f"{len(files)} logs, {lines} MLLOG lines, one core, processor time")
    for name, value in seconds.items():
        ratio = value / seconds["ours"]
        print(f"  {name:<18}{value:8.3f} s  {lines / value:10.0f} lines/s  {ratio:6.2f} x our time")
    print(f"check.py: {of_the_command(args.round, args.repeats):.3f} s of wall time")
    print(f"this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)  # mlperf_logging's messages, in this process alone
    sys.exit(main())
