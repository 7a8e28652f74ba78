"""One log, read in one pass: what is kept, within which bounds; and what many ranks logged, merged."""

import json
import math

import pytest

from compliance.reading import log as module
from compliance.reading.log import gather_log, merge_ranks
from rules.edition import load

SPREAD = 60_000  # milliseconds, as of MLPerf HPC
NO_TIMES = (None, "5", math.nan, True)
ABORTED, SUCCESS = {"status": "aborted"}, {"status": "success"}


@pytest.fixture
def gather(tmp_path):
    """Writes events (key, time, value) and reads them by an edition."""

    def read(*events, edition="v1.0", metadata=None):
        path = tmp_path / "result_0.txt"
        fields = ("key", "time_ms", "value")
        lines = [json.dumps({**dict(zip(fields, e, strict=False)), "metadata": metadata}) for e in events]
        path.write_text("".join(f":::MLLOG {line}\n" for line in lines))
        return gather_log(path, "result_0.txt", load(edition))

    return read


def kept(log, key):
    return [e.line for e in log.all(key)]


def test_known_keys_are_kept_in_full_and_of_others_the_first(gather, monkeypatch):
    events = [
        ("seed", 1, 5),
        ("mine", 2, 6),
        ("seed", 3, 7),
        ("mine", 4, 8),
        ("train_loss", 5, 1.0),
        ("b", 5),
        ("c", 5),
    ]
    monkeypatch.setattr(module, "MOST_KEYS", 2)
    log = gather(*events)
    assert kept(log, "seed") == [1, 3] and list(log.others) == ["mine", "b"] and log.others["mine"].value == 6
    assert (log.count, log.last_line, log.value("seed"), log.line("seed"), log.line("run_start")) == (7, 7, 5, 1, 1)


@pytest.mark.parametrize(("most", "overflow"), [(3, 0), (2, 4)])
def test_a_log_may_hold_as_many_events_as_can_be_judged(gather, monkeypatch, most, overflow):
    monkeypatch.setattr(module, "MOST_EVENTS", most)
    log = gather(("seed", 1), ("seed", 2), ("mine", 3), ("seed", 4))
    assert (log.overflow, len(log.all("seed")), log.count) == (overflow, min(most, 3), 4)


def test_steps_back_are_measured_from_the_latest_time_so_far(gather):
    log = gather(("seed", -5), ("run_start", -65), ("mine", -15), ("run_stop", -5), ("seed", 99.5))
    assert log.back == [(2, 60, "run_start"), (3, 10, "mine")] and log.back_ms == 60
    assert [e.line for e in log.not_time] == [5]


def test_a_log_that_is_not_there_or_empty_is_a_fact(tmp_path, gather):
    for log in (gather_log(tmp_path / "none", "none", load("v1.0")), gather()):
        assert (log.count, log.events, log.last_line, log.overflow, log.value("seed")) == (0, {}, 1, 0, None)
        assert log.unreadable == ("No such file or directory" if log.path == "none" else "")


def merged(logs, *events):
    log = logs.read(*events)
    merge_ranks(log, SPREAD)
    return log


@pytest.mark.parametrize(
    ("key", "events", "lines"),  # milliseconds, value and metadata of each event
    [
        ("run_start", [(1000, None, {}), (1000 + SPREAD, None, {})], [1]),
        ("run_start", [(1000, None, {}), (1001 + SPREAD, None, {})], [1, 2]),
        ("eval_start", [(i * SPREAD, None, {}) for i in range(4)], [1]),  # each within the spread of the one before
        *(("run_start", [(0, None, {}), (time, None, {}), (0, None, {})], [1, 2, 3]) for time in NO_TIMES),
        ("eval_accuracy", [(0, 0.5, {"epoch_num": 1}), (0, 0.5, {"epoch_num": 2})], [1, 2]),
        ("eval_accuracy", [(0, 0.5, {}), (1, 0.6, {}), (2, 0.5, {})], [1, 2, 3]),
        ("global_batch_size", [(0, 64, {}), (2 * SPREAD, 64, {}), (4 * SPREAD, 32, {})], [1, 3]),  # at any time
        ("run_stop", [(0, None, ABORTED), (1000, None, SUCCESS), (2000, None, SUCCESS)], [1, 3]),  # the last one stays
        ("run_start", [(0, None, {"lineno": 1}), (0, None, {"lineno": 2})], [1]),
        ("run_start", [(0, None, {"file": "a.py"}), (0, None, {"file": "b.py"})], [1]),
        ("run_start", [(0, None, {"lineno": 1, "rank": 0}), (0, None, {"lineno": 2, "rank": 1})], [1, 2]),
        ("run_start", [(0, None, {"lineno": 1, "rank": 0}), (0, None, {"lineno": 1, "rank": 1})], [1, 2]),
    ],
)
def test_what_ranks_log_from_any_place_of_the_program_is_one_event(logs, key, events, lines):
    """Of one value, within the spread; each end of a run that was interrupted stays."""
    log = merged(logs, *(logs.event(n, key, time, value, **more) for n, (time, value, more) in enumerate(events, 1)))
    assert kept(log, key) == lines


LATE = (("run_start", 100_000), ("run_start", 109_000), ("eval_start", 100_500))  # the second rank is 9 s late


def test_dropped_repetitions_do_not_turn_time_back(gather):
    log = gather(*LATE, edition="v1.0")
    assert kept(log, "run_start") == [1, 2] and log.back == [(3, 8500, "eval_start")]
    more = ("eval_stop", 100_500), ("seed", 100_400), ("run_stop", 100_300)
    log = gather(*LATE, *more, edition="mlperf-hpc-v2.0")
    assert kept(log, "run_start") == [1]
    assert log.back == [(5, 100, "seed"), (6, 200, "run_stop")]  # between events that stay, it does
    log = gather(("seed", -5), ("seed", -5), ("run_start", -9), edition="mlperf-hpc-v2.0")
    assert kept(log, "seed") == [1] and log.back == [(3, 4, "run_start")]


@pytest.mark.parametrize(
    ("value", "depth", "size"),
    [
        (1, 6, 32),
        ([[["abc"]]], 6, 219),
        ({"a": 1, "b": "xyz"}, 6, 2 * 100 + 32 + 3 + 64),
        ([["x" * 1000]], 1, 72 + 72),
        ({"a": {"b": "x" * 1000}}, 1, 164 + 164),
        ({"a": {"b": "xyz"}}, 2, 164 + 164 + 3),
    ],
)
def test_what_a_value_takes_down_to_a_depth(value, depth, size):
    assert module.size_of(value, depth) == size
    assert module.size_of(json.loads("[" * 7 + "1" + "]" * 7)) == module.size_of([[[[[[[]]]]]]]) + 8


def test_of_faults_of_the_text_so_many_are_shown_and_all_are_counted(tmp_path, monkeypatch):
    shown, number = 2, 3
    monkeypatch.setattr(module, "SHOWN", shown)
    line = ':::MLLOG {"key": "seed", "time_ms": %s, "value": 1}\n'
    text = line % 100 + ":::MLLOG x\n" * number + (line % 90) * number + (line % 99.5) * number
    text += ("odd " + line % 100) * number
    (tmp_path / "result_0.txt").write_text(text)
    log = gather_log(tmp_path / "result_0.txt", "result_0.txt", load("v1.0"))
    assert (len(log.bad), log.bad_count) == (shown, number)
    assert len(log.not_time) == shown and log.back == [(2 + number + i, 10, "seed") for i in range(shown)]
    assert log.odd == {"prefix": [number, 2 + 3 * number]}
    assert (log.size, log.last_line, log.count) == (len(text), 1 + 4 * number, 1 + 3 * number)


@pytest.mark.parametrize(("small", "kept"), [(0, 2), (1 << 24, 4)])
def test_large_events_of_a_large_log_take_the_room_of_several(gather, monkeypatch, small, kept):
    monkeypatch.setattr(module, "MOST_EVENTS", 8)
    monkeypatch.setattr(module, "SMALL", small)
    log = gather(*[("seed", i, "x" * (3 << 10)) for i in range(4)])
    assert (len(log.all("seed")), log.overflow) == (kept, 3 if kept == 2 else 0)


def test_steps_back_are_as_they_were_where_all_events_stay(logs):
    log = logs.read(logs.event(1, "seed", 9, 1), logs.event(2, "seed", 5, 2))
    log.back = told = [(2, 4, "seed"), (7, 1, "of a key that is not kept")]
    merge_ranks(log, SPREAD)
    assert log.back is told


@pytest.mark.parametrize(("looks", "count"), [(1, 0), (2, 3), (9, 8)])
def test_the_clock_is_looked_at_every_so_many_events(tmp_path, monkeypatch, looks, count):
    """The time is over at a look, and nothing more is read."""
    monkeypatch.setattr(module, "EVERY", 3)
    times = iter([0.0, *[0.0] * (looks - 1), *[2.0] * 9])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(times))
    path = tmp_path / "result_0.txt"
    path.write_text(':::MLLOG {"key": "seed", "time_ms": 1, "value": 1}\n' * 8)
    log = gather_log(path, "result_0.txt", load("v1.0"), 1.0)
    assert (log.count, log.unreadable) == (count, "reading it took too long" if count < 8 else "")


def test_of_many_steps_back_the_last_gives_way_to_a_larger_one():
    back = []
    for line, ms in enumerate([10, 90, *[10] * (module.SHOWN - 2), 50, 40, 60]):
        module._note_back(back, (line, ms, "seed"))
    assert [ms for _, ms, _ in back] == [10, 90, *[10] * (module.SHOWN - 3), 60]
