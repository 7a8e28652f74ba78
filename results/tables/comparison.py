"""The comparison of sets of runs as text."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from compliance.safe import printable, values
from results import differences as d
from results.comparable import remarks
from results.differences import Pair, Side
from results.environments import environment_differences
from results.sources import source_differences
from results.statistics.contrast import Contrast
from results.statistics.factors import Factor, factors
from results.statistics.result import Result
from results.tables.expected import pair_words as expected_times
from results.tables.factors import factor_rows, sentence
from results.tables.formatting import aligned, cut, finite, show, times, times_between
from results.tables.input_trials import trial_differences
from results.tables.record import record
from results.tables.words import finding_text, no_score, notes, staging_differs, title


def text(compared: Sequence[Side], pairs: Sequence[Pair]) -> str:
    """The comparison for a terminal."""
    told = [pair_words(p, compared) for p in pairs]
    lines = [titled(compared), *(f"{s.letter}  {printable(named(s, compared))}" for s in compared)]
    lines += [f"   {s.letter}: {printable('; '.join(no_score(s.result)))}" for s in compared if s.result.why]
    lines.append("")
    lines += [printable(line) for verdict, *more in told for line in (verdict, *(f"   {words}" for words in more))]
    lines.append("")
    for p, found in products(compared, pairs):
        slow, fast = p.letters
        head = ["factor", f"of the time of {slow}", "95 % interval", slow, fast]
        lines += [f"what makes the time of {slow} over that of {fast}", *aligned([head, *factor_rows(found)]), ""]
    for name, rows in measured(compared):
        lines += block(name, rows, compared)
    if said := notes([s.result for s in compared]):
        lines[-1:] = [*(f"  {printable(words)}" for words in said), ""]
    for name, rows in lists_of_differences(compared):
        lines += block(f"{name} (differences)", rows, compared)
    lines += source_lines(compared)
    lines += ["findings"]
    for s in compared:
        lines += [f"  {s.letter}  {s.result.standing.word}"]
        lines += [f"     {finding_text(f)}" for f in s.result.standing.everything[:20]]
    return "\n".join(lines) + "\n"


def products(compared: Sequence[Side], pairs: Sequence[Pair]) -> list[tuple[Pair, list[Factor]]]:
    """(pair, factors of the slower set's time over the faster one's) of each pair that is compared and has some."""
    first, others = compared[0].result, {s.letter: s.result for s in compared}
    sets = [(p, (first, others[p.letter]) if p.a_is_slower else (others[p.letter], first)) for p in pairs if not p.why]
    return [(p, found) for p, both in sets if (found := factors(*both))]


def json_text(compared: Sequence[tuple[Sequence[Side], Sequence[Pair]]]) -> str:
    """Comparisons as JSON: the records of the sets by letter; of each pair the sentences, the ratio and its factors."""
    body = {"schema": "comparison/1", "comparisons": [comparison_record(*both) for both in compared]}
    return json.dumps(values(body), indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def comparison_record(compared: Sequence[Side], pairs: Sequence[Pair]) -> dict[str, Any]:
    """One comparison as a JSON object."""
    found = {p.letter: made for p, made in products(compared, pairs)}
    told = [
        {
            "against": p.letter,
            "why": p.why or None,
            "said": pair_words(p, compared),
            "time": {name: finite(value) for name, value in asdict(p.contrast).items()},
            "factors_of": p.name if p.letter in found else None,
            "factors": list(map(asdict, found.get(p.letter, ()))),
        }
        for p in pairs
    ]
    return {"sets": {s.letter: record(s.result) for s in compared}, "pairs": told}


def lists_of_differences(compared: Sequence[Side]) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """(heading, rows) of each list of differences: system description, settings, environment."""
    described = [s.result.judged.description for s in compared]
    systems = d.different([{str(key)[:100]: d.plain(value) for key, value in one.items()} for one in described])
    found = [("system", systems), ("settings", d.different([d.settings(s.runs) for s in compared]))]
    environments = environment_differences(compared)
    return [*found, ("environment", environments)] if environments else found


def measured(compared: Sequence[Side]) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """(heading, rows) of the measures of runs and of input trials; a list without rows is left out."""
    found = [("measured", d.measures(compared)), ("input", trial_differences([s.result for s in compared]))]
    return [(name, rows) for name, rows in found if rows]


def titled(compared: Sequence[Side]) -> str:
    """The heading of a comparison: edition, benchmark, problem, division and scaling, as far as all sets share them."""
    groups = [s.result.group for s in compared]
    return title(tuple(part if all(g[i] == part for g in groups) else "" for i, part in enumerate(groups[0])))


def named(side: Side, compared: Sequence[Side]) -> str:
    """A set's name, with its edition, problem and division if these differ between sets."""
    groups = [s.result.group for s in compared]
    differs = [part for i, part in enumerate(side.result.group) if any(g[i] != part for g in groups)]
    return " · ".join([side.result.label, *(part or "-" for part in differs)])


def pair_words(p: Pair, compared: Sequence[Side]) -> list[str]:
    """Which set is faster and by how much, in a sentence, then sentences that qualify it. If the interval includes 1,
    neither is called faster."""
    a, b = compared[0].result, next(s.result for s in compared if s.letter == p.letter)
    if p.why:
        return [f"A and {p.letter} are not compared: {p.why}"]
    words = [rate_words(p, a, b)] if a.weak else [time_words(p), *energy_words(p, a, b)]
    if p.contrast.distinguishable:
        often = 100 * (1 - p.slower.faster)
        words.append(f"of all pairs of their runs, that of {p.letters[1]} was faster in {often:.0f} %")
    if not a.weak:
        words.append(told_words(p, a, b))
    (slow, name), (fast, other) = sorted([(a, "A"), (b, p.letter)], key=lambda side: side[0].fom or 0, reverse=True)
    product = sentence(factors(slow, fast), slow, fast, name, other)
    return [*words, *filter(None, (product, staging_differs(a, b, "A", p.letter))), *remarks(a, b)]


def time_words(p: Pair) -> str:
    """Which set trains faster. The ratio is the slower set's time over the faster one's."""
    c, (slow, fast) = p.slower, p.letters
    if c.ratio is None:
        return f"A and {p.letter}: no difference can be told: too few runs"
    told = ratio_words(c, p.together, f"{slow} takes", f"times as long as {fast}")
    return f"{fast} is faster: {told}" if c.distinguishable else f"A and {p.letter}: no difference can be told: {told}"


def told_words(p: Pair, a: Result, b: Result) -> str:
    """What each measure can tell of two sets: the time to target, and the expected time."""
    apart = {True: "distinguishable", False: "not distinguishable", None: "too few runs"}[p.contrast.distinguishable]
    told = expected_times(a, b, "A", p.letter, p.together)
    return f"time to target (ranks sets): {apart}; expected time (ranks none): {told}"


def energy_words(p: Pair, a: Result, b: Result) -> list[str]:
    """The ratio of energies, if both sets have one; [] otherwise."""
    if a.energy and b.energy and p.energy is None:
        return [f"their energies are not compared: {a.energy.words} and {b.energy.words}"]
    if p.energy is None or p.energy.ratio is None:
        return []
    told = ratio_words(p.energy, p.together, "A takes", f"times the energy of {p.letter}", "takes less")
    return [told if p.energy.distinguishable else f"no difference in energy can be told: {told}"]


def ratio_words(c: Contrast, together: int, one: str, other: str, better: str = "is faster") -> str:
    """A ratio with its interval, or the interval alone where it tells no difference. `better` is what runs that
    separate are."""
    level = f"95 % for all {together} ratios at once" if together > 1 else "95 %"
    degrees = "no spread" if c.degrees is None else f"{c.degrees:.1f} degrees of freedom"
    span = times_between(c.low, c.high)
    if not c.distinguishable:
        return f"{one} {span} {other} ({level}, {degrees})"
    apart = f"; every run of one {better} than every run of the other" if c.holds_1 else ""
    return f"{one} {times(c.ratio, c.low, c.high)} {other} ({level}: {span}, {degrees}{apart})"


def rate_words(p: Pair, a: Result, b: Result) -> str:
    """Which throughput set makes more models an hour; each was measured once, so there is no interval."""
    if a.throughput is None or b.throughput is None:
        return ""
    x, y = (a.throughput, "A"), (b.throughput, p.letter)
    (high, fast), (low, slow) = (y, x) if y[0].models_per_hour >= x[0].models_per_hour else (x, y)
    more, rates = high.models_per_hour / low.models_per_hour, (show(t.models_per_hour) for t in (high, low))
    said = f"{fast} makes {times(more)} times as many models an hour as {slow} ({' and '.join(rates)})"
    if high.total and low.total:
        each = more * low.total / high.total
        which = f"and {times(each)}" if each >= 1 else f"but {slow} makes {times(1 / each)}"
        said += f", {which} times as many a device ({show(high.total)} and {show(low.total)} {a.one('unit')}s)"
    return f"{said}, each measured once, so that no interval is known"


def source_lines(compared: Sequence[Side]) -> list[str]:
    """The differences in source, a line for each file."""
    without, differences = source_differences([(s.letter, s.result) for s in compared])
    lines = ["source (differences)"]
    lines += [f"  {words}" for words in without]
    for found in differences:
        lines.append(f"  {found.title}")
        lines += [f"    {printable(change.words)}" for change in found.changes]
        lines += [f"    ... and {found.more} more"] if found.more else []
    return [*lines, ""]


def block(name: str, rows: Sequence[tuple[str, list[str]]], compared: Sequence[Side]) -> list[str]:
    """A table with a column for each set; values are cut to 60 characters."""
    if not rows:
        return [f"{name}: none", ""]
    head = ["", *(s.letter for s in compared)]
    cells = [[key, *(cut(v, 60) for v in values)] for key, values in rows]
    return [name, *aligned([head, *cells]), ""]
