"""Convergence as text: the Markdown table, and the reference points for limits.yaml."""

import math
import statistics
from collections.abc import Sequence

from perf.curves.runs import Series
from perf.pages.generated import table
from rules.reference import FEWEST_RUNS

HEAD = (
    *("problem", "width", "batch size", "runs", "reached the target", "epochs: fewest", "median", "most"),
    *("CV of epochs", "seconds, median", "threads"),
)


def markdown(series: Sequence[Series]) -> str:
    """A Markdown table with a row for each series; epochs and seconds are those of runs that met the target."""
    rows = []
    for one, name in zip(series, names(series), strict=True):
        cells = [name, str(one.width or ""), str(one.batch), str(len(one.runs)), str(len(one.epochs))]
        epochs, cv = one.epochs, one.variation
        spread = (epochs[0], statistics.median(epochs), epochs[-1]) if epochs else ("", "", "")
        cells += [v if v == "" else f"{v:g}" for v in spread]
        cells += ["" if cv is None else f"{100 * cv:.1f} %"]
        cells += [f"{statistics.median(one.seconds):.1f}" if one.seconds else "", machine(one)]
        rows.append(cells)
    return table(HEAD, rows, numbers=True)


def names(series: Sequence[Series]) -> list[str]:
    """The name of each series: its problem, with the settings in which series of equal width and batch size differ."""
    found = []
    for one in series:
        alike = [s for s in series if (s.problem, s.width, s.batch) == (one.problem, one.width, one.batch)]
        odd = [k for k in one.settings if any(s.settings.get(k) != one.settings[k] for s in alike)]
        more = [f"{k} {one.settings[k]}" for k in odd]
        if len({s.problem_digest for s in alike}) > 1:
            more.append(f"definition {one.problem_digest[:8]}")
        found.append(one.problem + (f" ({', '.join(more)})" if more else ""))
    return found


def machine(one: Series, word: str = "") -> str:
    """The threads of a series' runs, or their device if it is no CPU; with `word` "thread": "2 threads"."""
    named = {
        number: f"{number} {word}{'s' * (number != 1)}" if word else f"{number}"
        for number in {r.threads for r in one.runs}
    }
    return ", ".join(sorted({named[r.threads] if r.device in ("cpu", "") else r.device for r in one.runs}))


def points(series: Sequence[Series]) -> str:
    """`reference_epochs` of each problem, as rules/<edition>/limits.yaml has them: where each run crossed its target.

    Series of problems whose definition has changed, or with too few runs, and runs that missed the target are named in
    comments. Raises ValueError if a problem has several series at one batch size.
    """
    lines, done = [], {}
    for one, name in zip(series, names(series), strict=True):
        if not one.published:
            lines.append(f"# {name}, width {one.width}, batch size {one.batch}: not the problem as it is defined now")
            continue
        where = f"{one.problem}, batch size {one.batch}"
        if (one.problem, one.batch) in done:
            first = done[one.problem, one.batch]
            raise ValueError(f"{one.problem} at batch size {one.batch}: found {first} and {name}, wanted one series")
        done[one.problem, one.batch] = name
        if len(one.epochs) < len(one.runs):
            missed = len(one.runs) - len(one.epochs)
            lines.append(f"# {where}: {missed} of {len(one.runs)} runs missed the target")
        if len(one.epochs) < FEWEST_RUNS:
            lines.append(f"# {where}: {len(one.epochs)} runs, a point needs {FEWEST_RUNS}")
            continue
        if f"{one.problem}:" not in lines:
            lines += [f"{one.problem}:", "  reference_epochs:"]
        lines.append(f"    {one.batch}: [{', '.join(map(rounded_up, one.crossings))}]")
    return "\n".join(lines)


def rounded_up(crossing: float) -> str:
    """A crossing to a hundredth of an epoch, never below the evaluation before it."""
    return f"{math.ceil(crossing * 100 - 1e-9) / 100:.2f}"
