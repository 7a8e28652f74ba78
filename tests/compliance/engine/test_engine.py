"""Judging: what is looked at, which checks are held back, and what severity a finding has."""

import shutil
from dataclasses import replace

import pytest

from compliance import engine
from compliance.engine import judge
from compliance.finding import Fault, errors
from compliance.rule import CHECKS


def codes(verdict):
    return [f.code for f in verdict.findings]


def test_an_error_holds_back_what_rests_on_it_and_a_warning_does_not(tree, law, tmp_path):
    """CLK09 rests on CLK04: a clock that runs back is one fault, but where that is a warning both are told."""
    rules = shutil.copytree(law, tmp_path / "rules")
    (rules / "mild").mkdir()
    (rules / "mild" / "limits.yaml").write_text("{based_on: v1.0, title: Mild, severity: {CLK04: warning}}")
    tree.changed("rules_edition", value="mild")
    tree.changed("run_stop", time_ms=tree.logs[2].one("run_stop")["time_ms"] + 60_000)
    assert codes(judge([tree.path(2)], "mild", rules=rules)) == ["CLK09"]
    tree.changed("eval_start", nth=1, time_ms=tree.logs[2].all("eval_start")[1]["time_ms"] - 5000)
    assert codes(judge([tree.path(2)], "mild", rules=rules)) == ["CLK04", "CLK09"]
    assert codes(judge([tree.path(2)], "v1.0", rules=rules)) == ["LOG11", "CLK04"]


def test_a_run_that_failed_is_an_error_alone_and_forgiven_in_its_set(tree, logs, law):
    tree.logs[2] = logs.good(2, (0.5, 0.7))
    tree.write(2)
    (alone,) = judge([tree.path(2)], rules=law).findings
    (inside,) = judge([tree.path(2).parent], rules=law).findings
    assert (alone.code, alone.severity, inside.code, inside.severity) == ("EVL07", "error", "EVL07", "info")


def test_progress_is_told_after_each_log(tree, law):
    told = []
    judge([tree.root], rules=law, progress=lambda done, total: told.append((done, total)))
    assert told == [(n, 5) for n in range(1, 6)]


def test_an_unknown_edition_is_refused_before_anything_is_read(law):
    with pytest.raises(ValueError, match="no edition 'v9'"):
        judge(["nowhere"], "v9", rules=law)


@pytest.mark.parametrize(("run", "codes"), [(False, set()), (True, {"THR03"})])
def test_an_unnamed_folder_is_a_throughput_set_if_all_logs_are(study, law, run, codes):
    folder = study.root.parents[1] / "given" / "alone"
    for index in (5, 6, 7):
        study.logs[index].write(folder / f"result_{index}.txt")
    if run:
        study.logs[0].write(folder / "result_8.txt")
    found = {f.code for f in judge([folder], "v1.0", rules=law).findings}
    assert found & {"THR03", "RUN01"} == codes


def test_findings_of_a_round_stand_at_the_submission_they_concern(tree, law, monkeypatch):
    """Also where the path is no log's: below the second of two submissions here."""
    second = tree.root.with_name("bolt")
    shutil.copytree(tree.root, second)
    check = replace(CHECKS["RUN21"], function=lambda across: [Fault(1, "this", "that", path=f"{second}/systems")])
    ordered = engine.ordered
    monkeypatch.setattr(engine, "ordered", lambda level, codes: (check,) if level == "round" else ordered(level, codes))
    acme, bolt = judge([tree.root.parent], rules=law).submissions
    told = [[f.path for f in s.findings if f.code == "RUN21"] for s in (acme, bolt)]
    assert told == [[], [f"{second}/systems"]]


@pytest.mark.parametrize("paths", [("",), ("acme",), ("acme", "bolt")])
def test_a_submission_with_a_damaged_registry_is_not_in_order(registered, law, paths):
    """The registry's own error stands at its path, outside of all submissions."""
    home = registered.root.parent
    shutil.copytree(registered.root, home / "bolt")
    first, *others = registered.registry.text.splitlines(keepends=True)
    registered.write_registry(first.replace('"acme"', '"acmf"').replace('"bolt"', '"bolu"') + "".join(others))
    verdict = judge([home / path for path in paths], "v1.0", rules=law)
    assert verdict.exit_code == 1 and len(verdict.submissions) == (2 if paths in (("",), ("acme", "bolt")) else 1)
    assert all(errors(submission.everything()) for submission in verdict.submissions)
    assert [f.path for f in verdict.findings if f.code == "REG01"] == [str(home / "registry.yaml")]
    mine = verdict.of([str(home / "acme")])
    assert mine.exit_code == 1 and {f.code for f in mine.findings} >= {"REG02"}
