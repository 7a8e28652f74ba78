"""Which edition judges what: the round's folder, or --rules; nothing that a submission says of itself."""

import datetime
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from compliance.engine import judge
from compliance.reading import edition
from compliance.reading.discovery import discover
from compliance.reading.edition import HEAD
from compliance.reading.tree import log_file
from rules.edition import ROOT, current


def editions(path, law, **options):
    return judge([path], rules=law, **options).editions


def test_a_log_that_names_another_edition_is_judged_by_the_rounds(tree, law):
    event = tree.logs[2].one("rules_edition")
    event["value"] = "mlperf-hpc-v3.0"
    tree.write(2)
    verdict = judge([tree.root], rules=law)
    assert verdict.editions == ("v1.0",)
    assert [(f.line, f.code, f.severity) for f in verdict.findings if f.code == "LOG11"] == [
        (tree.logs[2].line(event), "LOG11", "error")
    ]


def test_all_logs_that_name_another_edition_change_nothing(tree, law):
    for index in range(5):
        tree.logs[index].one("rules_edition")["value"] = "mlperf-hpc-v3.0"
        tree.write(index)
    verdict = judge([tree.root], rules=law)
    assert verdict.editions == ("v1.0",)
    assert [f.code for f in verdict.findings] == ["LOG11"] * 5


def test_a_system_or_an_organisation_named_like_an_edition_changes_nothing(tree, law):
    shutil.move(tree.root, tree.root.with_name("mlperf-hpc-v3.0"))
    assert editions(tree.root.parent, law) == ("v1.0",)


@pytest.mark.parametrize("folder", ["v1.0", "elsewhere", "v9.9"])
def test_logs_of_today_are_judged_by_the_default_whatever_the_folder(tree, law, folder, tmp_path):
    shutil.copytree(tree.root, tmp_path / "x" / folder / "acme")
    wanted = folder if folder == "v1.0" else current(law)
    assert editions(tmp_path / "x" / folder, law) == (wanted,)


def test_the_folder_of_the_round_decides_and_the_rules_asked_for_overrule_it(tree, law, tmp_path):
    shutil.copytree(tree.root, tmp_path / "mlperf-hpc-v2.0" / "acme")
    assert editions(tmp_path / "mlperf-hpc-v2.0", law) == ("mlperf-hpc-v2.0",)
    assert editions(tmp_path / "mlperf-hpc-v2.0", law, edition="v1.0") == ("v1.0",)


def test_each_submission_of_a_round_is_looked_into_at_most_twice(monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(edition, "_logs", lambda target: opened.append(target) or [])
    for org in range(40):
        (tmp_path / "x" / f"org{org}" / "results" / "box" / "closed" / "odd").mkdir(parents=True)
        (tmp_path / "x" / f"org{org}" / "results" / "box" / "closed" / "odd" / "result_0.txt").write_text("")
    submissions = discover([str(tmp_path / "x")]).submissions
    for one, together in zip(submissions, edition.rounds_of(submissions), strict=True):
        edition.select_edition(one, None, ROOT, together)
    assert len(submissions) == 40 and len(opened) <= 80


# Of a year without a round.
OPENFOLD = {"key": "submission_benchmark", "time_ms": 1_000_000_000_000, "value": "openfold"}
OTHER = {"key": "odd", "time_ms": 1_000_000_000_000}


def logged(path, *events):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f":::MLLOG {json.dumps(event)}\n" for event in events))
    return path


@pytest.mark.parametrize(("before", "known"), [(0, True), (HEAD - 1, True), (HEAD, False)])
def test_a_benchmark_is_looked_for_in_so_many_events(law, tmp_path, before, known):
    path = logged(tmp_path / "x" / "a.log", *[OTHER] * before, OPENFOLD)
    assert editions(path, law) == ("mlperf-hpc-v3.0" if known else current(law),)
    assert HEAD == 400


def test_a_benchmark_that_is_no_text_names_none(law, tmp_path):
    path = logged(tmp_path / "x" / "a.log", {**OPENFOLD, "value": ["openfold"]}, {**OPENFOLD, "key": "odd"})
    assert editions(path, law) == (current(law),)


@pytest.mark.parametrize(
    ("year", "edition"), [(2021, "mlperf-hpc-v1.0"), (2022, "mlperf-hpc-v2.0"), (None, "mlperf-hpc-v3.0")]
)
def test_the_year_of_the_logs_decides_and_without_one_the_last_edition(law, tmp_path, year, edition):
    events = [{**OTHER, "time_ms": int(datetime.datetime(year, 6, 1).timestamp() * 1000)}] if year else []
    logged(tmp_path / "acme" / "systems" / "box.json")
    logged(tmp_path / "acme" / "results" / "box" / "oc20" / "result_0.txt", *events)
    assert editions(tmp_path / "acme", law) == (edition,)


@pytest.mark.parametrize(
    ("folder", "edition"),
    [
        ("hpc_results_v1.0", "mlperf-hpc-v1.0"),
        ("hpc_v2.0_results", "mlperf-hpc-v2.0"),
        ("hpc_results_v2.01", "mlperf-hpc-v1.0"),
        ("hpc_results_v9.9", "mlperf-hpc-v1.0"),
        ("hpc_results_2.0", "mlperf-hpc-v1.0"),
    ],
)
def test_a_version_in_a_folders_name_decides_before_the_year(law, tmp_path, folder, edition):
    of_2021 = {**OTHER, "time_ms": int(datetime.datetime(2021, 6, 1).timestamp() * 1000)}
    logged(tmp_path / folder / "acme" / "systems" / "box.json")
    logged(tmp_path / folder / "acme" / "results" / "box" / "oc20" / "result_0.txt", of_2021)
    assert editions(tmp_path / folder, law) == (edition,)


@pytest.mark.parametrize(("ms", "edition"), [(-1, "mlperf-hpc-v1.0"), (0, "mlperf-hpc-v2.0"), (1, "mlperf-hpc-v2.0")])
def test_a_year_begins_at_midnight_of_utc(law, tmp_path, ms, edition):
    new_year = int(datetime.datetime(2022, 1, 1, tzinfo=datetime.UTC).timestamp() * 1000)
    logged(tmp_path / "acme" / "systems" / "box.json")
    logged(tmp_path / "acme" / "results" / "box" / "oc20" / "result_0.txt", {**OTHER, "time_ms": new_year + ms})
    assert editions(tmp_path / "acme", law) == (edition,)


def test_the_year_that_most_submissions_of_a_round_are_of_decides(law, tmp_path):
    """Of two as frequent ones the later; a submission counts once, by its first log that has an event."""

    def put(name, *years):
        logged(tmp_path / name / "systems" / "box.json")
        for i, year in enumerate(years):
            events = [{**OTHER, "time_ms": int(datetime.datetime(year, 6, 1).timestamp() * 1000)}] if year else []
            logged(tmp_path / name / "results" / f"box{i}" / "oc20" / "result_0.txt", *events)

    put("a", 2021)
    put("b", 2022)
    assert editions(tmp_path, law) == ("mlperf-hpc-v2.0",)
    put("c", None, 2021, 2022)
    assert editions(tmp_path, law) == ("mlperf-hpc-v1.0",)


@pytest.mark.parametrize("inner", ["mlperf-hpc-v0.7", "v1.0", "results/mlperf-hpc-v0.7", "results/v1.0"])
def test_a_round_in_an_organisations_folder_chooses_neither_rules_nor_registry(tree, law, tmp_path, inner):
    org = tmp_path / "results" / "v1.0" / "acme"
    shutil.copytree(tree.root, org / inner / "evil")
    (org / inner / "registry.yaml").write_text("[no registry\n")
    for given in (org, org.parent, org.parent.parent, tmp_path):
        verdict = judge([given], rules=law)
        assert verdict.editions == ("v1.0",)
        assert "REG01" not in {f.code for f in verdict.findings}
    (org.parent / "registry.yaml").write_text("[no registry\n")
    assert "REG01" in {f.code for f in judge([org], rules=law).findings}


def test_a_clone_may_lie_below_results_of_another_edition(tree, law, tmp_path):
    results = tmp_path / "results" / "mlperf-hpc-v2.0" / "clone" / "results"
    shutil.copytree(tree.root, results / "v1.0" / "acme")
    assert editions(results, law) == editions(results / "v1.0", law) == ("v1.0",)
    assert editions(results / "v1.0" / "acme", law) == ("v1.0",)


def of_year(year):
    return {**OTHER, "time_ms": int(datetime.datetime(year, 6, 1).timestamp() * 1000)}


def test_a_submission_counts_by_the_first_logs_of_its_first_three_sets(tmp_path):
    logged(tmp_path / "acme" / "systems" / "box.json")
    for i in range(5):
        for run in range(2):
            logged(tmp_path / "acme" / "results" / f"box{i}" / "oc20" / f"result_{run}.txt")
    (submission,) = discover([str(tmp_path / "acme")]).submissions
    (runs,) = discover([str(tmp_path / "acme" / "results" / "box0" / "oc20")]).sets
    assert [log.number for log in edition._logs(submission)] == [0, 0, 0]
    assert len({log.file.parent for log in edition._logs(submission)}) == 3
    assert [log.number for log in edition._logs(runs)] == [0]


@pytest.mark.parametrize("first", [None, "a folder"])
def test_a_log_without_a_year_or_that_cannot_be_read_is_passed_over(tmp_path, first):
    logs = [log_file(tmp_path / name, name) for name in ("a", "b")]
    if first:
        (tmp_path / "a").mkdir()
    logged(tmp_path / "b", of_year(2021))
    assert edition._year_of(logs) == 2021 and edition._year_of(logs[:1]) is None
    logged(tmp_path / "c", {**OTHER, "time_ms": 1 << 80})
    assert edition._year_of([log_file(tmp_path / "c", "c"), logs[1]]) == 2021


def test_an_edition_fits_that_has_just_the_rounds_benchmarks():
    class Of:
        benchmarks = frozenset({"oc20", "deepcam"})

    one = SimpleNamespace(name="one", benchmarks={"oc20": 1, "deepcam": 2})
    less = SimpleNamespace(name="less", benchmarks={"oc20": 1})
    assert edition._fitting([less, one], log_file(Path("none"), "none"), Of()) == [one]


def test_the_default_is_the_newest_edition_of_our_own_rounds_and_where_there_is_none_any():
    known = [SimpleNamespace(name=name) for name in ("v1.0", "v10.0", "v2.0", "mlperf-hpc-v3.0")]
    assert edition._newest(known) == [known[1]] and edition._newest(known[3:]) == []

    class Of:
        benchmarks = frozenset({"none"})

    known = [SimpleNamespace(name=name, benchmarks={}) for name in ("mlperf-hpc-v2.0", "mlperf-hpc-v3.0")]
    target = log_file(Path("none"), "none")
    none = edition._fitting(known, target, Of())
    assert none == known and edition._of_year(none, SimpleNamespace(year=None)) is known[1]


def test_the_year_is_asked_for_only_where_several_editions_fit():
    class Of:
        @property
        def year(self):
            raise AssertionError("read")

    one = SimpleNamespace(name="v1.0", limits=SimpleNamespace(year=2021))
    assert edition._of_year([one], Of()) is one


def test_of_two_editions_of_a_year_the_first_is_taken():
    two = [SimpleNamespace(name=name, limits=SimpleNamespace(year=2021)) for name in ("a", "b")]
    assert edition._of_year(two, SimpleNamespace(year=2021)) is two[0]


def test_folders_that_name_the_round_come_first_and_then_all_others(tmp_path):
    home = tmp_path / "x" / "results" / "v1.0" / "inner" / "acme"
    submission(home)
    (one,) = discover([str(home)]).submissions
    found = edition._folders(one, ["v1.0"])
    assert found[0] == home.parents[1].resolve() and sorted(found) == sorted(home.resolve().parents)
    assert edition._folders(one, ["none"]) == [*home.resolve().parents]


def submission(home):
    logged(home / "systems" / "box.json")
    logged(home / "results" / "box" / "oc20" / "result_0.txt")


def test_no_folder_above_a_folder_results_that_is_given_comes_first(tmp_path):
    home = tmp_path / "results" / "v1.0" / "results" / "acme"
    submission(home)
    (one,) = discover([str(home.parent)]).submissions
    assert edition._folders(one, ["v1.0"])[0] == home.parent.resolve()
