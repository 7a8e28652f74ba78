"""Properties of the reader and of what is shown, over whatever Hypothesis thinks of."""

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.log import Event, read_log
from compliance.finding import Finding, show
from compliance.reading.log import plain_event
from compliance.safe import printable

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(["run_start", "run_stop", "eval_accuracy", "seed", "tracked_stats", "epoch_start"]) | st.text()
EVENTS = st.fixed_dictionaries(
    {"key": KEYS | PLAIN, "time_ms": st.integers() | PLAIN},
    optional={"value": PLAIN, "metadata": PLAIN, "event_type": PLAIN, "namespace": PLAIN},
)


@settings(max_examples=50, deadline=None)
@given(EVENTS)
def test_sound_event_is_read_as_it_is(fields):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result_0.txt"
        path.write_text(f":::MLLOG {json.dumps(fields)}\n")
        items = list(read_log(path))
        events = [i for i in items if type(i) is Event]
        assert repr(list(read_log(path, plain_event))) == repr(items)  # repr, because NaN equals nothing
        sound = type(fields["key"]) is str and fields["time_ms"] is not None
        assert len(events) == sound
        if sound:
            assert json.dumps(events[0].value) == json.dumps(fields.get("value"))


@settings(deadline=None)
@given(st.text())
def test_what_is_shown_is_printable_and_short(text):
    assert printable(text).isprintable()
    assert show(text).isprintable()
    finding = Finding(text, 1, "LOG01", "error", text, show(text), show([text]))
    assert finding.text().isprintable()
