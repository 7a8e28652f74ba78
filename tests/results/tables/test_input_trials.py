"""Trials of the input: a table of their own in summaries, reports and comparisons; never a score."""

from results import compare


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


def test_a_row_for_each_format_and_no_score(tree, new_log, run, tmp_path):
    tree.set([trial(new_log)])
    page = tmp_path / "report.html"
    code, out = run(tree.root)
    assert code == 0 and "trials of the input" in out.out and "throughput alone" not in out.out
    assert "figure of merit, s" not in out.out and sum(" stored " in line for line in out.out.splitlines()) == 1
    row = next(line for line in out.out.splitlines() if " raw " in line).split()
    assert row[:6] == ["box", "(acme)", "2", "spin", "raw", "data"]
    assert row[6:18] == ["4", "90", "99", "85", "84", "4", "2", "-", "10", "20", "5.500", "-"]
    assert "cannot be told  pass" in out.out
    run(tree.root, "--output", page)
    html = page.read_text()
    assert "<h3>Trials of the input</h3>" in html and "Throughput alone" not in html
    assert "1 trial of the input" in html and "cannot be told" in html


def test_a_comparison_has_both_columns(tree, new_log, run, tmp_path):
    tree.set([trial(new_log)], system="box")
    tree.set([trial(new_log, 1_700_000_900_000, rate=6.0, forms=("stored",))], system="other")
    code, out = run(tree.root, command=compare)
    found = {" ".join(line.replace(":", "").split()) for line in out.out.splitlines()}
    assert code == 0 and "stored, data, spin samples read a second 4 6" in found
    assert "raw, data, spin samples read a second 4 -" in found
    page = tmp_path / "compared.html"
    assert run(tree.root, "--output", page, command=compare)[0] == 0
    assert "Trials of the input" in page.read_text()


def test_steps_beside_them_keep_their_table(tree, new_log, run):
    tree.set([new_log.steps(rate=12.5), trial(new_log, 1_700_000_900_000)])
    text = run(tree.root)[1].out
    assert "throughput alone" in text and "trials of the input" in text and "12.5" in text


def test_what_a_log_calls_a_format_is_escaped(tree, new_log, run, tmp_path):
    tree.set([trial(new_log, forms=("<script>alert(1)</script>",), number_of_ranks="<b>")])
    page = tmp_path / "report.html"
    assert run(tree.root, "--output", page)[0] == 0
    html = page.read_text()
    assert "<script>alert(1)" not in html and "<b>" not in html.partition("Trials of")[2][:3000]
