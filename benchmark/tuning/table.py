"""Read a problem's table of settings by batch size, hpo_table.json, and interpolate between its rows.

A row has the fields of MLPerf's reference convergence points (Benchmark, Creator, When, Platform, BS, Hyperparams,
Epochs to converge), so that MLPerf's tools can read the table. This project adds "Samples to converge", the mean over
the confirmation runs with its interval of 95 %, "Trials", "Successes" and "Campaign", the campaign's digest.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeGuard

from benchmark.config import shown
from benchmark.log import open_regular
from benchmark.printable import reason
from benchmark.tuning.campaign import is_value, same
from benchmark.tuning.points import DIGITS, EXACT

KEY = "settings_table"  # of the event in the log of a run whose settings come from a table
NEAR_ONE = ("average_decay", "beta_1", "beta_2", "momentum")  # what matters of them is their distance from 1
LARGEST = 1 << 20  # bytes of a table
LARGEST_BATCH = 1 << 20
MOST_ROWS = 1000
NAME = re.compile(r"[A-Za-z_]\w{0,99}")


@dataclass(frozen=True)
class Samples:
    """Training samples to the target: the mean over runs and the ends of its interval, None where that is unknown."""

    mean: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Row:
    """Settings for a batch size. `between` has the two measured batch sizes that an interpolated row comes from."""

    batch: int
    settings: dict[str, Any]
    samples: Samples
    between: tuple[int, int] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """All settings that a run takes from the row."""
        return {**self.settings, "batch_size": self.batch}


@dataclass(frozen=True)
class Taken:
    """What a run takes from a table: the `row`, the table's sha256, the measured `rows` that the row follows from, and
    the names of the settings that the command line overrides (`over`)."""

    row: Row
    sha256: str
    rows: tuple[Row, ...]
    over: tuple[str, ...] = ()

    @property
    def settings(self) -> list[str]:
        """The row as settings of a command line."""
        return [f"{name}={json.dumps(value)}" for name, value in self.row.given.items()]

    @property
    def told(self) -> str:
        """The line that tells people where the settings come from, and how many samples to expect."""
        row = self.row
        low, high = (f"{end:.4g}" if end else "unknown" for end in (row.samples.low, row.samples.high))
        how = "interpolated between {} and {}".format(*row.between) if row.between else "measured"
        promise = f"{row.samples.mean:.4g} samples to the target ({low} to {high})"
        return f"settings for batch size {row.batch} are {how}: {promise}"

    @property
    def facts(self) -> dict[str, Any]:
        """The value of the run's log event."""
        rows = [
            {"BS": row.batch, "Hyperparams": row.settings, "Samples to converge": dict(vars(row.samples))}
            for row in self.rows
        ]
        return {"sha256": self.sha256, "batch": self.row.batch, "rows": rows, "over": list(self.over)}


def read_table(path: Path, problem: str | None = None) -> tuple[list[Row], str]:
    """Return the rows of a table in order of batch size, and the sha256 of its file. Raises ValueError, naming the
    file, for anything that is no table, or a table of another problem than `problem`."""
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
        values = json.loads(data) if len(data) <= LARGEST else None
    except (OSError, ValueError, RecursionError) as error:
        found = f"found no table that can be read ({reason(error)[:100]})"
        raise ValueError(f"{path}: {found}, wanted hpo_table.json") from None
    if not isinstance(values, dict) or not 0 < len(values) <= MOST_ROWS:
        raise ValueError(f"{path}: found no rows, wanted 1 to {MOST_ROWS} of at most {LARGEST} bytes in all")
    named = [(name, _row(values[name], f"{path}: {shown(name)}")) for name in values]
    strange = [name for name, _ in named if problem and not re.fullmatch(re.escape(problem) + r"_\d+", name)]
    if strange:
        raise ValueError(f"{path}: found the row {shown(strange[0])}, wanted rows of {problem}")
    rows = sorted((row for _, row in named), key=lambda row: row.batch)
    if len({row.batch for row in rows}) < len(rows):
        raise ValueError(f"{path}: found a batch size twice, wanted each once")
    return rows, hashlib.sha256(data).hexdigest()


def _row(values: Any, where: str) -> Row:
    if not isinstance(values, dict):
        raise ValueError(f"{where}: found {shown(values)}, wanted the fields of a row")
    batch = values.get("BS")
    if not _is_batch(batch):
        raise ValueError(f"{where}: BS: found {shown(batch)}, wanted a batch size of 1 to {LARGEST_BATCH}")
    settings = _settings(values.get("Hyperparams"), f"{where}: Hyperparams")
    return Row(batch, settings, _samples(values.get("Samples to converge"), f"{where}: Samples to converge"))


def _settings(found: Any, where: str) -> dict[str, Any]:
    plain = isinstance(found, dict) and len(found) <= 1000
    if not plain or not all(NAME.fullmatch(name) and is_value(value) for name, value in found.items()):
        raise ValueError(f"{where}: found {shown(found)}, wanted settings by name")
    return dict(found)


def _samples(found: Any, where: str) -> Samples:
    mean, low, high = map(found.get, ("mean", "low", "high")) if isinstance(found, dict) else (None, None, None)
    if mean is None or not all(n is None or _positive(n) for n in (mean, low, high)):
        raise ValueError(f"{where}: found {shown(found)}, wanted mean, low and high above 0")
    return Samples(mean, low, high)


def _is_batch(value: Any) -> TypeGuard[int]:
    return type(value) is int and 1 <= value <= LARGEST_BATCH


def _positive(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value <= sys.float_info.max


def row_for(rows: list[Row], batch: int) -> Row:
    """Return the row of a batch size: a measured one, or one interpolated between the two nearest.

    Positive numbers and samples to the target are interpolated linearly on logarithmic axes, over the batch size, those
    of NEAR_ONE by their distance from 1. Any other setting is taken from the nearer row. Raises ValueError outside the
    measured range.
    """
    for row in rows:
        if row.batch == batch:
            return row
    below = [row for row in rows if row.batch < batch]
    above = [row for row in rows if row.batch > batch]
    if not below or not above:
        measured = ", ".join(str(row.batch) for row in rows)
        raise ValueError(f"found a batch size of {batch}, wanted one from the smallest to the largest of {measured}")
    first, last = below[-1], above[0]
    logs = [EXACT.ln(Decimal(size)) for size in (first.batch, batch, last.batch)]
    share = EXACT.divide(EXACT.subtract(logs[1], logs[0]), EXACT.subtract(logs[2], logs[0]))
    names = [name for name in first.settings if name in last.settings]
    settings = {name: _between(name, first.settings[name], last.settings[name], share) for name in names}
    one, other = first.samples, last.samples
    low, high = (
        None if a is None or b is None else float(_power(a, b, share))
        for a, b in ((one.low, other.low), (one.high, other.high))
    )
    samples = Samples(float(_power(one.mean, other.mean, share)), low, high)
    return Row(batch, settings, samples, (first.batch, last.batch))


def _between(name: str, a: Any, b: Any, share: Decimal) -> Any:
    if same(a, b) or not (_positive(a) and _positive(b)):
        return a if share < Decimal("0.5") else b
    if name in NEAR_ONE and max(a, b) < 1:
        first, last = (EXACT.subtract(Decimal(1), Decimal(repr(end))) for end in (a, b))
        value = EXACT.subtract(Decimal(1), _power(first, last, share))
    else:
        value = _power(a, b, share)
    return round(value) if type(a) is int and type(b) is int else float(f"{value:.{DIGITS}g}")


def _power(a: float | Decimal, b: float | Decimal, share: Decimal) -> Decimal:
    """Interpolate between two positive numbers, linearly in their logarithms, with the same result on every machine."""
    first, last = EXACT.ln(Decimal(a)), EXACT.ln(Decimal(b))
    return EXACT.exp(EXACT.fma(share, EXACT.subtract(last, first), first))


def settings_for_batch(where: str, problem: str, settings: Iterable[str] = ()) -> Taken:
    """Return what TABLE:BATCH gives, where the `settings` of the command line override it. Raises ValueError for
    anything else than the path of a table, a colon and a batch size that it covers."""
    path, _, batch = where.rpartition(":")
    if not path or not re.fullmatch(r"[1-9][0-9]{0,6}", batch) or int(batch) > LARGEST_BATCH:
        wanted = f"the path of a table, a colon and a batch size up to {LARGEST_BATCH}"
        raise ValueError(f"--batch-from-table: found {where!r}, wanted {wanted}")
    try:
        rows, digest = read_table(Path(path), problem)
        row = row_for(rows, int(batch))
    except ValueError as error:
        raise ValueError(f"--batch-from-table: {error}") from None
    measured = tuple(one for one in rows if one.batch in (row.between or (row.batch,)))
    names = {text.partition("=")[0] for text in settings}
    return Taken(row, digest, measured, tuple(sorted(names & row.given.keys())))


def taken(facts: Any) -> Taken:
    """Return what a log says a run took from a table, with the row computed again from the measured ones. Raises
    ValueError for a value that no run writes."""
    wanted = "sha256, batch, rows and over, as a run logs them"
    if not isinstance(facts, dict) or facts.keys() != {"sha256", "batch", "rows", "over"}:
        raise ValueError(f"found {shown(facts)}, wanted {wanted}")
    digest, batch, rows, over = (facts[name] for name in ("sha256", "batch", "rows", "over"))
    if type(digest) is not str or not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise ValueError(f"found sha256 {shown(digest)}, wanted 64 hexadecimal digits")
    if not _is_batch(batch):
        raise ValueError(f"found batch {shown(batch)}, wanted 1 to {LARGEST_BATCH}")
    if type(over) is not list or not all(type(name) is str for name in over):
        raise ValueError(f"found over {shown(over)}, wanted names of settings")
    if type(rows) is not list or len(rows) not in (1, 2):
        raise ValueError(f"found rows {shown(rows)}, wanted the row of the batch size, or the two around it")
    measured = [_row(values, "rows") for values in rows]
    batches = [row.batch for row in measured]
    if batches != [batch] and not (len(batches) == 2 and batches[0] < batch < batches[1]):
        raise ValueError(f"found rows of {shown(batches)} for a batch of {batch}, wanted its own, or two around it")
    return Taken(row_for(measured, batch), digest, tuple(measured), tuple(over))
