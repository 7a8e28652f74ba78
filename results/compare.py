"""Sets of runs side by side: what differs, how the runs went, and which is faster, with its uncertainty.

    python results/compare.py A B [...] [--format text|html] [--output FILE]

Each of A, B ... is a set of runs, or a submission with one set of the same benchmark. The first is what the others are
held against. Exit code: 0 compared; 2 could not.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from results import differences as d
from results.differences import Pair, Side
from results.submission import RunSet, distinct, find_sets
from results.summarize import evaluate, judged, safe_output
from results.text import aligned, printable, show, surprise_words, title


def main(argv: Sequence[str] | None = None) -> int:
    args = parse(argv)
    try:
        sets = choose(args.paths)
        output = safe_output(args.output, sets)
        verdicts = judged(sets, args)
    except (ValueError, OSError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    compared = d.sides(sets, evaluate(sets, verdicts, args.rules, args.as_logged))
    if args.format == "html":
        from results.compare_page import html_text

        written = html_text(compared, d.pairs(compared), output.resolve().parent if output else Path.cwd())
    else:
        written = text(compared, d.pairs(compared))
    if output is None:
        sys.stdout.write(written)
    else:
        output.write_text(written, encoding="utf-8")
        print(f"wrote {output}", file=sys.stderr)
    return 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="compare.py", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="SET", help="a set of runs, or a submission with one")
    parser.add_argument("--format", choices=("text", "html"), default="text", help="default: %(default)s")
    parser.add_argument("--output", type=Path, help="write to this file, outside of any submission")
    parser.add_argument("--rules", metavar="EDITION", help="judge by this edition whatever the folders say")
    parser.add_argument("--no-judge", dest="judge", action="store_false", help="compare without verdicts")
    parser.add_argument("--as-logged", action="store_true", help="score what the logs say even where the judge objects")
    return parser.parse_args(argv)


def choose(paths: Sequence[Path]) -> list[RunSet]:
    """One set for each path, in the order given.

    Raises ValueError where a path holds none or several, or where they are not of one benchmark and kind of scaling.
    """
    sets: list[RunSet] = []
    for path in paths:
        found = find_sets([path])
        if len(found) != 1:
            names = "".join(f"\n  {s.folder}" for s in found[:20])
            raise ValueError(f"{path}: found {len(found)} sets of runs, wanted 1; name one:{names}")
        sets += found
    if len(sets) < 2:
        raise ValueError(f"found {len(sets)} set, wanted at least 2 to compare")
    if len(sets) > 26:
        raise ValueError(f"found {len(sets)} sets, wanted at most 26")
    for field in ("benchmark", "scaling"):
        kinds = sorted({getattr(s.id, field) for s in sets})
        if len(kinds) > 1:
            raise ValueError(f"found sets of {' and '.join(kinds)}, wanted one {field}")
    return distinct(sets)


def text(compared: Sequence[Side], pairs: Sequence[Pair]) -> str:
    """The comparison for a terminal."""
    lines = [title(compared[0].result.group), ""]
    lines += [f"{s.letter}  {printable(s.result.org)}/{printable(s.result.system)}" for s in compared]
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
        lines += [f"  {s.letter}  {s.result.verdict.word}"]
        lines += [f"     {f.text()}" for f in s.result.verdict.everything[:20]]
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
            lines.append(f"  {s.letter} {run.path.stem.removeprefix('result_')[:6]:>6} {d.strip(run, longest)}")
    return [*lines, ""]


if __name__ == "__main__":
    sys.exit(main())
