"""IOT: each check by itself, of made-up runs, from both sides of its limits."""

from types import SimpleNamespace

import pytest

from compliance.families import io_trial as checks
from rules.edition import load
from tests.compliance.families.test_io_trial import BY_RANK, SAMPLE, SAMPLES, WAITS, figures, limits, sizes


@pytest.mark.parametrize(
    ("by_rank", "said"),
    [
        ({}, []),
        ({"later_computed_seconds": [1.35, (0.94 + 1.9e-6) * 1.4]}, []),
        ({"later_computed_seconds": [1.35, (0.94 + 2.1e-6) * 1.4]}, ["AU 0.92"]),
        ({"later_computed_seconds": [1.35, (0.94 - 2.1e-6) * 1.4]}, ["AU 0.92"]),
        ({"later_computed_seconds": [9.0, 0.84 * 1.4]}, []),  # at most all of the time
        ({"first_step_seconds": [0.4, 0.6]}, []),
        ({"first_step_seconds": [0.4, 0.5]}, ["ranks of at most 1.9 s"]),
        ({"later_seconds": [0, 0]}, ["ranks of at most 0.5 s", "AU 0.92"]),
        ({"later_seconds": [1.5]}, ["by_rank"]),
        ({"later_seconds": [1.5, -1.4]}, ["by_rank"]),
        ({"later_seconds": [1.5, "1.4"]}, ["by_rank"]),
    ],
)
def test_utilization_follows_from_the_seconds_of_ranks(logs, by_rank, said):
    found = faults_of(logs, checks.utilization_follows_from_seconds, by_rank=BY_RANK | by_rank)
    assert [fault.found[: len(text)] for fault, text in zip(found, said, strict=True)] == said


def test_seconds_that_are_no_ranks(logs):
    check = checks.utilization_follows_from_seconds
    assert trial(logs, check) == trial(logs, check, by_rank=[]) == [5]
    assert trial(logs, check, by_rank=BY_RANK, only=False) == []
    alone = BY_RANK | {"first_step_seconds": [2.0, 2.0], "later_seconds": [0, 0], "later_computed_seconds": [0, 0]}
    assert trial(logs, check, by_rank=alone, au=None) == [] and trial(logs, check, by_rank=alone) == [5]


def faults_of(logs, check, setup=None, total=None, only=True, at=2000, steps=2, nodes=1, more=(), **changes):
    """What a check finds in a trial of a pass by two ranks; `changes` are the pass's, `total` the total's, `more` are
    further events."""
    where = {"format": "stored", "place": "data"}
    whole = figures() | (total or {})
    start = logs.event(1, "run_start", 0)
    log = logs.read(
        start,
        logs.event(2, "number_of_ranks", value=2),
        logs.event(3, "number_of_nodes", value=nodes),
        logs.event(4, "io_setup", value={"null_au": 0.99, "sample_bytes": SAMPLE, **(setup or {})}),
        logs.event(5, "io_epoch", at, figures() | changes, steps=2, samples_count=SAMPLES, **where),
        logs.event(6, "io_trial", at, whole, steps=steps, samples_count=SAMPLES, **where),
        *more,
    )
    terms = SimpleNamespace(io_only=only, edition=load("v1.0"), problem=None, metric="eval_accuracy")
    return list(check(log, terms, SimpleNamespace(start=start)))


def trial(logs, check, *args, **changes):
    """The lines of `faults_of`."""
    return [fault.line for fault in faults_of(logs, check, *args, **changes)]


def rated(seconds):
    return {"seconds": seconds, "throughput": SAMPLES / seconds}


CLOCK = load("v1.0").limits.clock
ROOM = 2.0 * (1 + CLOCK.slack) + CLOCK.slack_seconds


@pytest.mark.parametrize(
    ("changes", "total", "lines"),
    [
        ({}, {}, []),
        ({"throughput": 0}, {}, [5]),
        (rated(ROOM), rated(ROOM), []),
        (rated(ROOM + 1e-6), rated(ROOM + 1e-6), [5]),
        ({}, rated(2.0 * (1 + 1e-6)), []),
        ({}, rated(2.0 * (1 - 1e-6)), []),
        ({}, rated(2.0 * (1 + 1.1e-6)), [6]),
        ({}, rated(2.0 * (1 - 1.1e-6)), [6]),
    ],
)
def test_figures_of_a_trial_follow_but_for_a_millionth(logs, changes, total, lines):
    assert trial(logs, checks.trials_follow_from_counts, total=total, **changes) == lines
    assert trial(logs, checks.trials_follow_from_counts, total=total, only=False, **changes) == []


@pytest.mark.parametrize(("setup", "severity"), [({}, ""), ({"least_au": 0.9}, "review")])
def test_a_second_pass_fills_its_time_unless_the_cache_is_emptied_before(logs, setup, severity):
    second = elsewhere(logs, 5, "io_epoch", "data")._replace(time_ms=22_000)
    faults = faults_of(logs, checks.trials_follow_from_counts, setup, more=[second])
    told = [(fault.found, fault.severity) for fault in faults if "clock" in fault.found]
    assert told == [("2.000 s in 20.000 s on the clock", severity)]


def test_steps_of_a_trial_are_those_of_its_passes(logs):
    assert trial(logs, checks.trials_follow_from_counts, steps=3) == [6]


def elsewhere(logs, line, key, place):
    """A pass or a total of another place."""
    where = {"format": "stored", "place": place}
    return logs.event(line, key, 2000 * (line - 4), figures(), steps=2, samples_count=SAMPLES, **where)


def test_of_passes_without_a_total_the_first_is_told(logs):
    more = [elsewhere(logs, line, "io_epoch", place) for line, place in ((7, "memory"), (8, "memory"), (9, "disk"))]
    (fault,) = faults_of(logs, checks.trials_follow_from_counts, more=more)
    assert (fault.line, fault.found) == (7, "a pass without an io_trial of its format and place")


def test_totals_behind_one_without_passes_are_judged_too(logs):
    more = [elsewhere(logs, line, "io_trial", place) for line, place in ((7, "memory"), (8, "disk"))]
    assert trial(logs, checks.trials_follow_from_counts, more=more) == [7, 8]


AU = {"least": 0.9, "mean": 0.92, "most": 0.94}


@pytest.mark.parametrize(
    ("changes", "good"),
    [
        ({"au": None}, True),
        ({"au": {**AU, "most": 1 + checks.CLOSE}}, True),
        ({"au": {**AU, "most": 1 + 1.1e-6}}, False),
        ({"au": {**AU, "least": -checks.CLOSE}}, True),
        ({"au": {**AU, "least": 0.92 * (1 + checks.CLOSE) + checks.CLOSE}}, True),  # than the mean, within rounding
        ({"au": {**AU, "least": -1.1e-6}}, False),
        ({"au": {**AU, "mean": 0.95}}, False),
        ({"au": {"least": 0.9, "mean": 0.92}}, False),
        ({"au_waiting": 1.5}, False),
        ({"au_barrier": None}, False),
        ({"wait_seconds": dict.fromkeys(WAITS, 0)}, True),
        ({"wait_seconds": WAITS | {"least": -0.5}}, False),
        ({"wait_seconds": WAITS | {"slowest": 2.0}}, True),
        ({"wait_seconds": WAITS | {"slowest": 2.1}}, False),
        ({"wait_seconds": [0.1]}, False),
    ],
)
def test_utilizations_are_shares_and_waits_are_within_the_pass(logs, changes, good):
    assert trial(logs, checks.utilizations_are_shares, **changes) == ([] if good else [5])


def test_each_share_is_told_by_its_name(logs):
    (fault,) = faults_of(logs, checks.utilizations_are_shares, au=AU, au_waiting=0.8, au_barrier=1.5)
    assert fault.found == f"au {AU}, au_waiting 0.8, au_barrier 1.5"


@pytest.mark.parametrize(("over", "lines"), [(0, []), (1e-9, [5])])
def test_a_utilization_may_equal_its_ceiling_within_rounding(logs, over, lines):
    most = 0.5 + limits().ceiling_slack + checks.CLOSE
    au = {**AU, "mean": most + over}
    total = {"au": {**AU, "mean": 0.5}}
    assert trial(logs, checks.utilization_is_below_its_ceiling, {"null_au": 0.5}, total, au=au) == lines


@pytest.mark.parametrize(
    ("setup", "changes", "lines"),
    [
        ({}, {}, []),
        ({"sample_bytes": 1}, {"logical_bytes": sizes(8)}, [6]),  # the total still has more
        ({"sample_bytes": 0}, {}, [4]),
        ({"sample_bytes": True}, {}, [4]),
        ({}, {"logical_bytes": sizes(SAMPLE * SAMPLES - 1)}, [5]),
        ({}, {"logical_bytes": sizes(SAMPLE * SAMPLES * 2)}, []),
        ({}, {"logical_bytes": sizes(SAMPLE * SAMPLES * 2 + 1)}, [5]),
        ({}, {"logical_bytes": None}, [5]),
    ],
)
def test_bytes_are_those_of_the_samples_up_to_once_a_rank(logs, setup, changes, lines):
    assert trial(logs, checks.bytes_are_of_the_samples, setup, **changes) == lines
    assert trial(logs, checks.bytes_are_of_the_samples, setup, only=False, **changes) == []


@pytest.mark.parametrize(("nodes", "lines"), [(1, [5]), (2, []), (3, [])])
def test_each_node_may_deliver_as_many_bytes(logs, nodes, lines):
    read = int(2 * limits().node_bytes_per_second * 2.0)  # in 2 s, as two nodes can
    physical = {"physical_bytes": sizes(read), "disk_bytes": read}
    assert trial(logs, checks.bytes_are_of_the_samples, nodes=nodes, **physical) == lines


@pytest.mark.parametrize(("read", "good"), [(sizes(10), True), ({**sizes(10), "total": 11}, False), (None, False)])
@pytest.mark.parametrize("name", ["logical_bytes", "read_bytes", "requests", "physical_bytes"])
def test_totals_are_what_ranks_can_have(logs, name, read, good):
    counted = good or (read is None and name == "physical_bytes")  # the kernel does not count it
    assert trial(logs, checks.every_rank_is_counted, **{name: read}) == ([] if counted else [5])


@pytest.mark.parametrize(("ranks", "lines"), [(2, []), (3, [5]), (None, [5])])
def test_figures_are_of_all_ranks(logs, ranks, lines):
    assert trial(logs, checks.every_rank_is_counted, ranks=ranks) == lines


def test_ranks_left_out_of_a_pass_and_of_the_total_are_two_faults(logs):
    assert trial(logs, checks.every_rank_is_counted, total={"ranks": 1}, ranks=1) == [5, 6]


@pytest.mark.parametrize("key", ["epoch_start", "eval_stop", "eval_accuracy", "throughput_only"])
def test_a_trial_has_nothing_of_a_run(logs, key):
    log = logs.read(logs.event(3, key))
    for only, lines in ((True, [3]), (False, [])):
        terms = SimpleNamespace(io_only=only, metric="eval_accuracy")
        assert [fault.line for fault in checks.trials_score_nothing(log, terms, None)] == lines
