import math

import pytest

from benchmark.ledger import Frozen
from benchmark.tuning.campaign import campaign_of
from compliance.engine import judge
from results.statistics.result import summarize
from results.tuning.score import campaigns


def seconds(log):
    return (log.one("run_stop")["time_ms"] - log.one("run_start")["time_ms"]) / 1000


def test_a_campaign_is_scored(tuned, verdict):
    (found,) = campaigns(verdict)
    trials, runs = tuned.logs[:4], tuned.logs[4:]
    assert found.why == "" and found.label == "acme/box/first" and found.successes == 2
    assert found.winner.index == min((1, 3), key=lambda i: seconds(trials[i]))
    first, last = trials[0].one("init_stop")["time_ms"], trials[3].one("run_stop")["time_ms"]
    assert found.wall == pytest.approx((last - first) / 1000, abs=0.01)
    middle = sorted(map(seconds, runs))[1]
    assert found.solution.value == pytest.approx(found.wall + middle) and math.isnan(found.solution.low)
    assert found.running_time.value == pytest.approx(sum(map(seconds, trials)) / 2)
    assert found.samples == (32, 32, 32) and found.samples_to_target.value == 32
    assert found.unit_hours == pytest.approx(sum(map(seconds, trials)) / 3600) and found.lost == 0


def test_the_winners_own_time_counts_for_nothing(tuned, law):
    """The confirmation runs are slower than the winner was, and the score is theirs."""
    for index in (4, 5, 6):
        late = 0
        for event in tuned.logs[index].events:
            late += 20_000 if event["key"] == "epoch_start" else 0
            event["time_ms"] += late
        tuned.write(index)
    (found,) = campaigns(judge([str(tuned.root)], rules=law))
    assert found.confirmation.mean > found.winner.seconds + 60
    assert found.solution is None or found.solution.value == found.wall + found.confirmation.mean


def test_without_all_trials_or_confirmation_there_is_no_score(tuned, law):
    runs = {index: tuned.path(index).read_bytes() for index in (4, 5, 6)}
    for index in runs:
        tuned.path(index).unlink()
    (found,) = campaigns(judge([str(tuned.root)], rules=law))
    assert found.why and found.solution is None
    for index, data in runs.items():
        tuned.path(index).write_bytes(data)
    tuned.logs[0].events = []
    tuned.launch()
    (found,) = campaigns(judge([str(tuned.root)], rules=law))
    assert "TUN03" in found.why and found.solution is None


def test_campaigns_are_no_sets_of_the_ranking(verdict):
    assert summarize(verdict) == []


def test_a_campaign_that_cannot_be_read(tuned, law):
    (tuned.folder / "campaign.json").write_text("{}")
    (found,) = campaigns(judge([str(tuned.root)], rules=law))
    assert found.opened is None and "TUN01" in found.why


@pytest.mark.parametrize("overlap", [0, 1500])
def test_processors_that_trials_share_count_once(tuned, law, overlap):
    """Trial 1 begins so many milliseconds before trial 0 ends, on the same node."""
    early = tuned.logs[1].one("run_start")["time_ms"] - tuned.logs[0].one("run_stop")["time_ms"] + overlap
    for event in tuned.logs[1].events:
        event["time_ms"] -= early
    tuned.VALUES = {**tuned.VALUES, "parallel": 2}
    tuned.campaign = campaign_of(tuned.VALUES, "campaign")
    tuned.said[0] = Frozen(tuned.campaign.digest)
    tuned.frozen()
    (found,) = campaigns(judge([str(tuned.root)], rules=law))
    assert found.why == "" and found.pruned == 1
    assert found.unit_hours * 3600 == pytest.approx(sum(map(seconds, tuned.logs[:4])) - overlap / 1000)
