"""Running both sides of the comparison, DLIO on a view and the reference's input trial, as rows of one table."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.log import Event, read_log
from benchmark.workload import AnyProblem
from harness.launcher import Launcher
from implementations.pytorch_tools.input_trial.table import aligned
from perf.storage.export import Settings, name_of

ROOT = Path(__file__).resolve().parents[2]
TRIAL = ROOT / "implementations" / "pytorch_tools" / "io_trial.py"


@dataclass(frozen=True)
class Side:
    """A row of the table: AU in percent and samples per second of each epoch; MB/s (10^6) of nominal bytes, of bytes
    that calls read and of bytes from a device (None if not counted); samples that an epoch leaves out (`cut`); AU
    without reads in percent (`ceiling`)."""

    name: str
    utilization: tuple[float, ...]
    rates: tuple[float, ...]
    nominal: float
    read: float | None
    device: float | None
    cut: int
    ceiling: float | None = None


def run_dlio(python: Path, out: Path, problem: AnyProblem, view: str, ranks: int = 1) -> Path:
    """Run DLIO on a view; the folder of its output. Raises ValueError with the end of its output if it fails."""
    folder = (out / "output" / view).resolve()
    added, command = dlio_command(python, out, problem, view, ranks)
    done = subprocess.run(command, cwd=out, env=os.environ | added, capture_output=True, text=True)
    if done.returncode or not (folder / "summary.json").exists():
        raise ValueError(f"dlio_benchmark ended with {done.returncode}: {(done.stderr or done.stdout)[-800:]}")
    return folder


def dlio_command(
    python: Path, out: Path, problem: AnyProblem, view: str, ranks: int = 1
) -> tuple[dict[str, str], list[str]]:
    """(variables, command) that run DLIO on a view, at several ranks by MPI."""
    command = [str(python), str(ROOT / "perf" / "storage" / "launch.py"), f"workload={name_of(problem, view)}"]
    command += [f"hydra.run.dir={(out / 'output' / view).resolve()}", "--config-dir", str((out / "config").resolve())]
    if ranks > 1:
        command = [str(python.with_name("mpiexec")), "-n", str(ranks), *command]
    added = {"PYTHONPATH": str(ROOT), "HDF5_USE_FILE_LOCKING": "FALSE", "DFTRACER_ENABLE": "0", "OMP_NUM_THREADS": "1"}
    return added, command


def dlio_side(folder: Path, view: str, size: int, cut: int) -> Side:
    """The row of a DLIO run. `size` is the nominal bytes of a record, `cut` the samples left out."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["metric"]
    rates = tuple(summary["train_throughput_samples_per_second"])
    nominal = sum(rates) / len(rates) * size / 1e6
    return Side(f"DLIO, {view} reader", tuple(summary["train_au_percentage"]), rates, nominal, None, None, cut)


def trial(problem: AnyProblem, data: Path, log: Path, s: Settings, emulate: str) -> None:
    """Run the reference's trial with the same batch, readers and computation. Raises ValueError with the end of its
    output if it fails."""
    command = [*Launcher(s.ranks).command([sys.executable, str(TRIAL)]), "--problem", problem.name]
    command += ["--data", str(data), "--log", str(log), "--io-epochs", str(s.epochs)]
    command += ["--compute-seconds", str(s.computation), "--emulate", emulate, f"batch_size={s.batch * s.ranks}"]
    command += [f"workers={s.workers}", f"prefetch={s.prefetch}", "threads=1", "cache_gib=0"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{TRIAL.name} ended with {done.returncode}: {done.stderr[-800:]}")


def trial_side(log: Path, name: str) -> Side:
    """The row of an input trial, from its log."""
    events = [e for e in read_log(log) if isinstance(e, Event)]
    passes = [e.value for e in events if e.key == "io_epoch"]
    total = next(e.value for e in events if e.key == "io_trial")
    setup = next(e.value for e in events if e.key == "io_setup")
    physical, seconds = total["physical_bytes"], total["seconds"] * 1e6
    return Side(
        name,
        tuple(100 * p["au"]["mean"] for p in passes if p["au"]),
        tuple(p["throughput"] for p in passes),
        total["logical_bytes"]["total"] / seconds,
        total["read_bytes"]["total"] / seconds,
        physical and physical["total"] / seconds,
        0,
        setup["null_au"] and 100 * setup["null_au"],
    )


HEAD = ("side", "AU %", "samples/s", "nominal MB/s", "read MB/s", "device MB/s", "cut", "AU without reads %")
NOTES = (
    "DLIO's MB/s are nominal: record_length times samples a second, whatever was read; it counts nothing.",
    "DLIO reads a sample and hands on a random array of about its bytes, so what follows reading is not in it.",
    "DLIO with `store` and the trial prove every sample at first, and hold it against a checksum later; DLIO with",
    "`stock` checks nothing.",
    "DLIO shuffles files once; samples beyond a multiple of batch times ranks are cut. The trial reads every sample.",
    "DLIO sleeps, so readers have all cores, as with `sleep` in the trial; `spin` occupies as many as training has.",
)


def table(sides: Sequence[Side]) -> str:
    """The table of all sides, with notes below."""
    return "\n".join([aligned([HEAD, *map(cells, sides)]), *NOTES])


def cells(side: Side) -> tuple[str, ...]:
    """The cells of a row; numbers of several epochs share a cell."""
    each = (" ".join(f"{x:.1f}" for x in numbers) for numbers in (side.utilization, side.rates))
    sizes = ("-" if size is None else f"{size:.4g}" for size in (side.nominal, side.read, side.device))
    return side.name, *each, *sizes, str(side.cut), "-" if side.ceiling is None else f"{side.ceiling:.1f}"
