"""The table of events, which the page for implementers is made from."""

from benchmark.run import keys
from benchmark.run.keys import EVENTS, Phase


def test_each_event_stands_once_in_its_phase_and_is_told_in_words():
    names, phases = ([getattr(event, name) for event in EVENTS] for name in ("key", "phase"))
    assert len(names) == len(set(names)) == len(keys.PHASES) and phases == sorted(phases, key=list(Phase).index)
    assert [e.key for e in EVENTS if not e.value or not all(e.metadata.values())] == []
    assert [name for e in EVENTS for name in e.metadata if name.strip() != name] == []
