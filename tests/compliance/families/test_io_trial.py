"""IOT: trials of the input, and what the ranks of a run waited."""

import copy

import pytest

from compliance.engine import judge
from compliance.families import io_trial as checks
from tests.compliance.families.damages import damage
from tests.compliance.logs import event, read
from tests.compliance.made import OURS, terms, timeline

SAMPLE, SAMPLES = 500, 8  # bytes of arrays; of a pass
FAST = 2 * 10**12 + 2  # bytes in 2 s that no node reads
BY_RANK = {
    "first_step_seconds": [0.5, 0.5],
    "later_seconds": [1.5, 1.4],
    "later_computed_seconds": [1.35, 0.94 * 1.4],
}  # 0.9 and 0.94
WAITS = {"least": 0.1, "mean": 0.15, "most": 0.2, "slowest": 0.2}


def sizes(total):
    return {"total": total, "least_by_rank": total // 2, "most_by_rank": total // 2}


def figures(passes=1):
    """What two ranks have of passes of 2 s."""
    seconds = 2.0 * passes
    return {
        "throughput": SAMPLES / 2.0,
        "seconds": seconds,
        "au": {"least": 0.9, "mean": 0.92, "most": 0.94},
        "au_waiting": 0.9,
        "au_barrier": 0.9,
        "wait_seconds": {name: passes * n for name, n in WAITS.items()} | {"p50": 0.1, "p99": 0.1, "longest": 0.1},
        "logical_bytes": sizes(SAMPLE * SAMPLES * passes),
        "read_bytes": sizes(3000 * passes),
        "physical_bytes": sizes(3000 * passes),
        "disk_bytes": 4000 * passes,
        "requests": sizes(80 * passes),
        "request_bytes": 37.5,
        "au_over_ceiling": 0.93,
        "ranks": 2,
        "cache": "cold: read from the device",
    }


def tried(study):
    """The study, whose log 6 is a trial of two passes by two ranks."""
    log = study.logs[6]
    head = log.events[: log.events.index(log.one("run_start")) + 1]
    log.events, log.time_ms = [e for e in head if e["key"] != "throughput_only"], head[-1]["time_ms"]
    log.add("io_only", True)
    log.add("io_setup", {"null_au": 0.99, "sample_bytes": SAMPLE, "epochs": 2})
    where = {"format": "stored", "place": "data"}
    for epoch in (1, 2):
        value = figures() | {"by_rank": BY_RANK}
        log.add("io_epoch", value, after=2001, epoch_num=epoch, steps=2, samples_count=SAMPLES, **where)
    log.add("io_trial", figures(2), epochs=2, steps=4, samples_count=2 * SAMPLES, **where)
    log.stop("run_stop", status="success", epoch_num=2)
    study.write(6)
    return study


def with_value(study, key, nth=0, **fields):
    """Change fields of the value of an event of the trial; its line."""
    value = copy.deepcopy(study.logs[6].all(key)[nth]["value"]) | fields
    return study.changed(key, nth=nth, value=value)


def trial_changed(code, key, nth=0, **fields):
    """A damage: the value of an event of the trial has other fields."""

    @damage
    def entry(study):
        return [("result_1.txt", with_value(tried(study), key, nth, **fields), code)]

    return entry


utilization_that_its_seconds_do_not_give = trial_changed(
    "IOT08", "io_epoch", by_rank=BY_RANK | {"later_computed_seconds": [1.2, 1.2]}
)


@damage
def score_in_a_trial(study):
    log = tried(study).logs[6]
    event = copy.deepcopy(study.logs[0].one("eval_accuracy")) | {"time_ms": log.one("io_trial")["time_ms"]}
    event["metadata"] = {"file": "train.py", "lineno": 1, "epoch_num": 1}
    line = study.inserted(log.one("run_stop"), event)
    return [("result_1.txt", line, "IOT01")]


pass_longer_than_its_clock = trial_changed("IOT02", "io_epoch", seconds=2.5, throughput=SAMPLES / 2.5)


@damage
def passes_left_out_of_the_total(study):
    line = tried(study).changed("io_trial", metadata={"samples_count": 8, "steps": 4})
    with_value(study, "io_trial", throughput=2.0)
    return [("result_1.txt", line, "IOT02")]


utilization_over_one = trial_changed("IOT03", "io_epoch", au={"least": 0.9, "mean": 0.95, "most": 1.01})
utilization_is_no_number = trial_changed("IOT03", "io_trial", au=[0.9])
slowest_waits_less_than_most = trial_changed("IOT03", "io_epoch", wait_seconds=WAITS | {"slowest": 0.19})
fewer_bytes_than_samples_have = trial_changed("IOT04", "io_epoch", logical_bytes=sizes(SAMPLE * SAMPLES - 2))
sample_smaller_than_published = trial_changed("IOT04", "io_setup", sample_bytes=249)  # 250 by the problem's bytes
faster_than_any_device = trial_changed("IOT04", "io_epoch", physical_bytes=sizes(FAST), disk_bytes=FAST)
more_than_the_device_read = trial_changed("IOT04", "io_epoch", physical_bytes=sizes(2_000_000), disk_bytes=900_000)
rank_left_out = trial_changed("IOT05", "io_trial", ranks=1)


@damage
def epoch_that_waits_longer_than_it_takes(tree):
    waits = dict(zip(WAITS, (0.1, 0.1, 0.1, 99.0), strict=True))
    value = tree.logs[2].all("tracked_stats")[1]["value"] | {"wait_by_rank": waits}
    return [("result_2.txt", tree.changed("tracked_stats", nth=1, value=value), "IOT06")]


@damage
def more_than_the_loop_without_reads(study):
    with_value(tried(study), "io_setup", null_au=0.85)
    return [
        ("result_1.txt", study.logs[6].line(e), "IOT07")
        for e in (*study.logs[6].all("io_epoch"), *study.logs[6].all("io_trial"))
    ]


def test_a_good_trial_has_no_finding_and_is_no_run(study, found, law):
    tried(study)
    assert found(study.root) == [] and found(study.path(6)) == []
    (log,) = judge([str(study.path(6))], rules=law).logs
    assert log.run.throughput_only and not log.run.converged


@pytest.mark.parametrize(("waits", "lines"), [((0.1, 0.15, 0.2, 8.0), []), ((0.1, 0.1, 0.1, 8.1), [5]), ((), [5])])
def test_what_ranks_of_a_run_waited_is_in_order(waits, lines):
    value = {"wait_seconds": 0.5, "compute_seconds": 7.5, "wait_by_rank": dict(zip(WAITS, waits, strict=False))}
    log = read(event(5, "tracked_stats", value=value))
    assert [fault.line for fault in checks.ranks_wait_in_order(log, terms(), None)] == lines


def faults_of(check, setup=(), total=None, only=True, at=2000, steps=2, nodes=1, more=(), **changes):
    """What a check finds in a trial of a pass by two ranks; `changes` are the pass's, `total` the total's, `more` are
    further events."""
    where = {"format": "stored", "place": "data"}
    whole = figures() | (total or {})
    start = event(1, "run_start", 0)
    log = read(
        start,
        event(2, "number_of_ranks", value=2),
        event(3, "number_of_nodes", value=nodes),
        event(4, "io_setup", value=None if setup is None else {"null_au": 0.99, "sample_bytes": SAMPLE, **dict(setup)}),
        event(5, "io_epoch", at, figures() | changes, steps=2, samples_count=SAMPLES, **where),
        event(6, "io_trial", at, whole, steps=steps, samples_count=SAMPLES, **where),
        *more,
    )
    return list(check(log, terms(io_only=only), timeline(start=start)))


def rated(seconds):
    return {"seconds": seconds, "throughput": SAMPLES / seconds}


def device(read, disk=None):
    return {"physical_bytes": sizes(read), "disk_bytes": read if disk is None else disk}


def by_rank(**changes):
    return {"by_rank": BY_RANK | changes}


CLOCK, LIMITS = OURS.limits.clock, OURS.limits.io
ROOM = 2.0 * (1 + CLOCK.slack) + CLOCK.slack_seconds
AU = {"least": 0.9, "mean": 0.92, "most": 0.94}
HALF = {"setup": {"null_au": 0.5}, "total": {"au": {**AU, "mean": 0.5}}}
CEILING = 0.5 + LIMITS.ceiling_slack + checks.CLOSE
TWO_NODES = int(2 * LIMITS.node_bytes_per_second * 2.0)  # in 2 s
DISK = 10_000_000
COUNTED = int(DISK * (1 + LIMITS.counter_slack)) + LIMITS.counter_free
FOLLOWS = checks.utilization_follows_from_seconds
NO_LATER = {"later_seconds": [0, 0], "later_computed_seconds": [0, 0]}


@pytest.mark.parametrize(
    ("check", "fields", "lines"),
    [
        (checks.trials_follow_from_counts, {"throughput": 0}, [5]),
        (checks.trials_follow_from_counts, {"total": rated(ROOM), **rated(ROOM)}, []),
        (checks.trials_follow_from_counts, {"total": rated(ROOM + 1e-6), **rated(ROOM + 1e-6)}, [5]),
        (checks.trials_follow_from_counts, {"total": rated(2.0 * (1 + 1e-6))}, []),
        (checks.trials_follow_from_counts, {"total": rated(2.0 * (1 - 1e-6))}, []),
        (checks.trials_follow_from_counts, {"total": rated(2.0 * (1 + 1.1e-6))}, [6]),
        (checks.trials_follow_from_counts, {"total": rated(2.0 * (1 - 1.1e-6))}, [6]),
        (checks.trials_follow_from_counts, {"steps": 3}, [6]),
        (checks.trials_follow_from_counts, {"at": 22_000}, []),  # copies are made before the first pass
        (checks.utilizations_are_shares, {"au": None}, []),
        (checks.utilizations_are_shares, {"au": {**AU, "most": 1 + checks.CLOSE}}, []),
        (checks.utilizations_are_shares, {"au": {**AU, "most": 1 + 1.1e-6}}, [5]),
        (checks.utilizations_are_shares, {"au": {**AU, "least": -checks.CLOSE}}, []),
        (checks.utilizations_are_shares, {"au": {**AU, "least": -1.1e-6}}, [5]),
        (checks.utilizations_are_shares, {"au": {**AU, "mean": 0.95}}, [5]),
        (checks.utilizations_are_shares, {"au": {**AU, "least": 0.92 * (1 + checks.CLOSE) + checks.CLOSE}}, []),
        (checks.utilizations_are_shares, {"wait_seconds": dict.fromkeys(WAITS, 0)}, []),
        (checks.utilizations_are_shares, {"wait_seconds": WAITS | {"least": -0.5}}, [5]),
        (checks.utilizations_are_shares, {"wait_seconds": WAITS | {"slowest": 2.0}}, []),
        (checks.utilizations_are_shares, {"wait_seconds": WAITS | {"slowest": 2.1}}, [5]),
        (checks.utilizations_are_shares, {"wait_seconds": [0.1]}, [5]),
        (checks.utilization_is_below_its_ceiling, {"au": {**AU, "mean": CEILING}, **HALF}, []),
        (checks.utilization_is_below_its_ceiling, {"au": {**AU, "mean": CEILING + 1e-9}, **HALF}, [5]),
        (checks.bytes_are_of_the_samples, {"setup": {"sample_bytes": 1}, "logical_bytes": sizes(8)}, [6]),  # the total
        (checks.bytes_are_of_the_samples, {"setup": {"sample_bytes": 0}}, [4]),
        (checks.bytes_are_of_the_samples, {"logical_bytes": sizes(SAMPLE * SAMPLES - 1)}, [5]),
        (checks.bytes_are_of_the_samples, {"logical_bytes": sizes(SAMPLE * SAMPLES * 2)}, []),  # once a rank
        (checks.bytes_are_of_the_samples, {"logical_bytes": sizes(SAMPLE * SAMPLES * 2 + 1)}, [5]),
        (checks.bytes_are_of_the_samples, {"logical_bytes": None}, [5]),
        (checks.bytes_are_of_the_samples, {"physical_bytes": None, "disk_bytes": None}, []),  # the kernel counts none
        (checks.bytes_are_of_the_samples, device(COUNTED, DISK), []),
        (checks.bytes_are_of_the_samples, device(COUNTED + 1, DISK), [5]),
        (checks.bytes_are_of_the_samples, {"nodes": 1, **device(TWO_NODES)}, [5]),
        (checks.bytes_are_of_the_samples, {"nodes": 2, **device(TWO_NODES)}, []),
        (checks.every_rank_is_counted, {"ranks": 3, "total": {"ranks": 1}}, [5, 6]),
        (FOLLOWS, {}, [5]),
        (FOLLOWS, {"by_rank": []}, [5]),
        (FOLLOWS, by_rank(later_computed_seconds=[1.35, (0.94 + 1.9e-6) * 1.4]), []),
        (FOLLOWS, by_rank(later_computed_seconds=[1.35, (0.94 + 2.1e-6) * 1.4]), [5]),
        (FOLLOWS, by_rank(later_computed_seconds=[9.0, 0.84 * 1.4]), []),  # at most all
        (FOLLOWS, by_rank(first_step_seconds=[0.4, 0.5]), [5]),
        (FOLLOWS, by_rank(later_seconds=[1.5]), [5]),
        (FOLLOWS, by_rank(later_seconds=[1.5, -1.4]), [5]),
        (FOLLOWS, by_rank(later_seconds=[1.5, "1.4"]), [5]),
        (FOLLOWS, by_rank(first_step_seconds=[2.0, 2.0], **NO_LATER), [5]),
        (FOLLOWS, {"au": None, **by_rank(first_step_seconds=[2.0, 2.0], **NO_LATER)}, []),
    ],
)
def test_a_trial_is_checked_from_both_sides(check, fields, lines):
    assert [fault.line for fault in faults_of(check, **fields)] == lines
    assert faults_of(check, only=False, **fields) == []  # of a log that is none


@pytest.mark.parametrize(
    ("check", "fields", "found"),
    [
        (checks.trials_follow_from_counts, {"at": "noon"}, []),
        (checks.utilizations_are_shares, {"seconds": None, "au": [0.9]}, []),
        (checks.bytes_are_of_the_samples, {"nodes": None}, []),
        (checks.bytes_are_of_the_samples, {"setup": None}, ["sample_bytes None"]),
        (FOLLOWS, {"au": [0.9], **by_rank()}, ["AU None"]),
        (FOLLOWS, {"au": {"mean": "0.92"}, **by_rank()}, ["AU 0.92"]),
    ],
)
def test_what_a_waiver_covers_is_judged_by_the_other_rules(check, fields, found):
    """An earlier rule names what is malformed."""
    assert [fault.found for fault in faults_of(check, **fields)] == found


def test_seconds_and_shares_are_told_by_name():
    (fault,) = faults_of(checks.utilizations_are_shares, au=AU, au_waiting=0.8, au_barrier=1.5)
    assert fault.found == f"au {AU}, au_waiting 0.8, au_barrier 1.5"
    faults = faults_of(checks.utilization_follows_from_seconds, **by_rank(later_seconds=[0, 0]))
    assert [fault.found for fault in faults] == ["ranks of at most 0.5 s", "AU 0.92"]


@pytest.mark.parametrize(("setup", "severity"), [({}, ""), ({"least_au": 0.9}, "review")])
def test_a_second_pass_fills_its_time_unless_the_cache_is_empty(setup, severity):
    second = elsewhere(5, "io_epoch", "data")._replace(time_ms=22_000)
    faults = faults_of(checks.trials_follow_from_counts, setup, more=[second])
    told = [(fault.found, fault.severity) for fault in faults if "clock" in fault.found]
    assert told == [("2.000 s in 20.000 s on the clock", severity)]
    longer = faults_of(checks.trials_follow_from_counts, setup, rated(9.0), **rated(9.0))
    assert [fault.severity for fault in longer] == [""]


def elsewhere(line, key, place):
    """A pass or a total of another place."""
    where = {"format": "stored", "place": place}
    return event(line, key, 2000 * (line - 4), figures(), steps=2, samples_count=SAMPLES, **where)


def test_totals_have_passes_and_passes_a_total():
    check, places = checks.trials_follow_from_counts, ((7, "memory"), (8, "memory"), (9, "disk"))
    (fault,) = faults_of(check, more=[elsewhere(line, "io_epoch", place) for line, place in places])
    assert (fault.line, fault.found) == (7, "a pass without an io_trial of its format and place")
    places = (7, "data"), (8, "memory")  # a second total of the pass, and one without a pass
    faults = faults_of(check, more=[elsewhere(line, "io_trial", place) for line, place in places])
    assert [fault.line for fault in faults] == [7, 8]


@pytest.mark.parametrize("name", ["logical_bytes", "read_bytes", "requests", "physical_bytes"])
def test_totals_are_what_ranks_can_have(name):
    (fault,) = faults_of(checks.every_rank_is_counted, **{name: {**sizes(10), "total": 11}})
    assert fault.line == 5
    faults = faults_of(checks.every_rank_is_counted, **{name: None})
    assert len(faults) == (name != "physical_bytes")  # which the kernel may not count


@pytest.mark.parametrize("key", ["epoch_start", "eval_stop", "eval_accuracy", "throughput_only"])
def test_a_trial_has_nothing_of_a_run(key):
    log = read(event(3, key))
    for only, lines in ((True, [3]), (False, [])):
        assert [fault.line for fault in checks.trials_score_nothing(log, terms(io_only=only), None)] == lines
