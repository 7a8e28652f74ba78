"""The procurement tables as text, Markdown and CSV; strangers' names stay text."""

import csv
import io
from pathlib import Path

import pytest

from perf.pages.scripts import parser_of
from results import summarize
from results.tables.links import Links
from results.tables.procurement import ABOUT, COLUMNS, MADE_BY, PROJECTION, TABLES, missing, procurement, tables
from results.tables.ranking import ranking
from tests.results.tables.test_input_trials import trial
from tests.support import REFERENCE

PROJECTED = "projection, a prediction that is neither measured nor checked"
FORMS = ("text", "markdown", "csv")


@pytest.fixture
def study(tree, new_log):
    """Runs at two numbers of ranks that read energy, and steps at two."""
    for ranks, took in ((1, 40.0), (2, 25.0)):
        facts = {"number_of_ranks": ranks, "watts": 100.0, "precision": "float32"}
        tree.set(new_log.five(took, 100 * ranks, **facts), system=f"box-{ranks}")
    steps = []
    for ranks, rate in ((1, 10.0), (2, 16.0)):
        log = new_log.Log()
        facts = {"problem": "smoke", "seed": ranks, "rules_edition": "v1.0", "throughput_only": True}
        layout = {"data": ranks, "depth": 1, "height": 1, "width": 1}
        new_log.header(log, number_of_ranks=ranks, layout=layout, precision="float32", **facts)
        log.add("run_start").add("throughput_setup", {"steps": 10, "flops_per_sample": 1})
        phases = {"wait": 0.1, "forward": 0.2, "backward": 0.4, "reduction": 0.1}
        memory = {"least_by_rank": 2**30, "most_by_rank": 2**31}
        value = {"throughput": rate, "step_seconds": 8 / rate, "seconds": phases, "peak_memory_bytes": memory}
        log.add("throughput", value, after=1000, steps=10, samples_count=80).add("run_stop", status="success")
        steps.append(log)
    tree.set(steps, scaling="throughput")
    return tree


def test_every_table_has_its_rows(study):
    found = {title: rows for _, title, rows in tables(study.results())}
    assert list(found) == [title for title in TABLES if title not in ("weak scaling, steps", "storage trials")]
    assert [r["system"] for r in found["time to target"]] == ["box-2", "box-1"]  # best first
    assert [r["speedup"] for r in found["strong scaling, time to target"]] == [1, pytest.approx(42 / 27)]
    assert [(r["speedup"], r["efficiency"]) for r in found["strong scaling, steps"]] == [(1, 1), (1.6, 0.8)]
    assert [r["joules"] for r in found["energy"]] == pytest.approx([2700, 4200])
    for rows in found.values():
        assert all(set(row) <= {*COLUMNS, "result"} for row in rows)


def test_the_three_forms_say_the_same(study, run):
    text, marked, table = (run("--view", "procurement", "--format", form, study.root)[1].out for form in FORMS)
    assert text.startswith("v1.0 · scaffold · smoke · closed division · time to target\n")
    assert marked.startswith("### v1.0 · scaffold")
    for said in ("strong scaling, steps", "median, s", "energy, kWh", "communication"):
        assert said in text and said in marked
    rows = list(csv.DictReader(io.StringIO(table)))
    assert {row["table"] for row in rows} == set(TABLES) - {"weak scaling, steps", "storage trials"}
    assert [row["median_seconds"] for row in rows if row["table"] == "time to target"] == ["27.0", "42.0"]
    assert next(row["energy_tier"] for row in rows if row["table"] == "energy") == "node"


def test_what_the_checker_objects_to_has_no_numbers(study):
    found = {title: rows for _, title, rows in tables(study.results(as_logged=False))}
    assert list(found) == ["time to target"]
    assert not any(row.get("median_seconds") or row.get("fom_seconds") for row in found["time to target"])
    assert all(row["verdict"] for row in found["time to target"])


def test_nothing_to_show():
    assert procurement([])["text"] == "no set of runs, and no log of steps\n"
    assert procurement([])["markdown"] == "" and procurement([])["csv"].count("\n") == 1


def test_strangers_names_stay_text(tree, new_log):
    tree.set(new_log.five(precision="=1+1"), org="=cmd|x", system="a|b](http://x)\x1b[31m")
    told = procurement(tree.results())["csv"]
    assert "\x1b" not in told and next(csv.DictReader(io.StringIO(told)))["org"] == "'=cmd|x"


def test_what_is_missing_is_said_with_the_command_that_makes_it(study):
    """A study of runs and steps lacks weak scaling and trials of the storage; nobody measures a projection."""
    results = study.results()
    ((name, lines),) = missing(results)
    assert name == "v1.0 · scaffold · smoke · closed division · missing, and what makes it"
    command = "python harness/submit.py --problem smoke --org ORG --system SYSTEM --study weak --ranks 8 16 32"
    assert lines[0] == f"weak scaling, steps: {command}"
    assert [line.partition(" (")[0] for line in lines[1:]] == ["storage trials", PROJECTED]
    assert lines[0] in procurement(results)["text"] and command in procurement(results)["markdown"]


def test_a_table_without_data_is_only_listed_as_missing(tree, new_log):
    """As found: of logs that have neither phases nor memory, tables of devices and batch sizes alone."""
    tree.set([new_log.steps(data=ranks, rate=9.0 * ranks) for ranks in (1, 2)], scaling="throughput")
    results = tree.results()
    assert [title for _, title, _ in tables(results)] == ["strong scaling, steps"]
    ((_, lines),) = missing(results)
    for title in ("phases of a step, seconds", "memory and input"):
        assert any(line.startswith(f"{title}: python harness/submit.py") for line in lines), title


def test_a_set_has_the_digits_and_headings_of_the_ranking(study):
    """As found: 329.7 here and 330 there, under "fom seconds"."""
    results = study.results()
    for r in results[:2]:
        table = ranking([r], Links(Path.cwd()))
        told = dict(zip(table.head, (cell.text for cell in table.lines[0].cells), strict=True))
        row = next(line.split() for line in procurement(results)["text"].splitlines() if f"  {r.system}" in line)
        for name in ("figure of merit, s", "epochs", "training samples a second"):
            assert told[name] in row, name
    assert "fom" not in procurement(results)["text"] and "_" not in procurement(results)["text"].partition("missing")[0]


def test_trials_of_the_storage_have_a_row_each(tree, new_log):
    tree.set([trial(new_log)], scaling="throughput")
    ((_, name, rows),) = tables(tree.results())
    assert name == "storage trials" and [row["format"] for row in rows] == ["stored", "raw"]
    assert [row["read_samples_per_second"] for row in rows] == [4, 4] and rows[0]["au_percent"] == 90
    assert "storage trials (docs/io.md)" not in procurement(tree.results())["text"]


def test_a_strangers_problem_is_in_no_command_that_people_copy(tree, new_log):
    tree.set(new_log.five(problem="x$(id)"))
    results = tree.results()
    assert missing(results) == [] and "--problem" not in procurement(results)["text"]


def test_the_committed_reference_says_what_it_lacks(capsys):
    summarize.main(["--view", "procurement", str(REFERENCE)])
    out = capsys.readouterr().out
    assert out.count("missing, and what makes it") == 3
    assert all(out.count(f"  {name}{ABOUT.get(name, '')}: ") == 3 for name in MADE_BY if name != "time to target")


def test_every_table_has_its_command_and_the_commands_are_there():
    assert list(MADE_BY) == list(TABLES)
    for how in (*MADE_BY.values(), PROJECTION.rpartition(": ")[2]):
        _, script, *options = how.format(problem="smoke", edition="v1.0", benchmark="scaffold").split()
        parser_of(script)[0].parse_args(options)
