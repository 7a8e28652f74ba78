from types import SimpleNamespace

from benchmark.tuning.table import read_table
from results.tuning.score import campaigns
from results.tuning.table import hyperparameters, table, text, words


def test_a_campaign_is_a_row_that_runs_can_read(verdict, tmp_path):
    (scored,) = campaigns(verdict)
    rows = table([scored])
    path = tmp_path / "hpo_table.json"
    path.write_text(text(rows))
    (row,), _ = read_table(path, "tiny")
    assert row.batch == 4 and row.settings == scored.winner.point and row.samples.mean == 32
    assert rows["tiny_4"]["Epochs to converge"] == [4, 4, 4] and rows["tiny_4"]["Trials"] == 4
    assert {"Benchmark", "Creator", "When", "Platform", "BS", "Hyperparams"} <= rows["tiny_4"].keys()
    assert rows["tiny_4"]["Campaign"] == scored.campaign.digest


def test_a_campaign_is_a_row_of_a_document(verdict):
    (scored,) = campaigns(verdict)
    head, line, row = words([scored]).splitlines()
    assert head.startswith("| campaign | batch |") and head.count("|") == line.count("|") == row.count("|")
    rate = scored.winner.point["learning_rate"]
    assert row.startswith(f"| first | 4 | learning\\_rate {rate} | 32 (32 to 32) | 4, 4, 4 | 2/4 |")


def test_an_older_average_of_a_step_is_told_in_epochs(verdict):
    """Twenty steps of 4 samples; 32 samples are 4 epochs."""
    (scored,) = campaigns(verdict)
    known = {name: getattr(scored, name) for name in ("edition", "campaign", "epochs")}
    winner = SimpleNamespace(point={**scored.winner.point, "average_decay": 0.95})
    found = hyperparameters(SimpleNamespace(**known, winner=winner), scored.samples_to_target)
    assert found == {"average_epochs": 10.0, **scored.winner.point}
