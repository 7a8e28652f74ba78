"""What a log by itself may say otherwise without a finding.

But for what is listed here, a log that is judged clean must say the same as the good one that it was made of. Damage of
another kind that meets no finding shows that a rule is missing. No rule and no figure reads `namespace`, `file` and
`lineno`, other metadata of most keys, values at the start or end of a span, and events whose key no rule knows. Ranks
write side by side, so lines may change places within the time by which their clocks may differ.
"""

from collections import Counter
from typing import Any

from benchmark.log import Event

# What rules and results read of the metadata of a key. Of all other keys they read none.
READ = {
    "seed": ("source",),
    "source": ("files",),
    "epoch_start": ("epoch_num",),
    "epoch_stop": ("epoch_num", "samples_count"),
    "tracked_stats": ("epoch_num",),
    "dataset_fingerprint": ("split", "samples_count", "class_counts", "bytes_read"),
    "eval_start": ("epoch_num",),
    "eval_stop": ("epoch_num", "samples_count"),
    "eval_accuracy": ("epoch_num", "samples_count", "intersection", "predicted", "true"),
    "run_stop": ("status",),
}
# Values that are compared with folders, descriptions and other logs, which a log by itself does not have.
ELSEWHERE = ("submission_org", "submission_platform")
# Values that only people read.
SHOWN = ("versions",)
# Values that a program measured or drew: any that contradicts nothing is as good, and mutated bytes make such ones.
MEASURED = ("seed", "tracked_stats", "devices")
# A span whose seconds are on the clock with it or without it.
STAGING = ("staging_start", "staging_stop")


def told(event: Event, measured: bool) -> tuple[Any, ...]:
    """What rules and results read of an event of a log by itself. `measured`: without what was measured or drawn."""
    spans = event.key.endswith(("_start", "_stop"))
    free = spans or event.key in (*ELSEWHERE, *SHOWN) or (measured and event.key in MEASURED)
    fields = event.metadata if type(event.metadata) is dict else {}
    read = {name: fields.get(name) for name in READ.get(event.key, ())}
    if measured:
        read.pop("bytes_read", None)
    time, value = None if measured else event.time_ms, "" if free else repr(number(event.value))
    return event.key, event.event_type, time, value, repr(read)


def number(value: Any) -> Any:
    """The value; of a whole number the fraction that equals it."""
    return float(value) if type(value) is int and float(value) == value else value


def unexplained(good: list[Event], events: list[Event], tolerated: float, measured: bool = False) -> str:
    """What a log without a finding says otherwise than the good one, where nothing explains why that is no fault; "" of
    any other. `tolerated`: milliseconds by which clocks may step back."""
    if not any(e.key in STAGING for e in events):  # a run that does not stage has none
        good = [e for e in good if e.key not in STAGING]
    known = {*READ, *(e.key for e in good)}  # a program may log events with keys of its own
    events = [e for e in events if e.key in known]
    before, after = (Counter(told(e, measured) for e in log) for log in (good, events))
    lost, new = before - after, after - before
    if lost or new:
        return f"{list(lost)[:2]} became {list(new)[:2]}"
    latest, back = 0, 0.0
    for event in events:
        back = max(back, latest - event.time_ms)
        latest = max(latest, event.time_ms)
    return f"a clock steps back by {back} ms" if back > tolerated else ""
