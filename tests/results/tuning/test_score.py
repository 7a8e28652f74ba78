import math
from dataclasses import replace

import pytest

from benchmark.ledger import Frozen
from benchmark.tuning.campaign import Budget, campaign_of
from compliance.engine import judge
from results.statistics.result import summarize
from results.tuning.score import _is_pruned
from tests.compliance.logs import good


def seconds(log):
    return (log.one("run_stop")["time_ms"] - log.one("run_start")["time_ms"]) / 1000


def test_a_campaign_is_scored(tuned, scored):
    trials, runs = tuned.logs[:4], tuned.logs[4:]
    assert scored.why == "" and scored.label == "acme/box/first" and scored.successes == 2
    assert scored.winner.index == min((1, 3), key=lambda i: seconds(trials[i]))
    first, last = trials[0].one("init_stop")["time_ms"], trials[3].one("run_stop")["time_ms"]
    assert scored.wall == pytest.approx((last - first) / 1000, abs=0.01)
    middle = sorted(map(seconds, runs))[1]
    assert scored.solution.value == pytest.approx(scored.wall + middle) and math.isnan(scored.solution.low)
    assert scored.running_time.value == pytest.approx(sum(map(seconds, trials)) / 2)
    assert scored.samples == (32, 32, 32) and scored.samples_to_target.value == 32
    assert scored.unit_hours == pytest.approx(sum(map(seconds, trials)) / 3600) and scored.lost == 0
    assert [t.epochs for t in scored.trials] == [8, 6, 2, 4] and [t.pruned for t in scored.trials] == [0, 0, 1, 0]
    assert [t.time == t.seconds for t in scored.trials] == [False, True, False, True] and scored.joules is None


def test_accelerators_energy_and_repeated_starts_are_added_up(scored):
    own = [replace(t, units=u, joules=u, hosts=frozenset()) for t, u in zip(scored.trials, (2, 4, 4, 4), strict=True)]
    added = replace(scored, trials=tuple(own), lost=36.0)
    work = sum(t.seconds * t.units for t in own)
    assert added.unit_hours == pytest.approx((work + 36 * 4) / 3600) and added.joules == 14
    shared = [replace(t, units=6, hosts=frozenset("abc")) for t in scored.trials]
    assert replace(scored, trials=tuple(shared)).unit_hours == pytest.approx(6 * sum(t.seconds for t in own) / 3600)
    for name in ("unit_hours", "joules"):
        unknown = replace(own[0], units=None, joules=None)
        assert getattr(replace(added, trials=(unknown, *own[1:])), name) is None
        assert getattr(replace(added, trials=()), name) is None


def test_samples_to_the_target_have_students_interval(scored):
    three, two = (replace(scored, samples=samples).samples_to_target for samples in ((28, 32, 30), (1, 3)))
    assert (three.value, three.low, three.high) == (
        30,
        pytest.approx(25.0317, abs=1e-4),
        pytest.approx(34.9683, abs=1e-4),
    )
    assert (two.value, two.low, two.high) == (2, 2e-6, pytest.approx(14.7062, abs=1e-4))
    assert replace(scored, samples=(28,)).samples_to_target is None
    alike = replace(scored, samples=(32, 32, 32), epochs=(4, 4, 4)).samples_to_target  # of 8 in an epoch
    assert (alike.low, alike.high) == pytest.approx((32 - 4.302653 * 8 / 6 / 3**0.5, 32 + 4.302653 * 8 / 6 / 3**0.5))


def test_the_interval_is_that_of_the_confirmation_runs(scored):
    ends = replace(scored, confirmation=replace(scored.confirmation, low=10.0, high=90.0)).solution
    assert (ends.low, ends.high) == (scored.wall + 10, scored.wall + 90)
    for lacking in ({"why": "x"}, {"confirmation": None}, {"wall": None}):
        assert replace(scored, **lacking).solution is None


def test_the_interval_is_that_of_a_set_of_the_same_runs(tuned, anew):
    """As found: runs that end at one evaluation had an interval of their noise alone, and a set of them a wider one."""
    tuned.logs += [good(i, tuned.COURSES[3]) for i in (7, 8)]
    tuned.frozen()
    found = anew()
    assert found.confirmation.n == 5 and found.confirmation.widened
    assert found.confirmation == found.confirmed.score.trimmed


def test_a_trial_that_ends_at_its_budget_is_not_pruned(scored):
    epochs, timed = scored.campaign, replace(scored.campaign, budget=Budget(seconds=60))
    for campaign, edges in ((epochs, [(2, 9), (7, 9), (8, 9)]), (timed, [(2, 9), (99, 59.9), (99, 60)])):
        assert [_is_pruned(*edge, campaign) for edge in edges] == [True, True, False]
        assert not _is_pruned(1, 9, campaign) and not _is_pruned(None, 9, campaign)
        assert not _is_pruned(2, 9, replace(campaign, pruning=None))


def test_starts_without_a_log_count_until_they_end(tuned, anew):
    """One that aborted after 20 s, one that was killed before the next one began 3.5 s later, and that one, which
    counts for no longer than the longest trial."""
    ledger = tuned.begin()
    log, name = tuned.logs[0].events, "result_0.txt"
    began = log[0]["time_ms"] - 500_000
    ledger.end(ledger.start(log, name, time_ms=began), "", "aborted", began + 20_000)
    for after in (21_000, 24_500):
        ledger.start(log, name, time_ms=began + after)
    tuned.begin = lambda: ledger
    tuned.launch()
    found = anew()
    assert found.lost == pytest.approx(20 + 3.5 + seconds(tuned.logs[0]))
    assert found.wall == (found.trials[3].stop_ms - began) / 1000


def test_the_winners_own_time_counts_for_nothing(tuned, anew):
    """The confirmation runs are slower than the winner was, and the score is theirs."""
    for index in (4, 5, 6):
        late = 0
        for event in tuned.logs[index].events:
            late += 20_000 if event["key"] == "epoch_start" else 0
            event["time_ms"] += late
        tuned.write(index)
    found = anew()
    assert found.confirmation.mean > found.winner.seconds + 60
    assert found.why == "" and found.solution.value == found.wall + found.confirmation.mean


def test_without_all_trials_or_confirmation_there_is_no_score(tuned, anew):
    runs = {index: tuned.path(index).read_bytes() for index in (4, 5, 6)}
    for index in runs:
        tuned.path(index).unlink()
    found = anew()
    assert found.why and found.solution is None
    for index, data in runs.items():
        tuned.path(index).write_bytes(data)
    tuned.logs[0].events = []
    tuned.launch()
    found = anew()
    assert "TUN03" in found.why and found.solution is None


def test_campaigns_are_no_sets_of_the_ranking(tuned, law):
    assert summarize(judge([str(tuned.root)], rules=law)) == []


def test_a_campaign_that_cannot_be_read(tuned, anew):
    (tuned.folder / "campaign.json").write_text("{}")
    found = anew()
    assert found.opened is None and "TUN01" in found.why


@pytest.mark.parametrize("overlap", [0, 1500])
def test_processors_that_trials_share_count_once(tuned, anew, overlap):
    """Trial 1 begins so many milliseconds before trial 0 ends, on the same node."""
    early = tuned.logs[1].one("run_start")["time_ms"] - tuned.logs[0].one("run_stop")["time_ms"] + overlap
    for event in tuned.logs[1].events:
        event["time_ms"] -= early
    tuned.VALUES = {**tuned.VALUES, "parallel": 2}
    tuned.campaign = campaign_of(tuned.VALUES, "campaign")
    tuned.said[0] = Frozen(tuned.campaign.digest)
    tuned.frozen()
    found = anew()
    assert found.why == "" and found.pruned == 1
    assert found.unit_hours * 3600 == pytest.approx(sum(map(seconds, tuned.logs[:4])) - overlap / 1000)
