"""What a run is: read once, the same for checks and results."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.log import Event
from compliance.engine import judge
from compliance.reading import run as module
from compliance.reading.log import size_of
from compliance.reading.run import LARGEST, Fact, Launch, Origin, facts_of
from compliance.reading.series import Evaluation, Evaluations, Numbers, Spans, Waited, Waits
from compliance.reading.terms import terms_for
from compliance.reading.timeline import timeline
from compliance.reading.tree import LogFile
from rules.edition import load


def fact(value, line=1):
    return Event(line, 0, "POINT_IN_TIME", "k", value, {})


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("x" * LARGEST, "x" * LARGEST),
        ("x" * (LARGEST + 1), "too large to be kept"),
        ([["x" * LARGEST]], "too large to be kept"),
        (json.loads("[" * 16 + "]" * 16), json.loads("[" * 16 + "]" * 16)),
        (json.loads("[" * 17 + "]" * 17), "nested too deeply"),
    ],
)
def test_a_value_is_kept_as_far_as_it_is_small(value, kept):
    assert facts_of({"k": fact(value)}, {})["k"].value == kept


def test_of_keys_that_no_rule_knows_so_much_is_kept(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_ALL", 100)
    found = facts_of({"a": fact("x" * 500)}, {"b": fact("y" * 90), "c": fact("z" * 9), "d": fact(1)})
    assert {key: len(str(f.value)) for key, f in found.items()} == {"a": 500, "b": 90}
    for more, kept in ((0, False), (1, True)):  # values are smaller than their room
        monkeypatch.setattr(module, "LARGEST_ALL", len("b") + size_of(["y" * 90]) + more)
        assert ("b" in facts_of({}, {"b": fact(["y" * 90])})) is kept


def made(logs, *events, edition="v1.0", benchmark="scaffold"):
    """The run of a log of these events: (key, milliseconds, value) or (key, milliseconds, value, metadata)."""
    named = [(*event, {})[:4] for event in events]
    log = logs.read(*(Event(i, time, "", key, value, more) for i, (key, time, value, more) in enumerate(named, 1)))
    terms = terms_for(log, load(edition), benchmark)
    return module.run_of(log, terms, timeline(log, terms), LogFile(Path("nowhere/result_0.txt"), "result_0.txt", 0))


@pytest.mark.parametrize(
    ("part", "least", "most"),
    [
        ({"spans": {"epoch": Spans([(1, 2)] * 3), "eval": Spans([(1, 2)])}}, 64, 64),
        ({"evaluations": Evaluations([Evaluation(1, 2, None, None, 0.5)] * 3)}, 120, 120),
        ({"waits": Waits([Waited(1.0, 1.0, 1.0, None, None)] * 3)}, 120, 120),
        ({"numbers": Numbers([(1, None, (1.0, 2.0))] * 3, 9)}, 96, 96),
        ({"source": {f"{i}.py": "0" * 64 for i in range(3)}}, 3 * 64, 1000),
        ({"lines": frozenset({1, 2, 3})}, 3 * 8, 1000),
        ({"facts": {"more": Fact(1, "x" * 1000)}}, 1000, 1200),
    ],
)
def test_of_numbers_the_bytes_are_counted_and_of_the_rest_roughly(logs, part, least, most):
    empty = replace(made(logs), spans={})
    assert least <= replace(empty, **part).kept - empty.kept <= most


CLOCK = ("run_start", 1000, None), ("run_stop", 9000, None)


BY_SAMPLES = load("mlperf-hpc-v3.0").benchmarks["openfold"]


@pytest.mark.parametrize(
    ("shares", "samples"), [((), None), ((0.5, 0.6, 0.7), 300), ((0.5, 1.0, 1.1), 200), ((1.0, 1.0, 0.5), 100)]
)
def test_samples_are_counted_up_to_the_passing_evaluation_or_the_last(logs, shares, samples):
    assert BY_SAMPLES.epoch_num == "samples" and not BY_SAMPLES.lower
    scores = [
        (BY_SAMPLES.metric, 2000 + i, share * BY_SAMPLES.target, {"epoch_num": 100 * i})
        for i, share in enumerate(shares, 1)
    ]
    run = made(logs, CLOCK[0], *scores, CLOCK[1], edition="mlperf-hpc-v3.0", benchmark="openfold")
    assert run.samples == samples and len(run.evaluations) == len(shares)
    scores = [("eval_accuracy", *score[1:]) for score in scores]
    assert made(logs, CLOCK[0], *scores, CLOCK[1]).samples is None  # there, epochs are counted


def test_a_run_says_where_its_seed_is_from_and_which_start_it_is(logs):
    for metadata, source, number in (
        ({"source": "registry", "entry": 7}, "registry", 7),
        ({"source": ["registry"], "entry": True}, None, None),
    ):
        assert made(logs, ("seed", 1, 5, metadata), ("seed", 1, 6)).origin == Origin(1, source, number)
    for value, line, number, digest in ((3, "a" * 64, 3, "a" * 64), (True, 7, None, None)):
        assert made(logs, ("ledger", 5, value, {"line": line})).launch == Launch(1, 5, number, digest)
        later = made(logs, ("resumed", 6, {"ledger": value}), ("resumed", 7, value)).resumptions
        assert later == (Launch(1, 6, number, None), Launch(2, 7, None, None))
    assert made(logs).origin is made(logs).launch is None


@pytest.mark.parametrize("only", [True, False])
def test_a_log_that_measures_alone_has_its_totals_and_trials(logs, only):
    run = made(logs, ("throughput_only", 1, only), ("throughput", 2, {"throughput": 2.0}))
    assert (run.measured, run.throughput_only) == (Fact(2, {"throughput": 2.0}) if only else None, only)
    run = made(logs, ("io_only", 1, only), ("io_trial", 2, {"throughput": 4.0}))
    assert [tried.rate for tried in run.trials] == ([4.0] if only else [])
    for more in ((), (("throughput", 2, 2.0),)):
        assert made(logs, ("throughput_only", 1, only), *more).measured is None


def test_equal_files_of_so_many_logs_are_kept_once(monkeypatch):
    monkeypatch.setattr(module, "_KNOWN", {})
    first, equal, other = {"a.py": "0"}, {"a.py": "0"}, {"a.py": "1"}
    assert module._shared("digest", first) is first
    assert module._shared("digest", equal) is first
    assert module._shared("digest", other) is other  # whatever digest a log claims for its files
    for digest in (None, ["digest"]):
        assert all(module._shared(digest, files) is files for files in (first, equal))
    pairs = [[module._shared(str(i), {"a.py": str(i)}) for _ in range(2)] for i in range(300)]
    assert sum(one is two for one, two in pairs) == 256 - 1  # beside the first


@pytest.mark.parametrize(
    ("time", "kept"),
    [
        *((time, time) for time in (module.EXACT - 1, 1 - module.EXACT)),
        (2.6, 3),
        *((sign * number, None) for number in (module.EXACT, float(module.EXACT)) for sign in (1, -1)),
        *((wrong, None) for wrong in (math.nan, True, "5")),
    ],
)
def test_times_are_whole_milliseconds_that_are_exact(time, kept):
    assert module._mark(fact(1)._replace(time_ms=time)) == module.Mark(1, kept)


def read(logs, *events):
    return logs.read(*(logs.event(line, key, time, value) for line, (key, time, value) in enumerate(events, 1)))


def test_an_open_span_ends_at_the_next_or_with_the_run(logs):
    log = read(
        logs,
        ("epoch_start", 10, None),
        ("epoch_start", 20, None),
        ("epoch_stop", 30, None),
        ("epoch_stop", 35, None),
        ("epoch_start", 40, None),
        ("epoch_stop", None, None),
    )
    stop = module.Mark(9, 50)
    assert module._spans(log, "epoch", stop) == [(10, 20), (20, 30), (40, 50)]
    for none in (None, module.Mark(9, None)):
        assert module._spans(log, "epoch", none) == [(10, 20), (20, 30)]
    assert module._last_line(log, "epoch") == 6 and module._last_line(log, "eval") == 0
    assert module._last_line(read(logs, ("eval_start", 10, None)), "eval") == 1


def test_a_run_without_a_later_stop_has_no_timed_span(tree, law):
    run = judge([tree.root], rules=law).all_sets[0].logs[2].run
    start, stop = run.start.time_ms, run.stop.time_ms
    assert run.window == (start, stop) == (run.start_ms, run.stop_ms) and run.seconds == (stop - start) / 1000
    assert run.source == tree.files(2)
    assert replace(run, stop=run.stop._replace(time_ms=start + 1)).window == (start, start + 1)
    for none in (None, run.stop._replace(time_ms=start), run.stop._replace(time_ms=None)):
        assert replace(run, stop=none).window is replace(run, stop=none).seconds is None
    assert replace(run, stop=None).stop_line == run.last_line and run.stop_line == run.stop.line
    assert replace(run, start=None).start_ms is replace(run, stop=None).stop_ms is None
    assert (run.value("nothing", 7), run.line("nothing")) == (7, 1)
    assert [replace(run, facts={"x": Fact(9, value)}).value("x", 7) for value in (None, 0)] == [7, 0]
    assert run.set_path == str(tree.path(2).parent)
    assert replace(run, pruned=True).set_path == str(tree.path(2).parent.parent)


def test_scores_have_a_time_and_energy_is_that_of_the_timed_span(logs):
    scores = [("eval_accuracy", time, value) for time, value in ((2000, 0.5), (None, 0.5), (2000, "0.5"), (2001, 0.25))]
    readings = [("power_reading", time, 100.0) for time in range(0, 11_000, 1000)]
    run = made(logs, CLOCK[0], *scores, *readings, CLOCK[1])
    assert [e.value for e in run.evaluations] == [0.5, 0.25] and run.joules == 800.0
    for clock in (CLOCK[:1], (("run_start", None, 0), CLOCK[1])):
        run = made(logs, *clock, *readings)
        assert run.joules is run.energy is None
