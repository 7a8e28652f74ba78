"""The command: formats, exit codes, selection, waivers, the law's text."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

import compliance
from compliance import check
from compliance.engine import judge
from compliance.impact import score, with_impact
from compliance.rule import CHECKS, LEVELS
from compliance.waiver import apply, read_waivers
from rules.edition import editions, load

HERE = Path(compliance.__file__).parent
ROOT = HERE.parent


@pytest.fixture
def broken(tree):
    """A submission with one error, in line 8 of result_1.txt."""
    event = tree.logs[1].one("seed")
    event["value"] = 5
    tree.write(1)
    return tree


@pytest.fixture
def run(law, monkeypatch, capsys):
    """Runs the command by the editions with the tiny problem: (exit code, output, errors)."""
    monkeypatch.setattr(check, "judge", lambda *args, **more: judge(*args, **more, rules=law))
    monkeypatch.setattr(check, "load", lambda name: load(name, law))

    def command(*arguments):
        code = check.main([str(a) for a in arguments])
        out = capsys.readouterr()
        return code, out.out, out.err

    return command


def test_clean_is_0(run, tree):
    code, out, _ = run(tree.root)
    assert code == 0
    assert "5 logs by the rules v1.0: nothing found" in out
    assert "for a reviewer: EVL90" in out


def test_errors_are_1_with_place_found_and_wanted(run, broken):
    code, out, _ = run(broken.root)
    assert code == 1
    line = out.splitlines()[0]
    assert line.startswith(f"{broken.path(1)}:8: SEED03 ")
    assert "found seed 5, a small number, wanted" in line


def test_one_log_one_set_and_a_round(run, broken):
    assert run(broken.path(1))[0] == 1
    assert run(broken.path(0))[0] == 0
    assert run(broken.path(0).parent)[0] == 1
    assert run(broken.root.parent)[0] == 1
    assert run(broken.path(0), broken.path(2))[0] == 0


def test_rules_are_counted_that_what_was_given_can_break(run, tree, law):
    levels = {"log": {"log", "round"}, "set": {"log", "set", "round"}, "all": set(LEVELS)}
    codes = load("v1.0", law).codes
    wanted = {name: sum(CHECKS[c].level in chosen for c in codes if c in CHECKS) for name, chosen in levels.items()}
    for name, path in (("all", tree.root), ("set", tree.path(1).parent), ("log", tree.path(1))):
        assert f"{wanted[name]} of {wanted[name]} rules passed" in run(path)[1]


def test_log_given_twice_is_one_log(run, tree, monkeypatch):
    monkeypatch.chdir(tree.root.parent)
    assert run(tree.root, "acme", "./acme", tree.path(0))[0] == 0


@pytest.mark.parametrize("arguments", [[], ["nowhere"], ["--rules", "v9", "."], ["--select", "XYZ", "."]])
def test_could_not_look_is_2(run, arguments):
    assert run(*arguments)[0] == 2


def test_nothing_to_look_at_is_2(run, tmp_path):
    (tmp_path / "empty").mkdir()
    code, out, _ = run(tmp_path / "empty")
    assert code == 2
    assert "could not look" in out


def test_json_keeps_its_schema(run, broken):
    code, out, _ = run(broken.root, "--format", "json")
    schema = json.loads((HERE / "schema" / "report-1.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(out)
    jsonschema.validate(document, schema)
    assert document["exit_code"] == code == 1
    assert [(f["line"], f["code"]) for f in document["findings"]] == [(8, "SEED03")]


def test_sarif_names_rule_and_place(run, broken):
    _, out, _ = run(broken.root, "--format", "sarif")
    sarif = json.loads(out)
    assert sarif["version"] == "2.1.0"
    (result,) = sarif["runs"][0]["results"]
    rules = sarif["runs"][0]["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "SEED03"
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 8}
    assert rules[0]["fullDescription"]["text"]


def test_github_commands_are_one_line_each(run, broken):
    _, out, _ = run(broken.root, "--format", "github")
    (line,) = out.splitlines()
    assert line.startswith(f"::error file={broken.path(1)},line=8,title=SEED03::SEED03 ")


def test_junit_counts_what_it_holds(run, broken):
    _, out, _ = run(broken.root, "--format", "junit")
    suites = ET.fromstring(out)
    cases = suites.findall("testsuite/testcase")
    assert len(cases) == int(suites.get("tests")) > 80
    assert [c.get("name")[:6] for c in cases if c.find("failure") is not None] == ["SEED03"]
    assert suites.get("failures") == "1"


def test_markdown_has_the_table(run, broken):
    _, out, _ = run(broken.root, "--format", "markdown")
    assert "| SEED03 | error |" in out


@pytest.mark.parametrize("form", check.FORMATS)
def test_every_format_survives_hostile_names(run, broken, form):
    folder = broken.path(0).parent
    (folder / "a\nb\x1b[31m<x>|`::error::").write_text("?")
    code, out, _ = run(broken.root, "--format", form)
    assert code == 1
    assert "\x1b" not in out
    assert all(line.isprintable() for line in out.splitlines())
    if form == "junit":
        ET.fromstring(out)
    if form == "github":
        assert all(line.startswith("::") for line in out.splitlines())


def test_select_and_ignore(run, broken):
    assert run(broken.root, "--select", "RUN,LOG")[0] == 0
    assert run(broken.root, "--ignore", "SEED03")[0] == 0
    assert run(broken.root, "--select", "SEED", "--ignore", "SEED05")[0] == 1


def waiver(file, **fields):
    entry = {"code": "SEED03", "path": "result_1.txt", "reason": "agreed", "reviewer": "r@example.org", **fields}
    file.write_text(json.dumps([{k: v for k, v in entry.items() if v is not None}]))
    return file


def test_waiver_covers_one_finding_and_is_shown(run, broken, tmp_path):
    file = waiver(tmp_path / "waivers.yaml", line=8)
    code, out, _ = run(broken.root, "--waivers", file)
    assert code == 0
    assert "[waived by r@example.org: agreed]" in out
    assert "1 waived" in out


def test_unused_waiver_is_reported(run, broken, tmp_path):
    file = waiver(tmp_path / "waivers.yaml", line=9)
    code, out, _ = run(broken.root, "--waivers", file)
    assert code == 1
    assert f"{file}:1: WAI01 warning" in out


@pytest.mark.parametrize("change", [{"reason": None}, {"reviewer": ""}, {"reasons": "?"}, {"line": "8"}])
def test_waiver_that_is_incomplete_is_refused(run, broken, tmp_path, change):
    assert run(broken.root, "--waivers", waiver(tmp_path / "waivers.yaml", **change))[0] == 2


def test_waiver_inside_the_submission_is_refused(run, broken):
    code, _, errors = run(broken.root, "--waivers", waiver(broken.root / "waivers.yaml"))
    assert code == 2
    assert "outside" in errors


def test_waiver_of_a_path_needs_whole_names(broken, law, tmp_path):
    waivers = read_waivers(waiver(tmp_path / "w.yaml", path="1.txt"), [str(broken.root)])
    findings = apply(judge([broken.root], rules=law).findings, waivers, "w.yaml")
    assert {f.code: bool(f.waived) for f in findings} == {"SEED03": False, "WAI01": False}


def test_score_drops_fastest_and_slowest():
    assert score([5.0, 1.0, 2.0, 3.0, 100.0]) == pytest.approx(10 / 3)
    assert score([5.0, 1.0, 2.0, 3.0, float("inf")]) == pytest.approx(10 / 3)
    assert score([1.0, 2.0, 3.0, float("inf"), float("inf")]) is None


def test_impact_is_the_score_without_the_run(broken, law):
    verdict = judge([broken.root], rules=law)
    (finding,) = with_impact(verdict, {"v1.0": load("v1.0", law)})
    times = [log.facts.seconds for log in verdict.all_sets[0].logs]
    without = score([*times[:1], float("inf"), *times[2:]])
    assert finding.impact == f"score {score(times):.3f} s, {without:.3f} s if this run does not count"


@pytest.mark.parametrize("edition", editions())
def test_every_rule_is_explained(capsys, edition):
    for code, rule in load(edition).rules.items():
        assert check.main(["--explain", code, "--rules", edition]) == 0
        out = capsys.readouterr().out
        assert out.startswith(f"{code} {rule.sentence}\n")
        assert rule.reason in out


def test_unknown_code_is_suggested(capsys):
    assert check.main(["--explain", "SEED99"]) == 2
    assert "did you mean" in capsys.readouterr().err


def test_list_has_every_rule(capsys):
    assert check.main(["--list"]) == 0
    out = capsys.readouterr().out
    for name in editions():
        for code, rule in load(name).rules.items():
            assert f"  {code:<7}" in out
            assert rule.sentence in out


def command(*arguments, cwd=ROOT):
    return subprocess.run(
        [sys.executable, HERE / "check.py", *map(str, arguments)], cwd=cwd, capture_output=True, text=True
    )


def test_jobs_give_the_same_report(tree):
    one, two = command(tree.root), command(tree.root, "--jobs", 2)
    assert one.stdout == two.stdout
    assert one.returncode == two.returncode


def test_runs_from_anywhere_and_without_torch_and_changes_nothing(tree, tmp_path):
    before = {p: p.stat().st_mtime_ns for p in tree.root.rglob("*")}
    code = (
        "import sys, runpy\n"
        "for name in ('torch', 'h5py', 'mlperf_logging', 'pandas', 'tqdm', 'scipy'): sys.modules[name] = None\n"
        f"sys.argv = ['check.py', {str(tree.root)!r}]\n"
        f"runpy.run_path({str(HERE / 'check.py')!r}, run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert "LOG12" in done.stdout, done.stderr  # the repository's own rules don't publish the tiny problem
    assert done.returncode == 1
    assert {p: p.stat().st_mtime_ns for p in tree.root.rglob("*")} == before


def test_reader_that_stops_reading_is_no_error(tree):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, HERE / "check.py", tree.root], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert "Traceback" not in done.stderr


def test_no_module_is_named_like_one_of_the_standard_library():
    """Run as a file, `compliance/` comes first on the path until the first lines have replaced it."""
    assert not {path.stem for path in HERE.glob("*.py")} & sys.stdlib_module_names
