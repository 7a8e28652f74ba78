"""Sample the power of a node without counters, and write it beside a run's log: power/result_<i>/node_<n>.txt.

    python benchmark/energy/sample.py --log results/.../result_0.txt --name node_0 \\
        --pattern 'Instantaneous power reading: *([0-9.]+)' -- ipmitool dcmi power reading
    python benchmark/energy/sample.py --log ... --name node_0 --file /sys/class/hwmon/hwmon3/power1_input --factor 1e-6

It runs in the foreground until Ctrl-C or SIGTERM, or for --seconds. Start it before the run, and end it after the run.
Exit codes: 0 sampled, 1 nothing could be read, 2 a wrong command.
"""

import argparse
import math
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from benchmark.energy.counter import reason
from benchmark.log import LogWriter
from benchmark.printable import printable

POWER = "power"  # the folder in MLPerf's layout
NUMBER = r"([0-9.]+)"
LONGEST = 1 << 16  # characters of output that are looked at


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", required=True, type=Path, help="the run's log, which need not be there yet")
    parser.add_argument("--name", required=True, help="node_<n>: which node this is")
    parser.add_argument("--file", type=Path, help="read this file instead of a command's output")
    parser.add_argument(
        "--pattern", default=NUMBER, help="where the number stands: its first group (default: %(default)s)"
    )
    parser.add_argument("--factor", type=float, default=1.0, help="watts that one is (default: 1)")
    parser.add_argument("--interval", type=float, default=1.0, help="seconds between readings (default: 1)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="how long (default: until it is ended)")
    parser.add_argument("command", nargs="*", help="behind --: prints the power")
    args = parser.parse_args(arguments)
    if bool(args.command) == bool(args.file):
        parser.error("found both or none of --file and a command, wanted one of them")
    if not re.fullmatch(r"node_[\w.-]+", args.name):
        parser.error(f"--name: found {args.name!r}, wanted node_<n>")
    if not (args.interval > 0 and args.factor > 0 and args.seconds > 0):
        parser.error("--interval, --factor, --seconds: wanted numbers above 0")
    try:
        if re.compile(args.pattern).groups < 1:
            parser.error(f"--pattern: found {args.pattern!r}, wanted a group around the number")
    except re.error as error:
        parser.error(f"--pattern: {error}")
    return args


def source(args: argparse.Namespace) -> Callable[[], float]:
    """Return the function that reads the power once, in watts. It raises OSError or ValueError where it cannot."""

    def read() -> float:
        if args.file:
            with open(args.file, encoding="utf-8", errors="replace") as file:
                text = file.read(LONGEST)
        else:
            done = subprocess.run(args.command, capture_output=True, text=True, errors="replace", timeout=60)
            if done.returncode:
                raise ValueError(f"{args.command[0]} ended with {done.returncode}: {done.stderr[:200].strip()}")
            text = done.stdout[:LONGEST]
        return watts(text, args.pattern, args.factor)

    return read


def watts(text: str, pattern: str, factor: float) -> float:
    """Return the power in a text, in watts. Raises ValueError where there is none."""
    found = re.search(pattern, text)
    value = float(found[1]) * factor if found and found[1] else math.nan  # a group may be optional
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"found {text[:80].strip()!r}, wanted a number by {pattern!r}")
    return value


def sample(read: Callable[[], float], path: Path, interval: float, seconds: float, ended: threading.Event) -> int:
    """Write a reading every `interval` seconds, until `ended` or for so many seconds. Return the number of readings.

    A reading that fails is printed and left out, so the time until the next one counts with that one's power.
    """
    log, count, start = LogWriter(path), 0, time.monotonic()
    for step in range(1, sys.maxsize):
        try:
            log.event("power_reading", {"value": read()})
            count += 1
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            print(f"sample.py: {reason(error)}", file=sys.stderr, flush=True)
        left = min(start + step * interval, start + seconds) - time.monotonic()
        if ended.wait(min(max(0.0, left), threading.TIMEOUT_MAX)) or time.monotonic() >= start + seconds:
            break
    log.close()
    return count


def ended_by_signals() -> threading.Event:
    """Return an event that SIGINT and SIGTERM set. A thread sets it: a handler that did so itself would wait forever if
    the signal came while this thread waits for the event and holds its lock."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: threading.Thread(target=ended.set).start())
    return ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Sample until told to stop. Return the exit code."""
    args = parse(arguments)
    path = args.log.parent / POWER / args.log.stem / f"{args.name}.txt"
    if path.exists():
        print(f"sample.py: {path}: found a file, wanted a new name: nothing is overwritten", file=sys.stderr)
        return 2
    try:
        count = sample(source(args), path, args.interval, args.seconds, ended_by_signals())
    except OSError as error:
        print(f"sample.py: {path}: {reason(error)}", file=sys.stderr)
        return 2
    print(printable(f"{count} readings: {path}"))
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
