"""--waivers: a reviewer's file lets single findings pass, in summaries and comparisons as in the checker."""

import json

import pytest

from compliance.engine import judge
from compliance.finding import errors
from results import compare, summarize


@pytest.fixture
def damaged(tree, new_log):
    """A set of MLPerf HPC v0.7 that is in order but for an optimizer of its own in one run; its folder."""
    folder = tree.published(new_log.sets[0])
    log = folder / "result_1.txt"
    log.write_text(log.read_text().replace('"value": "LAMB"', '"value": "SGD"'), encoding="utf-8")
    return folder


@pytest.fixture
def waive(tmp_path, damaged):
    """Writes a file that waives every error of the damaged set, or what it is given."""

    def write(*entries):
        file = tmp_path / "waivers.yaml"
        places = {(f.code, "/".join(f.path.split("/")[-2:])) for f in errors(judge([damaged.parents[2]]).findings)}
        org = damaged.parents[2].name
        entries = entries or [{"code": code, "path": path} for code, path in sorted(places)]
        known = {"organisation": org, "reason": "known", "reviewer": "R. Viewer"}
        file.write_text(json.dumps([e | known for e in entries]), "utf-8")
        return str(file)

    return write


def test_a_waived_error_takes_no_number_away_and_is_shown(tree, waive, tmp_path, capsys):
    """As found: a waived submission could only be published with --as-logged, which waives everything."""
    assert summarize.main([str(tree.root)]) == 1
    assert "no score: failed the check: " in capsys.readouterr().out
    file, page = waive(), tmp_path / "page.html"
    assert summarize.main([str(tree.root), "--waivers", file]) == 0
    out = capsys.readouterr()
    assert "11.71" in out.out and "1 waived" in out.out and "[waived by R. Viewer: known]" in out.out and not out.err
    assert summarize.main([str(tree.root), "--waivers", file, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert (row["verdict"], row["errors"], row["waived"], row["rank"]) == ("1 waived", 0, 1, "1")
    summarize.main([str(tree.root), "--waivers", file, "--output", str(page)])
    assert "[waived by R. Viewer: known]" in page.read_text()


def test_nothing_else_is_waived(tree, waive, capsys):
    file = waive({"code": "RUN01", "path": "elsewhere"})
    assert summarize.main([str(tree.root), "--waivers", file]) == 1
    out = capsys.readouterr()
    assert "no score: failed the check: " in out.out and "waivers.yaml:1: WAI01 " in out.err


def test_compare_knows_them_too(tree, new_log, damaged, waive, capsys):
    sets = [str(damaged), str(tree.published(new_log.sets[1]))]
    assert compare.main(sets) == 0
    assert "A: no score: failed the check: " in capsys.readouterr().out
    assert compare.main([*sets, "--waivers", waive()]) == 0
    shown = capsys.readouterr().out
    assert "no score" not in shown and "A  1 waived" in shown and "[waived by R. Viewer: known]" in shown
