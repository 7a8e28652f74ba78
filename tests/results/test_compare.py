"""Comparisons through the command."""

import re

import pytest

from results import compare


@pytest.fixture
def call(capsys):
    def run(*args):
        code = compare.main(["--as-logged", *map(str, args)])
        return code, capsys.readouterr()

    return run


@pytest.fixture
def two(tree, new_log):
    """Sets A and B, B half as fast."""
    a = [new_log.scaffold(50 + i, epochs=5, seed=900 + i) for i in range(5)]
    b = [new_log.scaffold(100 + 3 * i, epochs=5 + i % 2, seed=904 + i, opt_base_learning_rate=0.1) for i in range(5)]
    return tree.set(a, org="a"), tree.set(b, org="b")


def test_text(two, call):
    code, out = call(*two)
    assert code == 0
    assert "A is faster than B: time A / time B = 0.49" in out.out
    assert "with probability 1.00" in out.out
    assert "opt_base_learning_rate  -  0.1" in out.out
    assert "global_batch_size" not in out.out.partition("settings (differences)")[2].partition("seeds")[0]
    assert "logged by more than one set: 904 (A, B)" in out.out
    assert (
        "for information, B against A at the same batch size: 0.93 times fewer epochs (exact permutation p = "
        in out.out
    )
    assert ".=====eeeee" in out.out


def test_identical_sets_are_not_distinguishable(two, call):
    out = call(two[0], two[0])[1].out
    assert "not distinguishable: time A / time B = 1, " in out
    assert "settings (differences): none" in out


def test_other_problems_have_no_ratio(tree, new_log, two, call):
    other = tree.set([new_log.scaffold(50, problem="scale6") for _ in range(5)], org="c")
    assert "of different problems or editions: no ratio" in call(two[0], other)[1].out


def test_too_few_runs_have_no_ratio(tree, new_log, two, call):
    few = tree.set([new_log.scaffold(50) for _ in range(3)], org="c")
    assert "no ratio (too few runs" in call(two[0], few)[1].out


def test_the_figure_as_logged_where_the_checker_objects(two, capsys):
    compare.main([str(p) for p in two])
    out = capsys.readouterr().out
    assert "A: no score: not in order: " in out
    (row,) = [line for line in out.splitlines() if "FOM as logged, s" in line]
    assert row.split()[-2:] == ["52", "106"]


def test_refusals(tree, new_log, two, call, tmp_path):
    assert "found 2 sets of runs, wanted 1; name one:" in call(tree.root, two[0])[1].err
    assert "wanted at least 2" in call(two[0])[1].err
    assert "nowhere: No such file or directory" in call(two[0], tmp_path / "nowhere")[1].err
    weak = tree.set([new_log.scaffold(50)], org="c", scaling="weak")
    assert "wanted one scaling" in call(two[0], weak)[1].err
    assert call(two[0])[0] == 2


def test_html(two, call, tmp_path):
    page = tmp_path / "compare.html"
    assert call(*two, "--format", "html", "--output", page)[0] == 0
    text = page.read_text()
    assert "A is faster than B" in text
    assert "Ratios of times" in text
    assert call(*two, "--format", "html")[1].out.count("<svg") == text.count("<svg")


def test_figures_side_by_side_have_one_scale(two, call):
    """B is twice as slow: its axes are A's too."""
    page = call(*two, "--format", "html")[1].out
    for name in ("convergence", "where the time went", "timeline"):
        a, b = (page.partition(f"{letter}: {name}")[2].partition("</figure>")[0] for letter in "AB")
        ticks = [re.findall(r'class="tick"[^>]*>([\d.]+)<', drawn) for drawn in (a, b)]
        assert ticks[0] == ticks[1] and len(ticks[0]) > 2


def test_both_formats_from_one_reading(two, call, tmp_path):
    pages = [tmp_path / "compare.html", tmp_path / "compare.txt"]
    assert call(*two, "--output", pages[0], "--output", pages[1])[0] == 0
    assert "<svg" in pages[0].read_text() and "A is faster than B" in pages[1].read_text()
