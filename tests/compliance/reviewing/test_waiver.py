"""Waivers: single findings that a reviewer lets pass, wherever they stand; what else is refused or idle."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from compliance.engine import judge
from compliance.finding import Finding, errors
from compliance.reviewing.waiver import Waiver, read_waivers
from tests.support.sides import sides

AGREED = {"organisation": "acme", "code": "SEED03", "path": "result_1.txt", "reason": "agreed", "reviewer": "r"}


def waiver(file, **fields):
    entry = {**AGREED, "reviewer": "r@example.org", **fields}
    file.write_text(json.dumps([{k: v for k, v in entry.items() if v is not None}]))
    return file


@pytest.mark.parametrize(
    "change",
    [
        {"reason": None},
        {"reviewer": ""},
        {"line": "8"},
        {"expires": "tomorrow"},
        {"path": "scaffold/", "line": 8},
    ],
)
def test_waiver_that_is_incomplete_is_refused(run, broken, tmp_path, change):
    assert run(broken.root, "--waivers", waiver(tmp_path / "waivers.yaml", **change))[0] == 2


@pytest.mark.parametrize(
    ("name", "value", "covered"),
    sides(
        ("path", ["result_1.txt", "a/scaffold/"], ["1.txt"]),
        ("line", [None, 8], [9]),
        ("code", ["SEED03"], ["SEED05", "SEED"]),
    ),
)
def test_a_waiver_is_for_one_rule_at_one_place(name, value, covered):
    finding = Finding("a/scaffold/result_1.txt", 8, "SEED03", "error", "A seed is fresh")
    assert Waiver(**{**AGREED, name: value}).covers(finding) is covered


def test_a_waiver_inside_the_submission_is_refused(run, broken, tmp_path):
    (tmp_path / "link.yaml").symlink_to(waiver(broken.root / "waivers.yaml"))
    for path in (broken.root / "waivers.yaml", tmp_path / "link.yaml"):
        code, _, errors = run(broken.root, "--waivers", path)
        assert code == 2 and "inside of" in errors


def test_waivers_cover_any_level_and_idle_ones_are_named(broken, law, tmp_path):
    broken.path(4).rename(broken.path(7))  # RUN02, of the set
    broken.described(host_processors_per_node="two")  # SYS04, of the submission
    places = [("SEED03", "result_1.txt"), ("RUN02", "strong/scaffold"), ("SYS04", "systems/box.json"), ("LOG01", "x")]
    entries = [{**AGREED, "code": code, "path": path} for code, path in places]
    file = tmp_path / "w.yaml"
    file.write_text("".join(f"- {json.dumps(entry)}\n" for entry in entries))
    verdict = judge([broken.root], rules=law, waivers=read_waivers(file, [broken.root]))
    (submission,) = verdict.submissions
    (runs,) = submission.sets
    waived = [submission.findings, runs.findings, runs.about, runs.logs[1].findings]
    assert [[(f.code, f.waived) for f in found] for found in waived] == [
        [(code, "r: agreed")] for code in ("SYS04", "RUN02", "SYS04", "SEED03")
    ]
    (idle,) = [f for f in verdict.findings if not f.waived]
    told = (idle.path, idle.line, idle.code, idle.severity, idle.found)
    assert told == (str(file), 4, "WAI01", "warning", "no LOG01 at x")
    assert not errors(submission.everything()) and verdict.exit_code == 0


def test_a_waiver_is_for_one_organisation(broken, law, tmp_path):
    other = shutil.copytree(broken.root, broken.root.parent / "bold")
    waivers = read_waivers(waiver(tmp_path / "w.yaml", organisation="A.C.M.E.", path="/"), [])
    waivers = replace(waivers, waivers=((1, replace(waivers.waivers[0][1], path="scaffold/")),))
    found = judge([broken.root, other], rules=law, waivers=waivers).findings
    waived = {(f.path.split("/")[-6], bool(f.waived)) for f in found if f.code == "SEED03"}
    assert waived == {("acme", True), ("bold", False)}
    assert not [f for f in judge([broken.path(1)], rules=law, waivers=waivers).findings if f.waived]


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ({}, ("WAI01", 2, "no SEED03 at result_1.txt:8")),
        ({"expires": "2020-01-01"}, ("WAI02", 1, "expires 2020-01-01")),
    ],
)
def test_of_two_waivers_of_one_finding_one_that_holds_covers_it(broken, law, tmp_path, first, told):
    entries = [json.dumps({**AGREED, "line": 8, **more}) for more in (first, {})]
    (tmp_path / "w.yaml").write_text("".join(f"- {entry}\n" for entry in entries))
    seed, idle = judge([broken.root], rules=law, waivers=read_waivers(tmp_path / "w.yaml", [])).findings
    assert (seed.code, bool(seed.waived), (idle.code, idle.line, idle.found)) == ("SEED03", True, told)


@pytest.mark.parametrize(("day", "waived"), [("2026-11-21", True), ("2026-11-22", True), ("2026-11-23", False)])
def test_a_waiver_holds_until_the_end_of_its_last_day(broken, law, tmp_path, day, waived):
    file = waiver(tmp_path / "w.yaml", expires="2026-11-22")
    waivers = replace(read_waivers(file, [broken.root]), today=date.fromisoformat(day))
    found = judge([broken.root], rules=law, waivers=waivers)
    seed, *idle = found.findings
    assert (seed.code, bool(seed.waived), found.exit_code) == ("SEED03", waived, 0 if waived else 1)
    assert [(f.code, f.line, f.severity, f.found) for f in idle] == (
        [] if waived else [("WAI02", 1, "warning", "expires 2026-11-22")]
    )


def test_today_is_the_checkers_and_dates_need_no_quotes(run, broken, tmp_path):
    today = datetime.now(UTC).date()
    entry = "- {organisation: acme, code: SEED03, path: scaffold/, reason: agreed, reviewer: r, expires: %s}\n"
    for day, code in ((today + timedelta(1), 0), (today - timedelta(1), 1)):
        (tmp_path / "w.yaml").write_text(entry % day)
        assert run(broken.root, "--waivers", tmp_path / "w.yaml")[0] == code
