from dataclasses import replace

from benchmark.tuning.table import read_table
from compliance.engine import judge
from results import hpo
from results.tuning.score import campaigns
from tests.compliance.editions import law
from tests.compliance.tuned import Tuned


def test_paths_without_a_campaign_have_no_table(tmp_path, capsys):
    assert hpo.main([str(tmp_path / "none"), "--out", str(tmp_path)]) == 1
    assert "none" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_sets_of_runs_alone_are_said_to_have_no_campaign(tree, new_log, tmp_path, capsys):
    tree.set(new_log.five())
    assert hpo.main([str(tree.root), "--out", str(tmp_path / "tables")]) == 1
    assert capsys.readouterr().err == f"hpo: {tree.root}: found no campaign of tuning\n"


def test_a_table_a_problem_or_none_where_a_name_is_no_folders(tmp_path, monkeypatch, capsys):
    verdict = judge([str(Tuned(tmp_path).root)], rules=law(tmp_path / "law"))
    (campaign,) = campaigns(verdict)
    monkeypatch.setattr(hpo.command, "judged", lambda *_: verdict)
    assert hpo.main(["x", "--out", str(tmp_path / "tables")]) == 0
    (row,), _ = read_table(tmp_path / "tables" / "tiny" / "hpo_table.json", "tiny")
    assert row.samples.mean == campaign.samples_to_target.value
    changed = replace(campaign.opened.campaign, problem="z/x")
    other = replace(campaign, opened=replace(campaign.opened, campaign=changed))
    monkeypatch.setattr(hpo, "campaigns", lambda _: [campaign, other])
    assert hpo.main(["x", "--out", str(tmp_path / "more")]) == 2
    assert "found the problem 'z/x'" in capsys.readouterr().err and not (tmp_path / "more").exists()
