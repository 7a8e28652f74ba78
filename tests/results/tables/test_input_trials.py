"""Trials of the input: a table of their own in summaries, reports and comparisons; never a score."""

import pytest

from results import compare, summarize


def figures(rate=4.0, au=0.9):
    size = {"total": 8_000_000, "least_by_rank": 8_000_000, "most_by_rank": 8_000_000}
    return {
        "throughput": rate,
        "seconds": 2.0,
        "au": {"least": au, "mean": au, "most": au},
        "au_waiting": 0.85,
        "au_barrier": 0.84,
        "wait_seconds": {"p99": 0.01, "longest": 0.02},
        "logical_bytes": size,
        "read_bytes": size | {"total": 4_000_000},
        "physical_bytes": None,
        "dataset_over_memory": 5.5,
        "cache": "cannot be told",
    }


def trial(new_log, start=1_700_000_000_000, rate=4.0, forms=("stored", "raw"), **more):
    """A log of `train.py --io-only` in two formats."""
    log = new_log.Log(start)
    facts = {"problem": "smoke", "target": 0.95, "rules_edition": "v1.0", "number_of_ranks": 2, **more}
    new_log.header(log, io_only=True, **facts)
    log.add("run_start").add("io_setup", {"emulate": "spin", "null_au": 0.99, "least_au": 0.9})
    for form in forms:
        log.add("io_trial", figures(rate), after=2001, format=form, place="data", samples_count=8)
    return log.add("run_stop", status="success")


@pytest.fixture
def tried(tree, new_log):
    tree.set([trial(new_log)], system="box")
    return tree


def test_a_row_for_each_format_and_no_score(tried, capsys):
    assert summarize.main(["--as-logged", str(tried.root)]) == 0
    text = capsys.readouterr().out
    assert "trials of the input" in text and "throughput alone" not in text and "figure of merit, s" not in text
    row = next(line for line in text.splitlines() if " raw " in line).split()
    assert row[:6] == ["box", "(acme)", "2", "spin", "raw", "data"]
    assert row[6:18] == ["4", "90", "99", "85", "84", "4", "2", "-", "10", "20", "5.500", "-"]
    assert "cannot be told  pass" in text
    assert "cannot be told" in text and sum(" stored " in line for line in text.splitlines()) == 1


def test_the_report_has_them_and_no_empty_table_of_throughput(tried, tmp_path):
    out = tmp_path / "report.html"
    assert summarize.main(["--as-logged", str(tried.root), "--output", str(out)]) == 0
    page = out.read_text()
    assert "<h3>Trials of the input</h3>" in page and "Throughput alone" not in page
    assert "1 trial of the input" in page and "cannot be told" in page


def test_a_comparison_has_both_columns(tree, new_log, capsys, tmp_path):
    tree.set([trial(new_log)], system="box")
    tree.set([trial(new_log, 1_700_000_900_000, rate=6.0, forms=("stored",))], system="other")
    assert compare.main(["--as-logged", str(tree.root)]) == 0
    lines = {line.partition(":")[0].strip() + line.partition(":")[2] for line in capsys.readouterr().out.splitlines()}
    found = {" ".join(line.split()) for line in lines}
    assert (
        "stored, data, spin samples read a second 4 6" in found and "raw, data, spin samples read a second 4 -" in found
    )
    out = tmp_path / "compared.html"
    assert compare.main(["--as-logged", str(tree.root), "--output", str(out)]) == 0
    assert "Trials of the input" in out.read_text()


def test_steps_beside_them_keep_their_table(tree, new_log, capsys):
    tree.set([new_log.steps(rate=12.5), trial(new_log, 1_700_000_900_000)], system="box")
    assert summarize.main(["--as-logged", str(tree.root)]) == 0
    text = capsys.readouterr().out
    assert "throughput alone" in text and "trials of the input" in text and "12.5" in text


def test_what_a_log_calls_a_format_is_escaped(tree, new_log, tmp_path):
    tree.set([trial(new_log, forms=("<script>alert(1)</script>",), number_of_ranks="<b>")], system="box")
    out = tmp_path / "report.html"
    assert summarize.main(["--as-logged", str(tree.root), "--output", str(out)]) == 0
    assert "<script>alert(1)" not in out.read_text() and "<b>" not in out.read_text().partition("Trials of")[2][:3000]
