"""The table of events, which the page for implementers is made from."""

from benchmark.run import keys
from benchmark.run.keys import EVENTS, Phase


def test_each_event_stands_once():
    names = [event.key for event in EVENTS]
    assert len(names) == len(set(names)) == len(keys.PHASES)


def test_events_are_in_the_order_of_the_phases():
    phases = [event.phase for event in EVENTS]
    assert phases == sorted(phases, key=list(Phase).index)


def test_each_event_is_told_in_words():
    assert [e.key for e in EVENTS if not e.value or not all(e.metadata.values())] == []
    assert [name for e in EVENTS for name in e.metadata if name.strip() != name] == []
