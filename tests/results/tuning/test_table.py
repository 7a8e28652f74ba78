from dataclasses import replace

from benchmark.tuning.table import read_table
from results.tuning.table import hyperparameters, table, text


def test_a_campaign_is_a_row_that_runs_can_read(scored, tmp_path):
    rows = table([scored])
    path = tmp_path / "hpo_table.json"
    path.write_text(text(rows))
    (row,), _ = read_table(path, "tiny")
    assert row.batch == 4 and row.settings == scored.winner.point and row.samples.mean == 32
    assert rows["tiny_4"]["Epochs to converge"] == [4, 4, 4] and rows["tiny_4"]["Trials"] == 4
    assert {"Benchmark", "Creator", "When", "Platform", "BS", "Hyperparams"} <= rows["tiny_4"].keys()
    assert rows["tiny_4"]["Campaign"] == scored.campaign.digest


def test_of_two_campaigns_fewest_samples_count_not_seconds(scored):
    better = replace(scored, samples=(24, 28, 32), wall=10 * scored.wall)
    for pair in ([scored, better], [better, scored]):
        assert table(pair)["tiny_4"]["Samples to converge"]["mean"] == 28


def test_an_older_average_of_a_step_is_told_in_epochs(scored):
    """Twenty steps of 4 samples; 32 samples are 4 epochs."""
    winner = replace(scored.winner, point={**scored.winner.point, "average_decay": 0.95})
    trials = tuple(winner if t.index == winner.index else t for t in scored.trials)
    found = hyperparameters(replace(scored, trials=trials), scored.samples_to_target)
    assert found == {"average_epochs": 10.0, **scored.winner.point}
