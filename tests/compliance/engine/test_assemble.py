"""Findings put together: each stands at its log, set or submission, and a set knows those outside that concern it."""

from pathlib import Path

import pytest

from compliance.engine import judge
from compliance.engine.assemble import about, concerned, wrong_place
from compliance.finding import Finding, sort_key
from compliance.reading.tree import Place, Set
from rules.edition import load

HOME = "v1.0/acme"
BOX = Set(
    Path("results/box/strong/scaffold"),
    f"{HOME}/results/box/strong/scaffold",
    Path(HOME),
    Place("v1.0", "acme", "box", "strong", "scaffold", Path(HOME)),
    (),
)


@pytest.mark.parametrize(
    ("path", "code", "touches"),
    [
        ("systems/box.json", "SYS04", True),
        ("systems/crate.json", "SYS04", False),
        ("systems/box.json.txt", "TREE03", False),
        ("benchmarks/scaffold/implementations/x/train.py", "SRC02", True),
        ("benchmarks/deepcam/implementations/x/train.py", "SRC02", False),
        ("benchmarks", "TREE05", True),
        ("source/0123/train.py", "SRC03", True),
        ("", "TREE07", True),
        ("benchmarks/common/train.py", "SRC04", True),
        ("results/crate/strong/scaffold/result_5.log", "TREE06", False),
        ("docs/result_0.txt", "TREE09", False),
        ("systems/old/box.json", "TREE03", True),
        ("results", "TREE05", True),
        ("results/box", "TREE03", True),
        ("results/crate", "TREE03", False),
        ("results/box/deepcam/x", "TREE03", False),  # the benchmark alone, or behind the scaling
        ("results/box/strong/x/deepcam", "TREE03", True),
        ("benchmarks/deepcam", "TREE03", False),
        ("results/box/strong/scaffold/result_5.log", "TREE06", True),  # a run that was left out
        ("results/box/strong/scaffold_2/result_5.log", "TREE06", True),
        ("results/box/strong/deepcam/result_5.log", "TREE06", False),
    ],
)
def test_what_concerns_a_set(path, code, touches):
    finding = Finding(f"{HOME}/{path}".rstrip("/"), 1, code, "error", "Something")
    whom = concerned(finding, HOME, load("v1.0").benchmarks)
    around = {whom: [finding]} if whom else {}
    assert about(around, BOX.system, BOX.benchmark) == [finding] * touches


def test_a_set_is_misplaced_by_an_error_of_the_layout():
    found = [Finding("p", 1, code, severity, "S") for code, severity in (("TREE03", "warning"), ("SEED03", "error"))]
    assert wrong_place(found) == wrong_place([]) == ""
    assert wrong_place([*found, Finding("p", 1, "TREE05", "error", "S", waived="r: x")]) == "TREE05"


def test_what_concerns_a_set_stands_in_the_order_of_places():
    paths = ["", "results/box/core.1", "systems/box.json", "results/box/strong/scaffold/core.2", "source/0123/train.py"]
    findings = [Finding(f"{HOME}/{path}".rstrip("/"), 1, "TREE03", "error", "Something") for path in paths]
    around = {}
    for finding in findings:
        around.setdefault(concerned(finding, HOME, load("v1.0").benchmarks), []).append(finding)
    assert len(around) == 3
    assert about(around, BOX.system, BOX.benchmark) == sorted(findings, key=sort_key)


@pytest.fixture
def two(tree, logs):
    """A submission of two systems, box and crate, with a fault in each place."""
    for index in range(5):
        log = logs.good(100 + index)
        log.one("submission_platform")["value"] = "crate"
        for group in log.one("devices")["value"]:
            group["host"] = "crate"
        log.write(tree.root / "results" / "crate" / "strong" / "scaffold" / f"result_{index}.txt")
    tree.put(tree.root / "systems" / "crate.json", tree.write_system(logs.SYSTEM).read_text())
    tree.described(host_processors_per_node="two")  # SYS04
    tree.changed("seed", value=5)  # SEED03
    tree.path(4).rename(tree.path(7))  # RUN02
    tree.put(tree.implementation / "other.py", "")  # SRC06
    logs.good(7).write(tree.root / "docs" / "result_0.txt")  # TREE09
    return tree


def codes(findings):
    return sorted(f.code for f in findings)


def test_each_finding_stands_where_its_place_is(two, law):
    verdict = judge([two.root], rules=law)
    (submission,) = verdict.submissions
    box, crate = submission.sets
    assert codes(box.findings) == ["RUN02"]
    assert [codes(log.findings) for log in box.logs] == [[], [], ["SEED03"], [], []]
    assert codes(crate.findings) == [] and not any(log.findings for log in crate.logs)
    assert codes(submission.findings) == ["SRC06", "SYS04", "TREE09"]
    assert codes(box.about) == ["SRC06", "SYS04"] and codes(crate.about) == ["SRC06"]
    assert codes(verdict.findings) == codes(submission.everything())

    assert (box.round, box.org, box.system, box.scaling, box.benchmark) == ("v1.0", "acme", "box", "strong", "scaffold")
    assert (box.edition, box.required, box.submission) == ("v1.0", 5, str(two.root))
    assert (box.description["host_processors_per_node"], crate.description["system_name"]) == ("two", "box")


def test_findings_of_one_submission_are_not_the_other_ones(two, law):
    other = two.root.with_name("bolt")
    two.root.rename(other)
    empty = judge([other.parent], rules=law)
    assert codes(empty.submissions[0].findings) == ["SRC06", "SYS04", "SYS09", "SYS09", "TREE09"]
    alone = judge([other / "results" / "box" / "strong" / "scaffold"], rules=law)
    (runs,) = alone.sets
    assert not alone.submissions and (runs.submission, runs.about) == ("", ()) and codes(runs.findings)


def test_no_number_of_runs_is_wanted_of_an_unknown_benchmark(tree, law):
    tree.path(0).parent.rename(tree.path(0).parent.with_name("scafold"))
    (runs,) = judge([tree.root], rules=law).all_sets
    assert runs.required is None
