"""Results as text: the terminal's table, CSV, JSON and Markdown. Strings in, strings out; no file is touched."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from compliance.finding import Finding
from compliance.safe import markdown, printable, values
from results.measures.identity import rank_text
from results.measures.registry import MEASURES
from results.statistics.convergence import Surprise
from results.statistics.energy import SetEnergy
from results.statistics.expected import expected
from results.statistics.result import Result
from results.statistics.score import FEWEST
from results.statistics.slow import SLOW, slow_runs
from results.statistics.throughput import Throughput
from results.tables.expected import expected_words
from results.tables.formatting import aligned, csv_of, hundredths, markdown_table, minutes, show
from results.tables.input_trials import trial_cells
from results.tables.rates import rate_cells
from results.tables.record import COLUMNS, SCHEMA, record
from results.tables.utilization import utilization_words
from rules.current import editions
from rules.edition import load

Places = Sequence[tuple[str, str]]  # (path, why) of what has no result
Cells = tuple[list[str], list[list[str]]]  # head and rows of a table
MANY_RUNS = 20  # more than these are shown as a range
SLOW_RUNS = (  # perf/rank_errors.py
    "if one run in ten took twice as long, an interval would hold the mean of all runs in 53 % of sets of 5, 27 % of 10"
)
MOST_SLOW = 5  # runs that are named


def csv_text(results: Iterable[Result]) -> str:
    """CSV with a row for each set under the names of the columns."""
    return csv_of(COLUMNS, map(record, results))


def json_text(results: Iterable[Result], left_out: Places = (), tuning: Sequence[dict[str, Any]] = ()) -> str:
    """JSON with the records of sets, the meanings of their columns, `tuning` campaigns, and (path, why) of what has no
    result."""
    body = {
        "schema": SCHEMA,
        "columns": COLUMNS,
        "results": [record(r) for r in results],
        "left_out": [{"path": path, "why": why} for path, why in left_out],
    }
    body |= {"tuning": list(tuning)} if tuning else {}
    return json.dumps(values(body), indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def markdown_text(results: Sequence[Result], left_out: Places = ()) -> str:
    """A Markdown table for each group, then what has no result and why."""
    lines: list[str] = []
    for name, rows, (head, cells) in tables(results):
        lines += [f"### {markdown(name)}", "", *markdown_table(head, cells), ""]
        notes = [f"- {markdown(words)}"] if (words := slow_words(rows)) else []
        notes += [f"- {markdown(r.label)}: {markdown('; '.join(no_score(r)))}" for r in rows if r.why]
        lines += [*notes, ""] if notes else []
    lines += [f"- {markdown(path)}: no result: {markdown(why)}" for path, why in left_out]
    return "\n".join(lines)


def terminal_text(results: Sequence[Result], left_out: Places = ()) -> str:
    """The text for a terminal: for each group a table and the details of each set, then what has no result and why."""
    lines: list[str] = []
    for name, rows, (head, cells) in tables(results):
        lines += [name, *aligned([head, *cells])]
        lines += [f"  {SLOW_RUNS}"] if any(map(has_interval, rows)) else []
        lines.append("")
        for r in rows:
            found = finding_lines(r) if r.throughput_only else details(r)
            lines += [f"  {printable(r.label)}", *(f"    {t}" for t in found)] if found else []
        lines.append("")
    if left_out:
        lines += ["no result", *(f"  {printable(path)}: {printable(why)}" for path, why in left_out)]
    return "\n".join(lines).rstrip("\n") + "\n" if lines else ""


def tables(results: Sequence[Result]) -> Iterator[tuple[str, list[Result], Cells]]:
    """(title, sets to detail below, (head, rows)) of every table: of each group the ranking, the logs that measure
    throughput only, and the input trials."""
    for group, members in groupby(results, key=lambda r: r.group):
        rows = list(members)
        if trained := [r for r in rows if not r.throughput_only]:
            yield title(group), trained, cells_of(trained)
        alone = [r for r in rows if r.throughput_only]
        of_input = [r for r in alone if all(run.trials for run in r.runs)]
        if rest := [r for r in alone if r not in of_input]:
            yield title(group, "throughput alone"), rest, rate_cells(rest)
        tried = trial_cells(alone)
        if tried[1]:
            yield title(group, "trials of the input"), of_input, tried


def cells_of(rows: Sequence[Result]) -> Cells:
    """(head, rows) of a table of sets of one kind of scaling; with expected times and energy if any set has some."""
    head = WEAK if rows[0].weak else tuple(STRONG)
    cells = [weak_cells(r) if r.weak else [cell(r) for cell in STRONG.values()] for r in rows]
    if any(expected(r)[0] for r in rows):
        head = (*head, "expected s")
        cells = [[*line, hundredths(MEASURES["expected_seconds"].get(r))] for line, r in zip(cells, rows, strict=True)]
    if not any(r.energy for r in rows):
        return [*head], cells
    return [*head, *ENERGY], [[*line, *energy_cells(r)] for line, r in zip(cells, rows, strict=True)]


ENERGY = ("energy kJ", "95 % kJ", "mean W", "energy by")


def energy_cells(r: Result) -> list[str]:
    """A set's cells under ENERGY, "-" without energy."""
    e = r.energy
    if e is None:
        return ["-"] * len(ENERGY)
    return [show(e.joules.mean / 1000), energy_interval(e), show(e.watts), e.tier]


def energy_interval(e: SetEnergy) -> str:
    """The interval of an energy in kJ, "-" without one."""
    return (
        "-"
        if e.joules.low is None or e.joules.high is None
        else f"{show(e.joules.low / 1000)} to {show(e.joules.high / 1000)}"
    )


def energy_words(e: SetEnergy) -> str:
    """A set's energy in words: total, interval, power, joules per sample, and how it was measured."""
    each = [f"{show(j)} J a sample {what}" for what, j in (("trained", e.trained), ("evaluated", e.evaluated)) if j]
    span = "" if e.joules.low is None else f", 95 % {energy_interval(e)}"
    return "; ".join([f"{show(e.joules.mean / 1000)} kJ{span}", f"mean power {show(e.watts)} W", *each, e.words])


def title(group: Sequence[str], what: str | None = None) -> str:
    """The title of a group's table; `what` it is about, by default its scaling."""
    edition, benchmark, problem, scaling, division = group
    benchmark = labelled(edition, benchmark)
    what = what or {"strong": "time to train (capability)", "weak": "throughput"}.get(scaling, scaling)
    return printable(
        " · ".join(
            part for part in (edition, benchmark, problem, f"{division} division" if division else "", what) if part
        )
    )


def labelled(edition: str, benchmark: str) -> str:
    """A benchmark's name, with what the edition wants every heading of its results to say."""
    known = load(edition).benchmarks.get(benchmark) if edition in editions() else None
    return f"{benchmark} ({known.label})" if known and known.label else benchmark


STRONG: dict[str, Callable[[Result], str]] = {  # head of a column: a set's cell
    "rank": lambda r: rank_text(r.rank) or "-",
    "org": lambda r: r.org,
    "system": lambda r: r.system,
    "units": lambda r: show(r.one("units")),
    "FOM s": lambda r: hundredths(r.fom),
    "95 % interval": lambda r: interval(r),
    "FOM min": lambda r: minutes(r.fom),
    "median s": lambda r: hundredths(MEASURES["median_seconds"].get(r)),
    "runs": lambda r: f"{r.score.converged}/{r.score.n}",
    "epochs": lambda r: show(r.mean("epochs")),
    "verdict": lambda r: r.standing.word,
}
WEAK: tuple[str, ...] = ("org", "system", "kind", "models/h", "T units", "S units", "M models", "TTTa s", "TTTa min")
WEAK = (*WEAK, "pruned", "verdict")


def weak_cells(r: Result) -> list[str]:
    """The cells of a throughput set under WEAK."""
    last = [minutes(r.throughput.seconds if r.throughput else None), str(r.pruned), r.standing.word]
    numbers = list(map(show, weak_numbers(r)))
    if r.throughput and r.throughput.most is not None:
        numbers[2] = f"<= {show(r.throughput.most)}"
    return [r.org, r.system, r.kind or "-", *numbers, *last]


def weak_numbers(r: Result) -> list[float | None]:
    """Models per hour, T, S, M and TTTa of a throughput set, each None without score."""
    t = r.throughput
    return [t.models_per_hour, t.total, t.instance, t.models, t.seconds] if t else [None] * 5


def no_score(r: Result) -> list[str]:
    """Why a set has no score, and where it would stand."""
    return [f"no score: {r.why}", *filter(None, [would_stand_words(r)])]


def would_stand_words(r: Result) -> str:
    """Where a set without score would stand by what its logs say; "" if that is not known."""
    if r.would_stand is None:
        return ""
    return f"as logged {hundredths(r.score.fom)} s, which would be place {r.would_stand[0]} of {r.would_stand[1]}"


def bounds_words(t: Throughput) -> str:
    """Why the units of an instance are not known, and what they can be at most; "" if they are known."""
    if t.logged is None:
        return ""
    return (
        f"units of a model not known: the logs say {show(t.logged)}, but so many ran at once on {show(t.total)} that "
        f"each had at most {show(t.most)}; a model took at most {show(t.most_unit_hours)} unit-hours on average"
    )


def details(r: Result) -> list[str]:
    """The lines under a set's name."""
    lines = list(map(printable, no_score(r))) if r.why else []
    lines += [words] if r.throughput and (words := bounds_words(r.throughput)) else []
    if r.fom is not None:
        lines.append(f"figure of merit {hundredths(r.fom)} s = {minutes(r.fom)} min: {middle_words(r)}")
        lines.append(f"{interval_words(r)}; median {median_words(r)}")
    lines += filter(None, [expected_words(r)])
    if r.spread is not None:
        lines.append(spread_words(r))
    if slow := slow_of(r):
        lines.append(f"slow runs: {printable(slow)}")
    if any(r.mask):
        lines.append(parts_words(r))
    if r.energy is not None:
        lines.append(f"energy: {energy_words(r.energy)}")
    if used := utilization_words(r):
        lines.append(used)
    if r.surprise is not None:
        lines.append(f"for information, against the reference at this batch size: {surprise_words(r.surprise)}")
    if r.judged.reviewed:
        lines.append(f"reviewed: {r.judged.reviewed}")
    return [*lines, *run_lines(r), *finding_lines(r)]


def finding_lines(r: Result) -> list[str]:
    """The first five findings about a set, waived ones last."""
    s = r.standing
    findings = [*s.errors, *s.reviews, *s.pruned_errors, *s.waived]
    lines = [finding_text(f) for f in findings[:5]]
    if len(findings) > 5:
        lines.append(f"... and {len(findings) - 5} more: python compliance/check.py {printable(r.judged.path)}")
    return lines


def finding_text(f: Finding) -> str:
    """A finding, and, if it is waived, by whom and why."""
    return f.text() + (f" [waived by {printable(f.waived)}]" if f.waived else "")


def middle_words(r: Result) -> str:
    """Which runs the figure of merit averages, in words."""
    n, k = r.score.n, r.score.k
    ends = "the fastest and the slowest" if k == 1 else f"the {k} fastest and the {k} slowest"
    return f"the mean of {n - 2 * k} runs of {n}, without {ends}"


def interval_words(r: Result) -> str:
    """The interval of the figure of merit in words."""
    t = r.score.trimmed
    if t is None or t.low is None:
        return f"interval not estimable below {FEWEST} runs"
    degrees = f"{t.degrees} degree{'' if t.degrees == 1 else 's'} of freedom"
    return f"95 % {show(t.low)} to {show(t.high)} ({degrees}), standard error {show(t.standard_error)}"


def median_words(r: Result) -> str:
    """The median and its interval in words."""
    m = r.score.median
    if m is None:
        return "-"
    if m.level is None:
        return f"{show(m.value)} s"
    return f"{show(m.value)} s, {show(m.low)} to {show(m.high)} at {100 * m.level:.1f} %"


def spread_words(r: Result) -> str:
    """The coefficients of variation in words."""
    s = r.spread
    if s is None:
        return ""
    each = f"epochs {100 * s.epochs:.1f} %, seconds per epoch {100 * s.seconds_per_epoch:.1f} %"
    return f"coefficient of variation between runs: seconds {100 * s.time:.1f} %, {each}"


def surprise_words(s: Surprise) -> str:
    """The permutation test on epochs in words."""
    least = "too few runs to notice any" if s.detectable is None else f"{fewer(s.detectable)} would be noticed"
    return f"{fewer(s.speedup)} epochs (exact permutation test for fewer: p = {s.p:.3g}; {least})"


def fewer(speedup: float) -> str:
    """A set's epochs relative to another set's, which takes `speedup` times as many: "15 % fewer", "as many"."""
    change = round(100 * (1 / speedup - 1))
    return f"{abs(change)} % {'more' if change > 0 else 'fewer'}" if change else "as many"


def parts_words(r: Result) -> str:
    """The mean parts of a run's time, its rate and its compute budget in words."""
    parts = [
        f"{name} {show((r.mean(f'{name}_ms') or 0) / 1000)}" for name in ("staging", "training", "evaluation", "rest")
    ]
    rate, hours = r.mean("train_rate"), r.mean("unit_hours")
    tail = [f"training {show(rate)} samples/s"] if rate else []
    tail += [f"{show(hours)} {r.one('unit')}-hours a run"] if hours and r.one("unit") else []
    return f"mean seconds: {' + '.join(parts)}{''.join('; ' + t for t in tail)}"


def run_lines(r: Result) -> list[str]:
    """A line for each run, marked if the figure of merit drops it; a range if there are more than MANY_RUNS."""
    if r.score.n > MANY_RUNS:
        values = [s for s in r.seconds if math.isfinite(s)]
        bounds = f", {show(min(values))} to {show(max(values))} s" if values else ""
        return [f"{r.score.n} runs{bounds}"]
    rows = [["run", "seconds", "epochs", "quality", ""]]
    for kept, run in zip(r.mask, r.rows, strict=True):
        seconds = hundredths(run.seconds) if math.isfinite(run.seconds) else "-"
        name = str(run.run) if run.run is not None else str(run.log).rpartition("/")[2]
        note = "" if kept else "dropped" if math.isfinite(run.seconds) else f"not converged: {run.fault}"
        quality = "-" if run.quality is None else f"{run.quality:.4f}"
        rows.append([name, seconds, show(run.epochs), quality, printable(note)])
    return aligned(rows)


def slow_of(r: Result) -> str:
    """The slow runs of a set, in words: "run 3 took 2.1 times the median"; "" without any."""
    found = [(r.rows[i].run, ratio) for i, ratio in slow_runs(r.seconds)]
    named = ", ".join(f"run {'-' if run is None else run} took {ratio:.1f}" for run, ratio in found[:MOST_SLOW])
    more = f", and {len(found) - MOST_SLOW} more runs are slow" if len(found) > MOST_SLOW else ""
    return f"{named} times the median{more}" if found else ""


def slow_words(rows: Sequence[Result]) -> str:
    """The note under a table: which runs are slow, and what intervals say if some are; "" without intervals."""
    if not any(map(has_interval, rows)):
        return ""
    slow = [f"{r.label}: {words}" for r in rows if (words := slow_of(r))]
    named = "; ".join(slow[:MOST_SLOW]) + (f"; and {len(slow) - MOST_SLOW} more sets" if len(slow) > MOST_SLOW else "")
    found = f"Slow runs: {named}." if slow else f"No run took {SLOW:g} times the median of its set."
    return f"{found} {SLOW_RUNS[0].upper()}{SLOW_RUNS[1:]}."


def has_interval(r: Result) -> bool:
    """Whether a set has a figure of merit with an interval."""
    return r.fom is not None and r.score.trimmed is not None and r.score.trimmed.low is not None


def interval(r: Result) -> str:
    """The interval of the figure of merit, "-" without one."""
    t = r.score.trimmed
    return f"{hundredths(t.low)} to {hundredths(t.high)}" if t and has_interval(r) else "-"
