"""Time and memory of results/summarize.py over a generated round: linear in the bytes, bounded by the table.

    python perf/results_speed.py [--submissions 1000] [--judge] [--keep DIR]

Sets of 5 to 640 runs, 100 a submission on average. Each size is summarised in a process of its own, whose peak memory
is measured; rates are by processor time. The same is done for a tenth of the round, and for that tenth with logs four
times as long.
"""

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START = 1_700_000_000_000


def event(time_ms: int, key: str, value: object = None, **metadata: object) -> str:
    kind = {"start": "INTERVAL_START", "stop": "INTERVAL_END"}.get(key.rpartition("_")[2], "POINT_IN_TIME")
    fields = {"namespace": "", "time_ms": time_ms, "event_type": kind, "key": key, "value": value}
    return ":::MLLOG " + json.dumps({**fields, "metadata": {"file": "train.py", "lineno": 1, **metadata}})


def log_text(rng: random.Random, system: str, lines: int) -> str:
    """A log of some 45 lines for each `lines`, of a run of 5 to 9 epochs."""
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
    cycle = [5, 5, 10, 40, 60, 80, 160, 640, 0, 0]
    cycle[8:] = [5, 5]  # 1010 runs in ten sets
    return [cycle[i % 10] for i in range(submissions)]


def write_round(root: Path, submissions: int, lines: int) -> tuple[int, int]:
    """Returns (logs, bytes)."""
    rng, logs, size = random.Random(submissions), 0, 0
    for i, runs in enumerate(sizes(submissions)):
        folder = root / "v1.0" / f"org{i:04}" / "results" / "box" / "strong" / "scaffold"
        folder.mkdir(parents=True)
        for run in range(runs):
            text = log_text(rng, "box", lines)
            (folder / f"result_{run}.txt").write_text(text, encoding="utf-8")
            logs, size = logs + 1, size + len(text)
    return logs, size


def measure(root: Path, judge: bool, form: str = "csv") -> tuple[float, float, float]:
    """(seconds, seconds of the processor, peak MiB) of summarising a round in a fresh process."""
    code = (
        "import resource, sys; sys.path[0] = sys.argv.pop(1); from results.summarize import main; "
        "main(sys.argv[1:]); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    options = [] if judge else ["--no-judge"]
    out = root.with_suffix(f".{form}")
    command = [sys.executable, "-c", code, str(ROOT), str(root), "--format", form, "--output", str(out), *options]
    start, busy = time.perf_counter(), children()
    done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=True)
    seconds = time.perf_counter() - start
    return seconds, children() - busy, int(done.stderr.split()[-1]) / 1024


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--judge", action="store_true", help="with the judge")
    parser.add_argument("--format", default="csv")
    parser.add_argument("--keep", type=Path, help="write the rounds here and leave them")
    args = parser.parse_args()
    home = args.keep or Path(tempfile.mkdtemp(prefix="results_speed_"))
    tenth = max(10, args.submissions // 10)
    names = ("submissions", "logs", "MB", "seconds", "CPU s", "MB/s", "logs/s", "peak MiB")
    print(" ".join(name.rjust(width) for name, width in zip(names, (11, 7, 7, 8, 7, 6, 7, 8), strict=True)))
    try:
        for name, submissions, lines in (("tenth", tenth, 1), ("long", tenth, 20), ("whole", args.submissions, 1)):
            root = home / name
            logs, size = write_round(root, submissions, lines)
            seconds, busy, peak = measure(root, args.judge, args.format)
            mega = size / 1e6
            rates = f"{busy:7.1f} {mega / busy:6.1f} {logs / busy:7.0f}"
            print(f"{submissions:11} {logs:7} {mega:7.0f} {seconds:8.1f} {rates} {peak:8.0f}", flush=True)
            if not args.keep:
                shutil.rmtree(root)
    finally:
        if not args.keep:
            shutil.rmtree(home, ignore_errors=True)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"(this process, which writes the rounds: {own:.0f} MiB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
