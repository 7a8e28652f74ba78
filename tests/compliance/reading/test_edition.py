"""Which edition judges what: the round's folder, or --rules; nothing that a submission says of itself."""

import copy
import datetime
import re
import shutil

import pytest
import yaml

import compliance.families  # noqa: F401  registers the checks
from benchmark.config import read_yaml
from compliance.engine import judge
from compliance.reading import edition
from compliance.reading.discovery import discover
from compliance.reading.edition import HEAD, complete, gaps
from compliance.rule import CHECKS
from rules.current import ROOT, current
from rules.edition import load
from tests.compliance.logs import Log


def editions(path, law, **options):
    return judge([path], rules=law, **options).editions


@pytest.mark.parametrize(
    ("folder", "most"),
    [
        ("closed/odd", 0),  # a benchmark that no edition knows: the default
        ("closed/openfold", 0),  # one edition knows it
        ("closed/oc20", 40),  # the year decides
        ("", 120),  # no folder names a benchmark: those of the round, its own, and the year
    ],
)
def test_each_submission_of_a_round_is_listed_at_most_thrice(monkeypatch, tmp_path, folder, most):
    opened = []
    monkeypatch.setattr(edition, "_logs", lambda target: opened.append(target) or [])
    for org in range(40):
        put(tmp_path / "x" / f"org{org}", [of(None)], folder)
    submissions = discover([str(tmp_path / "x")]).submissions
    for one, together in zip(submissions, edition.rounds_of(submissions), strict=True):
        edition.select_edition(one, None, ROOT, together)
    assert (len(submissions), len(opened)) == (40, most)


# Of a year without a round.
OPENFOLD = {"key": "submission_benchmark", "time_ms": 1_000_000_000_000, "value": "openfold"}
OTHER = {"key": "odd", "time_ms": 1_000_000_000_000}


def of(*years):
    """Logs of these years: the first event is of the year; None stands for no event, 0 for a time of no year."""
    times = {year: int(datetime.datetime(year, 6, 1).timestamp() * 1000) for year in years if year}
    return [[] if year is None else [{**OTHER, "time_ms": times.get(year, 10**18)}] for year in years]


def put(home, sets, benchmark="oc20"):
    """A submission of these sets of logs."""
    Log().write(home / "systems" / "box.json")
    for i, events in enumerate(sets):
        for j, log in enumerate(events):
            Log(log).write(home / "results" / f"box{i}" / benchmark / f"result_{j}.txt")
    return home


@pytest.mark.parametrize(("before", "known"), [(0, True), (HEAD - 1, True), (HEAD, False)])
def test_a_benchmark_is_looked_for_in_so_many_events(law, tmp_path, before, known):
    path = Log([*[OTHER] * before, OPENFOLD]).write(tmp_path / "x" / "a.log")
    assert editions(path, law) == ("mlperf-hpc-v3.0" if known else current(law),)
    Log([{**OPENFOLD, "value": ["openfold"]}, {**OPENFOLD, "key": "odd"}]).write(path)
    assert editions(path, law) == (current(law),)  # no text names a benchmark


@pytest.mark.parametrize(
    ("folder", "edition"),
    [
        ("hpc_results_v1.0", "mlperf-hpc-v1.0"),
        ("hpc_v2.0_results", "mlperf-hpc-v2.0"),
        ("hpc_results_v2.01", "mlperf-hpc-v1.0"),
        ("hpc_results_v9.9", "mlperf-hpc-v1.0"),
    ],
)
def test_a_version_in_a_folders_name_decides_before_the_year(law, tmp_path, folder, edition):
    put(tmp_path / folder / "acme", [of(2021)])
    assert editions(tmp_path / folder, law) == (edition,)


def test_the_year_that_most_submissions_of_a_round_are_of_decides(law, tmp_path):
    """Of two as frequent ones the later; a submission counts once, by its first log that has an event."""

    put(tmp_path / "a", [of(2021)])
    put(tmp_path / "b", [of(2022)])
    assert editions(tmp_path, law) == ("mlperf-hpc-v2.0",)
    put(tmp_path / "c", [of(None), of(2021), of(2022)])
    assert editions(tmp_path, law) == ("mlperf-hpc-v1.0",)
    new_year = int(datetime.datetime(2022, 1, 1, tzinfo=datetime.UTC).timestamp() * 1000)
    for ms, name in ((-1, "mlperf-hpc-v1.0"), (0, "mlperf-hpc-v2.0")):
        put(tmp_path / "d" / "acme", [[[{**OTHER, "time_ms": new_year + ms}]]])
        assert editions(tmp_path / "d", law) == (name,)


@pytest.mark.parametrize("inner", ["mlperf-hpc-v0.7", "v1.0", "results/mlperf-hpc-v0.7", "results/v1.0"])
def test_a_round_inside_an_organisation_chooses_no_rules(tree, law, tmp_path, inner):
    org = tmp_path / "results" / "v1.0" / "acme"
    shutil.copytree(tree.root, org / inner / "evil")
    (org / inner / "registry.yaml").write_text("[no registry\n")
    for given in (org, org.parent, org.parent.parent, tmp_path):
        verdict = judge([given], rules=law)
        assert verdict.editions == ("v1.0",)
        assert "REG01" not in {f.code for f in verdict.findings}
    (org.parent / "registry.yaml").write_text("[no registry\n")
    assert "REG01" in {f.code for f in judge([org], rules=law).findings}


CLONE = "results/mlperf-hpc-v2.0/clone/results/v1.0/acme"  # below results of another edition
BESIDE = "results/mlperf-hpc-v2.0/results/v1.0/acme"


@pytest.mark.parametrize(
    ("path", "above", "edition"),  # `above`: of the levels above the submission, at which the given path lies
    [
        ("x/v1.0/acme", 1, "v1.0"),
        ("x/elsewhere/acme", 1, None),
        ("v1.0/mlperf-hpc-v3.0", 1, "v1.0"),  # an organisation's name changes nothing
        ("mlperf-hpc-v2.0/acme", 1, "mlperf-hpc-v2.0"),
        ("mlperf-hpc-v2.0/x/acme", 0, "mlperf-hpc-v2.0"),
        ("mlperf-hpc-v2.0/x/v1.0/acme", 2, "v1.0"),
        ("mlperf-hpc-v2.0/x/v1.0/acme", 3, "mlperf-hpc-v2.0"),
        ("mlperf-hpc-v2.0/x/v1.0/acme", 0, "v1.0"),
        *((path, above, "v1.0") for path in (CLONE, BESIDE) for above in (0, 2)),
    ],
)
def test_the_outermost_given_folder_decides_or_the_nearest_above(tree, law, path, above, edition):
    home = tree.root.parent.with_name("base") / path
    shutil.copytree(tree.root, home)
    given = (home, *home.parents)[above]
    assert editions(given, law) == (edition or current(law),)
    assert editions(given, law, edition="assigned") == ("assigned",)


SET = "results/box0/oc20"  # the first set, given by itself


@pytest.mark.parametrize(
    ("sets", "given", "edition"),
    [
        ([of(2021, 2022)], "", "mlperf-hpc-v1.0"),
        ([of(None, 2021)], "", "mlperf-hpc-v3.0"),  # the last, for want of a year
        ([of(2020)], "", "mlperf-hpc-v3.0"),  # in which it was no benchmark
        ([of(None), of(None), of(2021)], "", "mlperf-hpc-v1.0"),
        ([of(None), of(None), of(None), of(2021)], "", "mlperf-hpc-v3.0"),
        ([of(0), of(2021)], "", "mlperf-hpc-v1.0"),
        ([of(2021, 2022)], SET, "mlperf-hpc-v1.0"),
        ([of(None, 2021)], SET, "mlperf-hpc-v3.0"),
    ],
)
def test_the_first_logs_of_the_first_three_sets_tell_the_year(law, tmp_path, sets, given, edition):
    assert editions(put(tmp_path / "acme", sets) / given, law) == (edition,)


def test_an_edition_fits_a_round_of_all_its_benchmarks(law, tmp_path):
    put(tmp_path / "acme", [of(2020)], "cosmoflow")
    Log(of(2020)[0]).write(tmp_path / "acme" / "results" / "box0" / "deepcam" / "result_0.txt")
    assert editions(tmp_path / "acme", law) == ("mlperf-hpc-v0.7",)


def test_the_default_is_the_newest_edition_by_number(law, tmp_path):
    """Of a benchmark that no edition knows, whatever the year."""
    shutil.copytree(law, tmp_path / "rules")
    for name in ("v1.9", "v1.10"):
        shutil.copytree(law / "v1.0", tmp_path / "rules" / name)
    assert editions(put(tmp_path / "acme", [of(2021)], "odd"), tmp_path / "rules") == ("v1.10",)


LIMITS = read_yaml(ROOT / "v1.0" / "limits.yaml")
CODES = load("v1.0").codes
NEEDS = {code: check.needs for code, check in CHECKS.items() if check.needs}
NUMBERS = [(name, code) for code, names in NEEDS.items() for name in names if name != "outputs"]


def changed(problem, name, value):
    """A problem of v1.0 with another value, or without it."""
    values = inner = copy.deepcopy(LIMITS["problems"][problem])
    *folders, last = name.split(".")
    for folder in folders:
        inner = inner[folder]
    inner.pop(last)
    if value is not None:
        inner[last] = value
    return values


@pytest.mark.parametrize(("name", "code"), NUMBERS)
@pytest.mark.parametrize("value", [None, 0, -1, True, "", "7", [], [0]])
def test_a_missing_or_empty_number_is_a_gap_of_its_rule(name, code, value):
    problem = changed("smoke", name, value)
    assert list(gaps(problem, CODES, False, True)) == [(name, code)]
    assert list(gaps(problem, CODES - {code}, False, True)) == []  # no rule needs it


def test_a_mean_needs_its_outputs_and_a_digest_is_one():
    for value in (None, 0):
        assert list(gaps(changed("deepcam-mini", "outputs", value), CODES, True, True)) == [("outputs", "EVL13")]
    for digest in ("a" * 63, "A" * 64, "a" * 65):
        problem = changed("smoke", "problem_digest", digest)
        assert list(gaps(problem, CODES, False, True)) == [("problem_digest", "DATA04")]
    assert NEEDS["EVL13"] == ("outputs",) and len(NUMBERS) == 9


def test_data_of_a_site_has_no_fingerprints_and_says_so():
    values = LIMITS["problems"]["deepcam"]
    assert list(gaps(values, CODES, True, True)) == []
    bare = {name: value for name, value in values.items() if name != "site_data"}
    published = [
        (f"{name}.{split}", code)
        for name, code in (("fingerprints", "DATA01"), ("class_counts", "DATA03"))
        for split in ("train", "validation")
    ]
    assert list(gaps(bare, CODES, True, True)) == published
    assert list(gaps(bare, CODES, True, False)) == published[:2]


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("smoke", changed("smoke", "parameter_count", None), "parameter_count (MOD01)"),
        ("new", changed("deepcam-mini", "class_counts.train", None), "class_counts.train (DATA03)"),
    ],
)
def test_an_edition_with_a_gap_is_refused_by_its_name(law, tmp_path, name, values, found):
    assert complete("v1.0", law).rules.keys() == load("v1.0", law).rules.keys()
    root = shutil.copytree(law, tmp_path / "rules")
    limits = yaml.safe_load((root / "v1.0" / "limits.yaml").read_text())
    limits["problems"][name] = values
    (root / "v1.0" / "limits.yaml").write_text(yaml.safe_dump(limits))
    with pytest.raises(ValueError, match=re.escape(f"v1.0/limits.yaml: problems.{name}: found no {found}, wanted ")):
        complete("v1.0", root)
