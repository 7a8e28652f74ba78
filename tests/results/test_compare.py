"""Comparisons through the command."""

import json
import math
import shutil
from functools import partial

import pytest

from results import compare
from tests.support import REFERENCE

WINNERS = ("faster", "no difference", "times as long")


@pytest.fixture
def call(run):
    return partial(run, command=compare)


@pytest.fixture
def two(tree, new_log):
    """Sets A and B, B half as fast."""
    a = new_log.five(epochs=5, seed=900)
    b = [new_log.scaffold(100 + 3 * i, epochs=5 + i % 2, seed=904 + i, opt_base_learning_rate=0.1) for i in range(5)]
    return tree.set(a, org="a"), tree.set(b, org="b")


def test_text_and_json(two, call):
    code, out = call(*two)
    assert code == 0
    assert "\nA is faster: B takes 2.04 times as long as A (95 %: 1.44 to 2.88, 4.0 degrees of freedom)\n" in out.out
    assert "   of all pairs of their runs, that of A was faster in 100 %\n" in out.out
    assert "\n   by figures of merit, B takes 2.0" in out.out
    assert "\nwhat makes the time of B over that of A\n" in out.out
    assert "opt_base_learning_rate  -  0.1" in out.out
    assert "global_batch_size" not in out.out.partition("settings (differences)")[2].partition("source")[0]
    assert "\n  A: no source: its submission holds none\n" in out.out
    body = json.loads(call(*two, "--format", "json")[1].out)
    assert body["schema"] == "comparison/1"
    (found,) = body["comparisons"]
    (pair,) = found["pairs"]
    foms = [found["sets"][letter]["fom_seconds"] for letter in "AB"]
    assert math.prod(f["value"] for f in pair["factors"]) == pytest.approx(foms[1] / foms[0], rel=1e-12)
    assert (pair["factors_of"], pair["against"], pair["why"]) == ("B / A", "B", None)
    assert pair["said"][0].startswith("A is faster")


def test_the_figure_as_logged_where_the_checker_objects(two, capsys):
    compare.main([str(p) for p in two])
    out = capsys.readouterr().out
    assert "\nA and B are not compared: A and B have no score\n" in out
    assert "A: no score: failed the check: " in out
    assert not any(words in out for words in WINNERS)
    (row,) = [line for line in out.splitlines() if "figure of merit as logged, s" in line]
    assert row.split()[-2:] == ["52", "106"]
    compare.main([*map(str, two), "--format", "json"])
    (pair,) = json.loads(capsys.readouterr().out)["comparisons"][0]["pairs"]
    assert pair["why"] == "A and B have no score" and pair["factors"] == [] and pair["time"]["ratio"] is None


def test_refusals(tree, new_log, two, call, tmp_path):
    weak = tree.set([new_log.scaffold(50)], org="c", scaling="weak")
    for sets, said in (
        (two[:1], "found 1 set, wanted at least 2 of one benchmark, problem and scaling"),
        ((two[0], tmp_path / "nowhere"), "nowhere: No such file or directory"),
        ((two[0], weak), "wanted one scaling"),
    ):
        code, out = call(*sets)
        assert code == 2 and said in out.err


def test_a_page_has_each_chart_once_with_all_sets(two, call, tmp_path):
    """B is twice as slow: both are drawn by one scale, since they are in one chart."""
    file = tmp_path / "compare.html"
    assert call(*two, "--format", "html", "--output", file)[0] == 0
    page = call(*two, "--format", "html")[1].out
    assert page.count('class="view"') == file.read_text().count('class="view"') == 5
    for kind in ("factors", "medians", "shares", "time", "timeline"):
        assert page.count(f'"kind":"{kind}"') == 1
    assert "A is faster: B takes " in page and '"row","x","x2"],"rows":[[0,"A 0' in page and '"B 4' in page


def test_a_round_is_compared_problem_by_problem(two, tree, new_log, call):
    for org in ("a", "b"):
        tree.set(new_log.five(problem="scale6"), org=org, system="other")
    code, out = call(tree.root)
    assert code == 0 and out.out.count("measured\n") == 2
    assert "v1.0 · scaffold · scale6 " in out.out and "A  a/other\nB  b/other" in out.out


@pytest.mark.parametrize(("form", "named"), [("text", ""), ("html", "page"), ("json", "JSON")])
def test_campaigns_alone_are_told_as_text_only(call, form, named):
    """As found: a traceback in place of JSON."""
    code, out = call(REFERENCE.parents[1] / "v1.0-tuning", "--format", form)
    if form == "text":
        assert code == 0 and "time to solution with the tuning counted" in out.out
    else:
        assert code == 2 and out.err.endswith(f"wanted sets of runs: use summarize.py for their {named}\n")


def test_our_own_submission_against_another(tmp_path, capsys):
    """As the README has it: a submission of several sets against another's."""
    mine = tmp_path / "v1.0" / "me"
    shutil.copytree(REFERENCE, mine)
    (changed,) = mine.glob("source/*/implementations/pytorch/train.py")
    changed.write_bytes(changed.read_bytes() + b"# tuned\n")
    assert compare.main(["--as-logged", str(mine), str(REFERENCE)]) == 0
    out = capsys.readouterr().out
    sets = len(list(REFERENCE.glob("results/*/*/*")))
    assert out.count(" no difference can be told") == out.count("measured\n") == sets
    assert "  B against A: " in out and "    changed implementations/pytorch/train.py: +0 -1\n" in out
