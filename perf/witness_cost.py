"""Measure what a witness costs a run: make runs by turns without a witness and with one on this machine.

    python perf/witness_cost.py --problem smoke --pairs 3

Each run is made by `harness/submit.py`, as a submission's are; options that are not listed below are passed on to it.
The table has, for each side, the seconds of an epoch with its evaluation: median, fewest and most. The last line is the
ratio of the medians. A run trains for as many epochs as its seed needs, so that whole runs are no measure.
"""

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.log import Event, read_log
from benchmark.source import ROOT
from harness.witnessing.store import Store
from harness.witnessing.telling import TOKEN
from perf.witness_load import serve
from rules.current import EDITION

BEGIN, END = "epoch_start", "eval_stop"


def make(options: argparse.Namespace, out: Path, run: int, words: Sequence[str], **variables: str) -> list[float]:
    """Make one run of a set in the folder `out`. Return the seconds of its epochs. Raises CalledProcessError for a run
    that could not be made."""
    command = [sys.executable, "harness/submit.py", "--problem", options.problem, "--org", "a", "--system", "b"]
    command += ["--out", str(out), "--runs", str(options.pairs), "--run", str(run), *words]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, stdout=subprocess.DEVNULL)
    if done.returncode > 1:  # 1: a run that missed the target has epochs as well
        raise subprocess.CalledProcessError(done.returncode, command)
    [log] = out.rglob(f"result_{run}.txt")
    return list(epochs(log))


def epochs(log: Path) -> Iterator[float]:
    """Yield the seconds of each epoch of a log, with its evaluation."""
    begin = 0.0
    for event in read_log(log):
        if isinstance(event, Event) and event.key == BEGIN:
            begin = event.time_ms
        elif isinstance(event, Event) and event.key == END:
            yield (event.time_ms - begin) / 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the runs and print the table. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", default="smoke")
    parser.add_argument("--pairs", type=int, default=3, help="runs of each side (default: 3)")
    options, more = parser.parse_known_args(arguments)
    sides: dict[str, list[float]] = {"without": [], "with": []}
    with tempfile.TemporaryDirectory(prefix="witness-") as folder:
        database = Path(folder) / "witness.db"
        token = Store(database, EDITION).new_token("a")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        process = serve(database, port)
        try:
            for run in range(options.pairs):
                sides["without"] += make(options, Path(folder) / "without" / EDITION, run, more)
                words = [*more, "--witness", f"http://127.0.0.1:{port}"]
                sides["with"] += make(options, Path(folder) / "with" / EDITION, run, words, **{TOKEN: token})
        finally:
            process.kill()
            process.wait()
    print("witness  epochs  seconds of an epoch: median  fewest   most")
    for name, found in sides.items():
        print(f"{name:7}  {len(found):6}  {statistics.median(found):27.2f}  {min(found):6.2f}  {max(found):6.2f}")
    print(f"with / without: {statistics.median(sides['with']) / statistics.median(sides['without']):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
