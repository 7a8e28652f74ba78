"""Speed of the checker and of results over a round, or over copies of one submission under other names.

    python perf/check_speed.py results/v1.0
    python perf/check_speed.py results/v1.0/reference --copies 20 --repeats 3

For `check.py` and `summarize.py` it prints the wall seconds of the fastest repeat, the start included, and its peak
memory.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.atomic import naming
from benchmark.log import TOKEN
from benchmark.writing import copy_file, copy_tree

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = ("compliance/check.py", "results/summarize.py")


def make_copies(submission: Path, round_: Path, count: int) -> Path:
    """A round with so many copies of a submission, which differ in the name of the organisation."""
    own = json.dumps(submission.resolve().name)
    for index in range(count):
        copy = round_ / f"org{index}"
        copy_tree(submission, copy, lambda folder, names: set())
        for path in (*copy.rglob("result_*.txt"), *copy.glob("systems/*.json")):
            data = path.read_bytes().replace(own.encode(), json.dumps(copy.name).encode())
            with naming(path):
                path.write_bytes(data)
    for path in submission.resolve().parent.glob("registry.yaml"):
        copy_file(path, round_ / path.name)
    return round_


def cost(script: str, round_: Path) -> tuple[float, float]:
    """(wall seconds, MiB at most) of a command over a round, whatever its exit code: 1 says that it found errors."""
    start = time.perf_counter()
    command = [sys.executable, script, str(round_.resolve())]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return time.perf_counter() - start, used.ru_maxrss / 1024


def measure(round_: Path, repeats: int) -> None:
    """Measure the commands over a round, and print."""
    files = sorted(round_.rglob("result_*.txt"))
    lines = sum(path.read_bytes().count(TOKEN.encode()) for path in files)
    print(f"{len(files)} logs, {lines} MLLOG lines")
    for script in COMMANDS:
        seconds, memory = min(cost(script, round_) for _ in range(repeats))
        print(f"  {script:<22}{seconds:8.2f} s  {lines / seconds:10.0f} lines/s  {memory:6.0f} MiB")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("round", type=Path, help="a round; with --copies, a submission")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--copies", type=int, default=0, help="measure a round of so many copies of a submission")
    args = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            round_, edition = args.round, args.round.resolve().parent.name
            if args.copies:
                round_ = make_copies(args.round, Path(folder) / edition, args.copies)
            measure(round_, args.repeats)
    except OSError as error:
        print(f"check_speed.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
