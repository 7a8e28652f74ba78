"""Results as text: the terminal's table, CSV, JSON and Markdown. Strings in, strings out; no file is touched."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from compliance.safe import markdown, printable, values
from results.statistics.result import Result
from results.tables.cells import Table
from results.tables.formatting import aligned, csv_of, markdown_table, quality, show
from results.tables.input_trials import trial_table
from results.tables.links import Links
from results.tables.ranking import ranking
from results.tables.rates import rate_table
from results.tables.record import COLUMNS, SCHEMA, record
from results.tables.words import facts, finding_text, no_score, notes, title

Places = Sequence[tuple[str, str]]  # (path, why) of what has no result
MANY_RUNS = 20  # more than these are shown as a range


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
    for name, rows, table in tables(results):
        head, *cells = table.words
        lines += [f"### {markdown(name)}", "", *markdown_table(head, cells), ""]
        said = [f"- {markdown(words)}" for words in notes(rows)]
        said += [f"- {markdown(r.label)}: {markdown('; '.join(no_score(r)))}" for r in rows if r.why]
        lines += [*said, ""] if said else []
    lines += [f"- {markdown(path)}: no result: {markdown(why)}" for path, why in left_out]
    return "\n".join(lines)


def terminal_text(results: Sequence[Result], left_out: Places = ()) -> str:
    """The text for a terminal: for each group a table and the details of each set, then what has no result and why."""
    lines: list[str] = []
    for name, rows, table in tables(results):
        lines += [name, *aligned(table.narrow)]
        lines += [f"  {printable(words)}" for words in notes(rows)]
        lines.append("")
        for r in rows:
            found = finding_lines(r) if r.throughput_only else details(r)
            lines += [f"  {printable(r.label)}", *(f"    {t}" for t in found)] if found else []
        lines.append("")
    if left_out:
        lines += ["no result", *(f"  {printable(path)}: {printable(why)}" for path, why in left_out)]
    return "\n".join(lines).rstrip("\n") + "\n" if lines else ""


def tables(results: Sequence[Result]) -> Iterator[tuple[str, list[Result], Table]]:
    """(title, sets to detail below, table) of every table: of each group the ranking, the logs that measure throughput
    only, and the input trials."""
    links = Links(Path.cwd(), public=True)
    for group, members in groupby(results, key=lambda r: r.group):
        rows = list(members)
        if trained := [r for r in rows if not r.throughput_only]:
            yield title(group), trained, ranking(trained, links)
        alone = [r for r in rows if r.throughput_only]
        of_input = [r for r in alone if all(run.trials for run in r.runs)]
        if rest := [r for r in alone if r not in of_input]:
            yield title(group, "throughput alone"), rest, rate_table(rest, links)
        if tried := trial_table(alone, links):
            yield title(group, "trials of the input"), of_input, tried


def details(r: Result) -> list[str]:
    """The lines under a set's name."""
    lines = list(map(printable, no_score(r))) if r.why else []
    return [*lines, *(f"{name}: {value}" for name, value in facts(r)), *run_lines(r), *finding_lines(r)]


def finding_lines(r: Result) -> list[str]:
    """The first five findings about a set, waived ones last."""
    s = r.standing
    findings = [*s.errors, *s.reviews, *s.pruned_errors, *s.waived]
    lines = [finding_text(f) for f in findings[:5]]
    if len(findings) > 5:
        lines.append(f"... and {len(findings) - 5} more: python compliance/check.py {printable(r.judged.path)}")
    return lines


def run_lines(r: Result) -> list[str]:
    """A line for each run, marked if the figure of merit drops it; a range if there are more than MANY_RUNS."""
    if r.score.n > MANY_RUNS:
        values = [s for s in r.seconds if math.isfinite(s)]
        bounds = f", {show(min(values))} to {show(max(values))} s" if values else ""
        return [f"{r.score.n} runs{bounds}"]
    rows = [["run", "seconds", "epochs", "quality", ""]]
    for kept, row in zip(r.mask, r.rows, strict=True):
        seconds = show(row.seconds) if math.isfinite(row.seconds) else "-"
        name = str(row.run.number) if row.run.number is not None else row.run.file.name
        note = "" if kept else "dropped" if math.isfinite(row.seconds) else f"not converged: {row.fault}"
        rows.append([name, seconds, show(row.epochs), quality(row.quality, row.target), printable(note)])
    return aligned(rows)
