"""Time and memory of results/summarize.py over a generated round.

    python perf/results_speed.py [--submissions 1000] [--formats csv,html] [--beside PATH] [--set RUNS] [--keep DIR]

Submissions have one set of 5 to 640 runs, 100 on average. A quarter of the round and the whole are summarised in each
format, and a tenth with logs of twenty times as many lines, each in a process of its own. The command prints seconds,
processor seconds, rates by processor time, and peak memory. `--beside PATH` instead compares the processor time of
results/summarize.py with that of compliance/check.py on real submissions. `--set RUNS` compares summarize, compare and
site with check.py on one generated set of so many runs, and on a quarter of it.
"""

import argparse
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.atomic import naming

ROOT = Path(__file__).resolve().parents[1]
START = 1_700_000_000_000


def event(time_ms: int, key: str, value: object = None, **metadata: object) -> str:
    """A line of a log."""
    kind = {"start": "INTERVAL_START", "stop": "INTERVAL_END"}.get(key.rpartition("_")[2], "POINT_IN_TIME")
    fields = {"namespace": "", "time_ms": time_ms, "event_type": kind, "key": key, "value": value}
    return ":::MLLOG " + json.dumps({**fields, "metadata": {"file": "train.py", "lineno": 1, **metadata}})


def log_text(rng: random.Random, system: str, lines: int) -> str:
    """The log of a run of 5 to 9 epochs, with `lines` lines of statistics in each epoch."""
    now = START + rng.randrange(10**9)
    facts = {
        "submission_benchmark": "scaffold",
        "submission_org": "acme",
        "submission_division": "closed",
        "submission_status": "onprem",
        "submission_platform": system,
        "seed": rng.getrandbits(63),
        "problem": "smoke",
        "target": 0.95,
        "number_of_nodes": 1,
        "accelerators_per_node": 4,
        "global_batch_size": 8,
        "train_samples": 100,
        "eval_samples": 20,
    }
    out = [event(now, key, value) for key, value in facts.items()] + [event(now, "run_start")]
    epochs = rng.randint(5, 9)
    for e in range(1, epochs + 1):
        out.append(event(now, "epoch_start", epoch_num=e))
        for _ in range(lines):
            now += rng.randint(100, 120) // lines
            out.append(
                event(now, "tracked_stats", {"throughput": 900 + rng.random(), "loss": rng.random()}, epoch_num=e)
            )
        out += [event(now, "epoch_stop", epoch_num=e), event(now, "eval_start", epoch_num=e)]
        now += 20
        out.append(event(now, "eval_stop", epoch_num=e))
        out.append(event(now, "eval_accuracy", 0.96 if e == epochs else rng.random() * 0.9, epoch_num=e))
    return "\n".join([*out, event(now, "run_stop", status="success")]) + "\n"


def sizes(submissions: int) -> list[int]:
    """Runs of each set: 5 to 640, 100 on average."""
    cycle = (5, 5, 10, 40, 60, 80, 160, 640, 5, 5)  # 1010 runs in ten sets
    return [cycle[i % 10] for i in range(submissions)]


def write_round(root: Path, sets: Sequence[int], lines: int) -> tuple[int, int]:
    """Write a submission for each number of runs in `sets`; (logs, bytes)."""
    rng, logs, size = random.Random(len(sets)), 0, 0
    for i, runs in enumerate(sets):
        folder = root / "v1.0" / f"org{i:04}" / "results" / "box" / "strong" / "scaffold"
        folder.mkdir(parents=True)
        for run in range(runs):
            text = log_text(rng, "box", lines)
            path = folder / f"result_{run}.txt"
            with naming(path):
                path.write_text(text, encoding="utf-8")
            logs, size = logs + 1, size + len(text)
    return logs, size


def measure(root: Path, form: str = "csv") -> tuple[float, float, float]:
    """(seconds, processor seconds, peak MiB) of summarising a round in a fresh process."""
    root, out = root.resolve(), root.resolve().with_suffix(f".{form}")
    return fresh("results.summarize", str(root), "--format", form, "--output", str(out), "--as-logged")


def fresh(module: str, *arguments: str) -> tuple[float, float, float]:
    """(seconds, processor seconds, peak MiB) of a script's `main` in a process of its own."""
    code = (
        f"import resource, sys; from {module} import main; main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    start, busy = time.perf_counter(), children()
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    return seconds, children() - busy, int(done.stderr.split()[-1]) / 1024


def children() -> float:
    """Processor seconds of all child processes so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


NAMES = {"format": 6, "submissions": 11, "logs": 7, "MB": 6, "seconds": 8, "CPU s": 7, "MB/s": 6, "logs/s": 7}
NAMES |= {"peak MiB": 8, "out MB": 7}


def rows(root: Path, submissions: int, lines: int, formats: list[str]) -> None:
    """Write a round, summarise it in each format, and print a line for each."""
    logs, size = write_round(root, sizes(submissions), lines)
    mega = size / 1e6
    for form in formats:
        seconds, busy, peak = measure(root, form)
        out = root.with_suffix(f".{form}").stat().st_size / 1e6
        cells = [form, submissions, logs, f"{mega:.0f}", f"{seconds:.1f}", f"{busy:.1f}", f"{mega / busy:.1f}"]
        cells += [f"{logs / busy:.0f}", f"{peak:.0f}", f"{out:.1f}"]
        print(" ".join(str(c).rjust(w) for c, w in zip(cells, NAMES.values(), strict=True)), flush=True)


def beside(path: Path, times: int = 7) -> int:
    """Print the processor seconds of check.py and summarize.py, run in turn, and their ratio."""
    commands = ("compliance/check.py", "results/summarize.py")
    taken: dict[str, list[float]] = {command: [] for command in commands}
    for _ in range(times):
        for command in commands:
            busy = children()
            subprocess.run([sys.executable, ROOT / command, path], capture_output=True)
            taken[command].append(children() - busy)
    middle = {command: statistics.median(seconds) for command, seconds in taken.items()}
    for command, seconds in taken.items():
        print(f"{command:22} {middle[command]:.2f} CPU s  ({min(seconds):.2f} to {max(seconds):.2f})")
    print(f"ratio {middle[commands[1]] / middle[commands[0]]:.2f}")
    return 0


def one_set(runs: int, home: Path) -> int:
    """Print the processor seconds of check.py and of each tool of results/ for one set, and their ratio."""
    for count in (runs // 4, runs):
        root = home / f"set{count}"
        logs, _ = write_round(root, [count], 1)
        usual = None
        for command in (
            ("compliance/check.py", root),
            ("results/summarize.py", root, "--as-logged"),
            ("results/compare.py", root, "--as-logged"),
            ("results/site.py", root, "--as-logged", "--out", home / f"site{count}"),
        ):
            busy = children()
            subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True)
            taken = children() - busy
            usual = usual or taken
            print(f"{logs:7} logs  {command[0]:22} {taken:7.2f} CPU s  ratio {taken / usual:.2f}", flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--beside", type=Path, help="compare check.py and summarize.py on these submissions")
    parser.add_argument(
        "--set", type=int, metavar="RUNS", help="compare check.py and results/ on a set of so many runs"
    )
    parser.add_argument("--formats", default="csv,html")
    parser.add_argument("--keep", type=Path, help="keep the rounds in this folder")
    args = parser.parse_args()
    if args.beside:
        return beside(args.beside)
    home = args.keep or Path(tempfile.mkdtemp(prefix="results_speed_"))
    try:
        if args.set:
            return one_set(args.set, home.resolve())
        return rounds(home, args.submissions, args.formats.split(","), bool(args.keep))
    except OSError as error:
        print(f"results_speed.py: {error}", file=sys.stderr)
        return 2
    finally:
        if not args.keep:
            shutil.rmtree(home, ignore_errors=True)


def rounds(home: Path, n: int, forms: list[str], keep: bool) -> int:
    """Print a table of a tenth of a round with long logs, of a quarter of it, and of the whole."""
    print(" ".join(name.rjust(width) for name, width in NAMES.items()))
    for name, part, lines, formats in (
        ("long", max(10, n // 10), 20, forms[:1]),
        ("quarter", max(10, n // 4), 1, forms),
        ("whole", n, 1, forms),
    ):
        rows(home / name, part, lines, formats)
        if not keep:
            shutil.rmtree(home / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
