"""The comparison of sets of runs as text."""

from collections.abc import Sequence

from compliance.finding import printable
from results import differences as d
from results.differences import Pair, Side
from results.tables.formatting import show
from results.tables.text import aligned, finding_text, surprise_words, title


def text(compared: Sequence[Side], pairs: Sequence[Pair]) -> str:
    """The comparison for a terminal."""
    lines = [title(compared[0].result.group), ""]
    lines += [f"{s.letter}  {printable(s.result.label)}" for s in compared]
    lines += [f"   {s.letter}: no score: {printable(s.result.why)}" for s in compared if s.result.why]
    lines += ["", *(pair_words(p, compared) for p in pairs), ""]
    lines += block("measured", d.measures(compared), compared)
    lines += block("system (differences)", d.system_differences(compared), compared)
    lines += block("settings (differences)", d.setting_differences(compared), compared)
    lines += ["seeds", *(printable(f"  {s.letter}  {d.seeds(s)}") for s in compared)]
    lines += [printable(f"  logged by more than one set: {seed}") for seed in d.same_seeds(compared)] + [""]
    lines += curve_lines(compared)
    lines += timeline_lines(compared)
    lines += ["findings"]
    for s in compared:
        lines += [f"  {s.letter}  {s.result.standing.word}"]
        lines += [f"     {finding_text(f)}" for f in s.result.standing.everything[:20]]
    return "\n".join(lines) + "\n"


def pair_words(p: Pair, compared: Sequence[Side]) -> str:
    """Which is faster, in a sentence. Nothing is called faster inside its interval."""
    if not comparable(compared):
        return f"A and {p.letter}: of different problems or editions: no ratio"
    c, words = p.contrast, []
    if c.ratio is None:
        words.append(f"A and {p.letter}: no ratio (too few runs, or too many did not converge)")
    elif not c.distinguishable:
        words.append(f"A and {p.letter}: not distinguishable: {ratio_words(p)}")
    else:
        words.append(f"A is {'faster' if c.ratio < 1 else 'slower'} than {p.letter}: {ratio_words(p)}")
    if c.faster == c.faster:
        words.append(f"a run of A is faster than one of {p.letter} with probability {c.faster:.2f}")
    return "; ".join([*words, *convergence_words(p)])


def comparable(compared: Sequence[Side]) -> bool:
    """Whether all are of one edition, benchmark, problem and kind of scaling."""
    return len({s.result.group[:4] for s in compared}) == 1


def ratio_words(p: Pair) -> str:
    c = p.contrast
    return f"time A / time {p.letter} = {c.ratio:.4g}, 95 % {c.low:.4g} to {c.high:.4g}"


def convergence_words(p: Pair) -> list[str]:
    """For information: epochs at the same batch size."""
    if p.surprise is None:
        return []
    return [f"for information, {p.letter} against A at the same batch size: {surprise_words(p.surprise)}"]


def block(name: str, rows: Sequence[tuple[str, list[str]]], compared: Sequence[Side]) -> list[str]:
    """A table of values, a column a set."""
    if not rows:
        return [f"{name}: none", ""]
    head = ["", *(s.letter for s in compared)]
    cells = [[key, *(v if len(v) <= 60 else v[:57] + "..." for v in values)] for key, values in rows]
    return [name, *aligned([head, *cells]), ""]


def curve_lines(compared: Sequence[Side]) -> list[str]:
    """The median curve of each set, at most 20 epochs of it."""
    curves = [d.median_curve(s) for s in compared]
    epochs = sorted({e for c in curves for e in c})
    if not epochs:
        return []
    step = -(-len(epochs) // 20)
    shown = sorted({*epochs[::step], epochs[-1]})
    rows = [[str(e), *(f"{c[e]:.4f}" if e in c else "-" for c in curves)] for e in shown]
    return ["median of the metric after each epoch", *aligned([["epoch", *(s.letter for s in compared)], *rows]), ""]


def timeline_lines(compared: Sequence[Side]) -> list[str]:
    """A line a run, to one scale."""
    longest = d.longest(compared)
    lines = [f"timelines to {show(longest / 1000)} s: s staging, = training, e evaluation, . the rest"]
    for s in compared:
        for run in s.runs[:10]:
            lines.append(f"  {s.letter} {run.file.stem.removeprefix('result_')[:6]:>6} {d.strip(run, longest)}")
    return [*lines, ""]
