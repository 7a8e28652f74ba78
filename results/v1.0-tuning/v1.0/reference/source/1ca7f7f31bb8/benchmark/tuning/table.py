"""Tables of settings by batch size: hpo_table.json of a problem, and what follows for batch sizes between its rows.

A row has the fields of MLPerf's reference convergence points (Benchmark, Creator, When, Platform, BS, Hyperparams,
Epochs to converge), so that its tools can read the table, and beside these ours: "Samples to converge", the mean over
the confirmation runs with its interval of 95 %, "Trials", "Successes" and "Campaign", the campaign's digest.
"""

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.config import shown
from benchmark.log import open_regular
from benchmark.tuning.campaign import is_value, same

LARGEST = 1 << 20  # bytes of a table
MOST_ROWS = 1000
NAME = re.compile(r"[A-Za-z_]\w{0,99}")


@dataclass(frozen=True)
class Samples:
    """Samples to the target: the mean and its interval, None where it can't be told."""

    mean: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Row:
    """Settings for a batch size. `between`: the two measured batch sizes that it was interpolated from."""

    batch: int
    settings: dict[str, Any]
    samples: Samples
    between: tuple[int, int] | None = None


def read_table(path: Path, problem: str | None = None) -> list[Row]:
    """The rows of a table, by batch size. Raises ValueError, naming the file, for what is none, or for another
    problem than `problem`."""
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
        values = json.loads(data) if len(data) <= LARGEST else None
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path}: found no table that can be read ({str(error)[:100]}), wanted hpo_table.json"
        ) from None
    if not isinstance(values, dict) or not 0 < len(values) <= MOST_ROWS:
        raise ValueError(f"{path}: found no rows, wanted 1 to {MOST_ROWS} of at most {LARGEST} bytes in all")
    named = [(name, _row(values[name], f"{path}: {shown(name)}")) for name in values]
    strange = [name for name, _ in named if problem and not re.fullmatch(re.escape(problem) + r"_\d+", name)]
    if strange:
        raise ValueError(f"{path}: found the row {shown(strange[0])}, wanted rows of {problem}")
    rows = sorted((row for _, row in named), key=lambda row: row.batch)
    if len({row.batch for row in rows}) < len(rows):
        raise ValueError(f"{path}: found a batch size twice, wanted each once")
    return rows


def _row(values: Any, where: str) -> Row:
    if not isinstance(values, dict):
        raise ValueError(f"{where}: found {shown(values)}, wanted the fields of a row")
    batch, settings, said = (values.get(name) for name in ("BS", "Hyperparams", "Samples to converge"))
    if type(batch) is not int or not 1 <= batch <= 1 << 20:
        raise ValueError(f"{where}: BS: found {shown(batch)}, wanted a batch size of 1 or more")
    plain = isinstance(settings, dict) and len(settings) <= 1000
    if not plain or not all(NAME.fullmatch(name) and is_value(value) for name, value in settings.items()):
        raise ValueError(f"{where}: Hyperparams: found {shown(settings)}, wanted settings by name")
    numbers = [said.get(name) for name in ("mean", "low", "high")] if isinstance(said, dict) else [None]
    if numbers[0] is None or not all(n is None or _positive(n) for n in numbers):
        raise ValueError(f"{where}: Samples to converge: found {shown(said)}, wanted mean, low and high above 0")
    return Row(batch, settings, Samples(*numbers))


def _positive(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < math.inf


def row_for(rows: list[Row], batch: int) -> Row:
    """The row of a batch size: a measured one, or one between the two nearest. Rates and samples to the target are
    interpolated linearly in their logarithms over that of the batch size; a setting that is no positive number is that
    of the nearer row. Raises ValueError outside of what was measured."""
    for row in rows:
        if row.batch == batch:
            return row
    below = [row for row in rows if row.batch < batch]
    above = [row for row in rows if row.batch > batch]
    if not below or not above:
        measured = ", ".join(str(row.batch) for row in rows)
        raise ValueError(f"found a batch size of {batch}, wanted one from the smallest to the largest of {measured}")
    first, last = below[-1], above[0]
    share = math.log(batch / first.batch) / math.log(last.batch / first.batch)
    names = [name for name in first.settings if name in last.settings]
    settings = {name: _between(first.settings[name], last.settings[name], share) for name in names}
    pairs = zip(_numbers(first.samples), _numbers(last.samples), strict=True)
    samples = [None if a is None or b is None else _power(a, b, share) for a, b in pairs]
    return Row(batch, settings, Samples(*samples), (first.batch, last.batch))


def _between(a: Any, b: Any, share: float) -> Any:
    if same(a, b) or not (_positive(a) and _positive(b)):
        return a if share < 0.5 else b
    value = _power(a, b, share)
    return round(value) if type(a) is int and type(b) is int else float(f"{value:.4g}")


def _power(a: float, b: float, share: float) -> float:
    """Between two positive numbers, linear in their logarithms."""
    return math.exp((1 - share) * math.log(a) + share * math.log(b))


def _numbers(samples: Samples) -> tuple[float | None, ...]:
    return samples.mean, samples.low, samples.high


def settings_from(where: str, problem: str) -> tuple[list[str], str]:
    """TABLE:BATCH as settings of a command line, and in words where they come from. Raises ValueError for anything
    else."""
    path, _, batch = where.rpartition(":")
    if not path or not re.fullmatch(r"[1-9]\d{0,6}", batch):
        raise ValueError(f"--batch-from-table: found {where!r}, wanted the path of a table, a colon and a batch size")
    try:
        row = row_for(read_table(Path(path), problem), int(batch))
    except ValueError as error:
        raise ValueError(f"--batch-from-table: {error}") from None
    settings = {**row.settings, "batch_size": row.batch}
    return [f"{name}={json.dumps(value)}" for name, value in settings.items()], told(row)


def told(row: Row) -> str:
    """Where the settings of a row come from, and what they promise."""
    low, high = (f"{end:.4g}" if end else "unknown" for end in (row.samples.low, row.samples.high))
    how = "interpolated between {} and {}".format(*row.between) if row.between else "measured"
    return (
        f"settings for batch size {row.batch} are {how}: {row.samples.mean:.4g} samples to the target ({low} to {high})"
    )
