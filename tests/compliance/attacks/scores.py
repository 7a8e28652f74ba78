"""Attacks on scores, counts and epochs."""

import random

from tests.compliance.attacks.submission import both, each, one
from tests.compliance.logs import scored


def noisy(event, seed, most, hits, predicted):
    """Noise from 1 to `most` in the hits and predictions of classes; the background takes what is left over."""
    rng, facts = random.Random(seed), event["metadata"]
    for c in hits:
        facts["intersection"][c] -= min(rng.randint(1, most), facts["intersection"][c])
    for c in predicted:
        by = rng.randint(1, most)
        facts["predicted"][c] += by
        facts["predicted"][0] -= by
    facts["intersection"][0] = min(facts["intersection"][0], facts["predicted"][0])
    scored(event)


def raised(run, by, counts=True):
    """The last score but one is lifted, with or without its hits."""
    event = run.scores[-2]
    if counts:
        event["metadata"]["intersection"][1] += by
        scored(event)
    else:
        event["value"] += by


def others_hits(run):
    run.scores[1]["metadata"]["intersection"] = list(run.scores[2]["metadata"]["intersection"])


def whole_hits(run):
    event = run.scores[-2]
    event["metadata"]["intersection"] = list(event["metadata"]["true"])
    scored(event)


def emptied(run):
    """Predictions that miss are taken back, but not given to the background."""
    event = run.scores[-2]
    event["metadata"]["predicted"][1:] = event["metadata"]["intersection"][1:]
    scored(event)


def exchanged_classes(run):
    for event in run.scores:
        hits = event["metadata"]["intersection"]
        hits[1], hits[2] = hits[2], hits[1]
        scored(event)


def other_sums(run, change):
    for event in run.scores:
        change(event["metadata"]["sums"])
        scored(event)


def one_more(sums):
    sums.append(0.0)


def missed(run):
    """The run that met its target says that it was aborted before."""
    last = run.scores[-1]["metadata"]["epoch_num"]
    run.drop("epoch_start", "epoch_stop", "tracked_stats", "eval_start", "eval_stop", "eval_accuracy", epoch=last)
    run.one("run_stop")["metadata"]["status"] = "aborted"


def false_success(run):
    missed(run)
    run.one("run_stop")["metadata"]["status"] = "success"


def goes_on(run):
    """The run goes on after its target, as if to choose: its last epoch comes once more."""
    stop, last = run.one("run_stop"), run.epochs
    again = [e for e in run.events if e["metadata"].get("epoch_num") == last and e is not stop]
    by = stop["time_ms"] - again[0]["time_ms"]
    for event in again:
        facts = {**event["metadata"], "epoch_num": last + 1}
        run.insert(stop, {**event, "metadata": facts, "time_ms": event["time_ms"] + by})
    run.shift(by, stop)


def evaluated_again(run):
    epoch = run.one("epoch_start", 2)
    for key in ("eval_start", "eval_stop"):
        run.insert(epoch, {**run.one(key, 1), "time_ms": epoch["time_ms"]})


def cut(run, *epochs):
    """Epochs are taken out of the log, the later ones move up in number and time."""
    for epoch in sorted(epochs, reverse=True):
        inside = [e for e in run.events if e["metadata"].get("epoch_num") == epoch and e["key"] != "run_stop"]
        after = run.events[run.line(inside[-1])]
        by = inside[0]["time_ms"] - after["time_ms"]
        run.shift(by, after)
        run.events = [e for e in run.events if not any(e is x for x in inside)]
        for event in run.events:
            if event["metadata"].get("epoch_num", 0) > epoch:
                event["metadata"]["epoch_num"] -= 1


def cut_between(run):
    """All epochs but the first and the last are taken out."""
    cut(run, *range(2, run.epochs))


def shortened(run):
    """An epoch is taken out of a run that is slower than most."""
    if run.epochs > 7:
        cut(run, 2)


def larger_batch(run):
    """A batch without points, and an epoch less than the runs took."""
    run.settings(batch_size=32)
    run.put("global_batch_size", 32)
    cut(run, 2)


SCORES = [
    ("the last score but one lifted", each(raised, 0.05, False), "EVL05 RUN22"),
    ("a score lifted by its last bit", one(raised, 2e-16, False), "EVL05"),
    ("the hits of a later evaluation", one(others_hits), "EVL12"),
    ("more hits than voxels", one(raised, 100_000), "EVL04 EVL12"),
    ("every voxel a hit", one(whole_hits, at=1), "EVL12"),
    ("wrong predictions taken back", one(emptied), "EVL12"),
    ("the counts of two classes exchanged", one(exchanged_classes, at=1), "EVL12"),
    ("a sum for fewer outputs", each(other_sums, list.pop), "EVL13 RUN23", "cosmoflow"),
    ("a sum more, of 0, in each evaluation", each(other_sums, one_more), "EVL13 RUN23", "cosmoflow"),
    ("success without the target", one(false_success), "EVL08"),
    ("the run goes on, to choose", one(goes_on, at=4), "EVL09"),
    ("a slow run called aborted", one(missed), "EVL07"),
    ("two slow runs called aborted", both(one(missed), one(missed, at=1)), "EVL07 RUN03"),
    ("a second evaluation without a score", each(evaluated_again), "EVL03"),
]
EPOCHS = [
    ("all but the first and the last cut out", each(cut_between), "RUN22"),
    ("an epoch of every slow run cut out", each(shortened), "", "deepcam"),
    ("an epoch of one run cut out", one(cut, 2, at=1), ""),
    ("an epoch cut out at a batch without points", each(larger_batch), "RUN22"),
]
