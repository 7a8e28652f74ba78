"""Which edition judges what: the round's folder, or --rules; nothing that a submission says of itself."""

import shutil

import pytest

from compliance.engine import judge
from compliance.reading import edition
from compliance.reading.discovery import discover
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
