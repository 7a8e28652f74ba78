"""From submissions to scores, through the command."""

import builtins
import csv
import functools
import io
import json
import math
import operator
import os
import random
import subprocess
import sys
from collections import Counter

import pytest

from results import summarize
from results.tables.record import COLUMNS
from results.tables.words import SLOW_RUNS
from tests.support import REFERENCE, ROOT


def test_text_and_markdown(tree, new_log, run):
    tree.set(new_log.uneven())
    code, out = run(tree.root)
    assert code == 0
    assert "v1.0 · scaffold · smoke · closed division · time to train (capability)" in out.out
    ends = "95 %: 29 to 61 (2 degrees of freedom)"
    merit = f"45 s = 0.75 min, {ends}; the mean of 3 runs of 5, without the fastest and the slowest"
    assert f"figure of merit: {merit}\n" in out.out and "median, s: 44\n" in out.out
    assert out.out.count("dropped") == 2
    marked = run(tree.root, "--format", "markdown")[1].out
    assert all(f"median of its set. {SLOW_RUNS.capitalize()}.\n" in told for told in (out.out, marked))
    assert "slow runs:" not in out.out and "| 1 | box (acme · onprem) |" in marked
    assert "| 45 (0.75 min) | 29 to 61 (median 44) | 5/5 |" in marked


def one_after_the_other(numbers, start=0):
    """sum() as it is before Python 3.12."""
    return functools.reduce(operator.add, numbers, start)


def made_up_for_rounding(numbers, start=0):
    """sum() as it is from Python 3.12 on."""
    every = [start, *numbers]
    return math.fsum(every) if any(type(n) is float for n in every) else one_after_the_other(every)


@pytest.mark.parametrize("way", [one_after_the_other, made_up_for_rounding])
def test_figures_are_the_same_in_every_python(monkeypatch, run, way):
    """Scores and verdicts, too: they are in the table."""
    code, usual = run(REFERENCE, "--format", "csv")
    monkeypatch.setattr(builtins, "sum", way)
    assert code == 0 and run(REFERENCE, "--format", "csv") == (0, usual)


def test_slow_runs_are_named_where_intervals_are(tree, new_log, run, tmp_path):
    tree.set(new_log.uneven((50.0, 40.0, 44.0, 80.0, 41.0)))
    said = "run 3 took 1.8 times the median"
    assert f"    slow runs: {said}\n" in run(tree.root)[1].out
    marked = run(tree.root, "--format", "markdown")[1].out
    assert f"- Slow runs: acme/box: {said}. Intervals say nothing" in marked
    run(tree.root, "--output", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert f'<p class="soft">Slow runs: acme/box: {said}. Intervals say' in page
    assert f"<dt>slow runs</dt><dd>{said}</dd>" in page
    alone = tree.set(new_log.uneven()[:3], org="few")  # without an interval
    assert SLOW_RUNS not in run(alone)[1].out


def test_paths_are_a_set_a_submission_or_a_round(tree, new_log, run):
    folder = tree.set(new_log.uneven())
    whole = run(tree.root, "--format", "csv")[1].out
    (row,) = csv.DictReader(io.StringIO(whole))
    assert list(row) == list(COLUMNS) and float(row["fom_seconds"]) == 45
    for path in (tree.root / "v1.0" / "acme", tree.root / "v1.0"):
        assert run(path, "--format", "csv")[1].out == whole
    (alone,) = json.loads(run(folder, "--format", "json")[1].out)["results"]
    assert (alone["fom_seconds"], alone["rank"]) == (45, None)  # a figure; a rank is a submission's


def test_same_answer_every_time_and_in_every_order(tree, new_log, run):
    logs = new_log.uneven()
    tree.set(logs, org="a")
    tree.set(random.Random(1).sample(logs, 5), org="b")
    first = run(tree.root, "--format", "json")[1].out
    assert run(tree.root, "--format", "json")[1].out == first
    a, b = json.loads(first)["results"]
    assert a["fom_seconds"] == b["fom_seconds"]
    assert a["rank"] == b["rank"] == "1-2"
    orgs = [tree.root / "v1.0" / o for o in "ab"]
    assert run(*orgs, "--format", "json")[1].out == run(*orgs[::-1], "--format", "json")[1].out == first


def test_refusals(tree, new_log, run, tmp_path):
    folder = tree.set(new_log.uneven())
    code, out = run(tree.root, "--output", folder / "summary.txt")
    assert code == 2 and "which was checked, wanted a place outside" in out.err
    code, out = run(tree.root, "--rules", "v9.9")
    assert code == 2 and "v9.9" in out.err
    (tmp_path / "empty").mkdir()
    assert run(tmp_path / "empty")[0] == 2
    assert "nowhere: No such file or directory\n" in run(tmp_path / "nowhere")[1].err


BROKEN = {
    "too few runs": (lambda m: m.uneven()[:2], "too few runs: found 2"),
    "two diverged": (lambda m: [*m.uneven()[:3], m.scaffold(reach=False), m.scaffold(reach=False)], "2 of 5 runs"),
    "mixed divisions": (lambda m: [*m.uneven()[:4], m.scaffold(submission_division="open")], "2 divisions in one set"),
    "empty logs": (lambda m: [m.Log()] * 5, "could not be judged further (LOG03)"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_sets_get_no_number_and_a_reason(tree, new_log, run, kind):
    make, reason = BROKEN[kind]
    tree.set(make(new_log))
    code, out = run(tree.root)
    assert code == 1
    assert reason in out.out
    assert "figure of merit: " not in out.out
    row = json.loads(run(tree.root, "--format", "json")[1].out)["results"][0]
    assert {row[name] for name in ("fom_seconds", "fom_low", "median_seconds", "models_per_hour", "rank")} == {None}
    assert row["epochs"] is None or not kind.startswith("mixed")


def test_editions_and_problems_are_never_ranked_together(tree, new_log, run):
    tree.set(new_log.uneven(), org="a")
    tree.set(new_log.uneven(problem="scale6"), org="b")
    tree.set(new_log.uneven(rules_edition="v2.0"), org="c", edition="v2.0")
    rows = json.loads(run(tree.root, "--format", "json")[1].out)["results"]
    assert [r["rank"] for r in rows] == ["1", "1", "1"]


@pytest.fixture
def opened(monkeypatch):
    """How often each path was opened."""
    seen, original, raw = Counter(), io.open, os.open

    def count(path, *args, **kwargs):
        seen[str(path)] += isinstance(path, str | os.PathLike)
        return original(path, *args, **kwargs)

    def count_raw(path, *args, **kwargs):
        seen[str(path)] += 1
        return raw(path, *args, **kwargs)

    monkeypatch.setattr("builtins.open", count)
    monkeypatch.setattr(io, "open", count)
    monkeypatch.setattr(os, "open", count_raw)
    return seen


def test_a_log_is_read_once_however_many_formats_are_written(tree, new_log, run, tmp_path, opened):
    """And once more, at most, for its digest, where the rules want files to differ; and for the page, which shows
    lines: those that findings are about, and those that numbers come from. One log of a round is also opened to see
    whose round it is."""
    folder = tree.set(new_log.uneven())
    begin = {".txt": "v1.0 · scaffold", ".csv": "edition,", ".json": "{", ".md": "### v1.0", ".html": "<!doctype"}
    outputs = {tmp_path / f"out{ending}": first for ending, first in begin.items()}
    assert run(tree.root, *(word for path in outputs for word in ("--output", path)))[0] == 0
    assert all(path.read_text().startswith(first) for path, first in outputs.items())
    counts = [opened[str(folder / f"result_{i}.txt")] for i in range(5)]
    assert min(counts) >= 1 and max(counts) <= 5 and sorted(counts)[-2] <= 4


def test_tables_need_no_torch_and_none_of_what_is_slow_to_import(tree, new_log):
    """Importing these takes as long as checking a round of a thousand logs. Intervals, of five runs, need SciPy."""
    tree.set(new_log.uneven()[:4])
    code = "import sys; from results.summarize import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    arguments = [sys.executable, "-c", code, str(tree.root), "--as-logged", "--format", "csv"]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT, check=True)
    assert not {"torch", "pandas", "tqdm", "scipy"} & set(done.stderr.split())


@pytest.mark.parametrize(("view", "ending"), [("analysis", "csv"), ("procurement", "html")])
def test_a_view_refuses_a_format_that_it_does_not_change(tree, new_log, capsys, tmp_path, view, ending):
    """As found: the page and the CSV of the ranking, whatever the view."""
    tree.set(new_log.five())
    file = tmp_path / f"out.{ending}"
    assert summarize.main(["--view", view, "--output", str(file), str(tree.root)]) == 2 and not file.exists()
    assert capsys.readouterr().err.startswith(f"summarize: --view {view}: found {ending}, wanted text or markdown")
