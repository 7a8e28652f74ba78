"""The table of events, which the page for implementers is made from."""

from mlperf_logging.mllog import constants

from benchmark.log import LogWriter
from benchmark.run import keys
from benchmark.run.keys import EVENTS, Phase


def test_each_event_stands_once():
    names = [event.key for event in EVENTS]
    assert len(names) == len(set(names)) == len(keys.PHASES)


def test_events_are_in_the_order_of_the_phases():
    phases = [event.phase for event in EVENTS]
    assert phases == sorted(phases, key=list(Phase).index)
    first = {phase: next(event.key for event in EVENTS if event.phase is phase) for phase in Phase}
    assert first == {Phase.HEAD: "cache_clear", Phase.RUN: "run_start", Phase.DONE: "weights"}
    last = {event.phase: event.key for event in EVENTS}
    assert (last[Phase.HEAD], last[Phase.RUN]) == ("init_stop", "run_stop")


def test_each_event_is_told_in_words():
    assert [e.key for e in EVENTS if not e.value or not all(e.metadata.values())] == []
    assert [name for e in EVENTS for name in e.metadata if name.strip() != name] == []


def test_intervals_but_the_run_are_in_one_phase():
    phases = {event.key: event.phase for event in EVENTS}
    starts = [key for key in phases if key.endswith("_start")]
    assert starts == ["init_start", "run_start", "staging_start", "epoch_start", "eval_start"]
    assert all(phases[key] is phases[key.replace("_start", "_stop")] for key in starts)


def test_keys_of_the_standard_are_the_standards():
    ours = {event.key for event in EVENTS} - {v for v in vars(constants).values() if isinstance(v, str)}
    assert {"tracked_stats", "eval_error", "problem", "ledger", "weights"} <= ours  # which it lacks
    assert not ours & {"seed", "eval_accuracy", "run_start", "train_samples", "submission_org", "global_batch_size"}


def test_every_key_can_be_written(tmp_path, events):
    log = LogWriter(tmp_path / "log.txt")
    for event in EVENTS:
        log.event(event.key, None)
    log.close()
    assert [e.key for e in events(tmp_path / "log.txt")] == [event.key for event in EVENTS]
