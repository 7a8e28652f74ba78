"""What a cheat edits in the committed runs, one function an attack; attack_table.py has the codes that tell."""

import hashlib
import unicodedata

import numpy as np

from tests.compliance.attacks import (
    ALL,
    DAY,
    Submission,
    another,
    cut,
    five_of_one,
    missed,
    moved_into_init,
    noisy,
    quick_epoch,
    read,
    scored,
    source_of,
    text_of,
)
from tests.compliance.attacks_beside import launch, launched, tensors, weigh, weighed


def settings(**fields):
    return lambda run: run.settings(**fields)


def of_the_machine(run):
    run.settings(weight_of_air=0.9)
    run.one("hyperparameters")["metadata"]["machine"].append("weight_of_air")


def described(**fields):
    return lambda s: s.description.update(fields)


def both(*attacks):
    """Attacks one after another."""

    def attack(submission):
        for step in attacks:
            step(submission)

    return attack


def raised(run, by, counts=True):
    """The last score but one is lifted, with or without its hits."""
    event = run.scores[-2]
    if counts:
        event["metadata"]["intersection"][1] += by
        scored(event)
    else:
        event["value"] += by


def whole_hits(run):
    event = run.scores[-2]
    event["metadata"]["intersection"] = list(event["metadata"]["true"])
    scored(event)


def emptied(run):
    """Predictions that miss are taken back, but not given to the background."""
    event = run.scores[-2]
    event["metadata"]["predicted"][1:] = event["metadata"]["intersection"][1:]
    scored(event)


def evaluated_again(run):
    start, stop = run.one("eval_start", 1), run.one("eval_stop", 1)
    for event in (start, stop):
        run.insert_before(run.one("epoch_start", 2), event["key"], None, event["event_type"], **event["metadata"])


def goes_on(run):
    """The run goes on after its target, as if to choose: its last epoch comes once more."""
    stop, last = run.one("run_stop"), run.epochs
    again = [e for e in run if e["metadata"].get("epoch_num") == last and e is not stop]
    by = stop["time_ms"] - again[0]["time_ms"]
    for event in again:
        facts = {**event["metadata"], "epoch_num": last + 1}
        run.insert_before(stop, event["key"], event["value"], event["event_type"], **facts)
        run[run.at(stop) - 1]["time_ms"] = event["time_ms"] + by
    run.shift(by, stop)


def early_stop(run):
    run.move(run.one("run_stop"), run.one("eval_start", run.epochs - 1))


def second_start(run):
    run.insert_before(run.one("epoch_start", 2), "run_start", None, "INTERVAL_START")


def staged_early(run):
    run.insert_before(run.one("run_start"), "staging_start", None, "INTERVAL_START")
    run.insert_before(run.one("run_start"), "staging_stop", None, "INTERVAL_END")


def two_missed(submission):
    for run in submission.runs[:2]:
        missed(run)


def more_runs(submission):
    submission.runs.append(another(submission.runs[0], 5))


def own_figures(submission):
    """Figures of epochs that differ from run to run in their last digits."""
    for number, run in enumerate(submission.runs):
        for event in run.all("tracked_stats"):
            numbers = {name: value for name, value in event["value"].items() if type(value) is float}
            event["value"] |= {name: value * (1 + 1e-9 * number) for name, value in numbers.items()}


def figures(name, factor):
    def change(run):
        for event in run.all("tracked_stats"):
            event["value"][name] *= factor

    return change


def no_figure(name):
    return lambda run: [e["value"].pop(name) for e in run.all("tracked_stats")]


def twin_system(name, change=None):
    """The same runs as a second system."""

    def attack(submission):
        for number, run in enumerate(submission.again(name)):
            for at, event in enumerate(run.scores if change else ()):
                change(event, 10 * number + at)

    return attack


def slight(event, seed):
    noisy(event, seed, 3, ALL, ALL)


def other_runs(submission, name):
    """Honest runs of another system, as far as one can tell."""
    runs = submission.again(name)
    runs[:] = [another(run, 80 + at) for at, run in enumerate(runs)]


def other_org(name):
    def attack(submission):
        other = Submission("scaffold", name)
        other_runs(other, "theirs")
        del other.systems["epyc-2core"]
        return [submission, other]

    return attack


def accented(submission):
    """Two organisations that look the same: one has a letter and its accent in one character."""
    submission.rename("Referénce")
    return other_org(unicodedata.normalize("NFD", submission.org))(submission)


def early_line(run):
    run.one("run_stop")["time_ms"] = run.one("eval_start", 2)["time_ms"]


def inside(run):
    run.move(run.one("eval_start", 1), run.one("epoch_stop", 1))


def in_seconds(run):
    for event in run:
        event["time_ms"] //= 1000


def two_rows(submission):
    first, second = submission.runs[:5], submission.runs[5:]
    for a, b in zip(first, second, strict=True):
        b.shift(a.one("run_start")["time_ms"] - b.one("run_start")["time_ms"])


def others_hits(run):
    run.scores[1]["metadata"]["intersection"] = list(run.scores[2]["metadata"]["intersection"])


def valued(value):
    return lambda run: run.one("eval_accuracy", 1).update(value=value)


def fewer_sums(run):
    for event in run.scores:
        event["metadata"]["sums"] = event["metadata"]["sums"][:1]
        scored(event)


def more_sums(run):
    for event in run.scores[:-1]:
        event["metadata"]["sums"].append(0.0)
        scored(event)


def false_success(run):
    missed(run)
    run.one("run_stop")["metadata"]["status"] = "success"


def before_evaluation(run):
    run.move(run.one("eval_accuracy", 1), run.one("eval_start", 1))


def counted(key, samples):
    def change(run):
        for event in run.all(key):
            event["metadata"]["samples_count"] = samples

    return change


def gone(run):
    run[:] = [e for e in run if e["metadata"].get("epoch_num") != 2]


def one_file(submission):
    submission.runs[:] = [submission.runs[2]] * 5


def nudged(submission):
    five_of_one(0)(submission)
    for number, run in enumerate(submission.runs):
        for event in run.scores:
            event["value"] += 1e-10 * number


def sums_copied(epochs, noise):
    def attack(submission):
        for own, other in list(zip(submission.runs[1].scores, submission.runs[0].scores, strict=False))[:epochs]:
            own["metadata"]["sums"] = [n + noise for n in other["metadata"]["sums"]]
            scored(own)

    return attack


def nobody(submission):
    submission.rename("SUBMISSION_ORG_PLACEHOLDER")
    submission.org = "reference"


def proof(change):
    return lambda run: change(run.one("dataset_fingerprint"), run)


def moved_to(key, nth=0):
    return lambda run: run.move(run.one("dataset_fingerprint", nth), run.one(key))


def other_voxels(run):
    run.one("dataset_fingerprint")["metadata"]["class_counts"].reverse()


def other_metric(run):
    run.insert_before(run.one("run_stop"), "eval_error", 0.0)


def unevaluated(run):
    run.drop("eval_start", "eval_stop", "eval_accuracy", epoch=2)


def exchanged(submission):
    submission.files[str(source_of("scaffold") / "implementations/pytorch/training/run.py")] = "x = 1\n"


def eight_ranks(submission):
    for run in submission.runs:
        run.put("number_of_ranks", 8)
        run.put("layout", {"data": 8, "depth": 1, "height": 1, "width": 1})
        for nth, total in enumerate((7_625_045, 3_267_211)):
            read(total, 0, total, nth)(run)


def four_ranks(submission):
    eight_ranks(submission)
    submission.put("layout", {"data": 1, "depth": 1, "height": 1, "width": 1})


def another_rate(run):
    run.settings(learning_rate=0.003)
    run.put("opt_base_learning_rate", 0.003)


def another_constant(run):
    run.settings(beta_1=0.8)
    run.put("opt_adam_beta_1", 0.8)


def undigested(run):
    run.one("hyperparameters")["value"]["epochs"] = 41


def unsaid(run):
    del run.one("hyperparameters")["value"]["decay_epochs"]
    run.settings()


def honest(submission):
    pass


def early(run):
    run.shift(-400 * DAY)


def shuffled(submission):
    """The counts of all classes in another order."""
    for run in submission.runs[1:2]:
        for event in run.scores:
            hits = event["metadata"]["intersection"]
            hits[1], hits[2] = hits[2], hits[1]
            scored(event)


WEIGHTS = "results/epyc-2core/strong/cosmoflow/weights"


def none_of_one(submission):
    submission.runs[3].drop("weights")
    del submission.files[f"{WEIGHTS}/result_3.safetensors"]


def other_bit(submission):
    name = f"{WEIGHTS}/result_3.safetensors"
    submission.files[name] = submission.files[name][:-1] + b"\0"


def one_state(submission):
    for number in range(10):
        weigh(submission, number, tensors(0))


def one_state_renamed(submission):
    for number in range(10):
        weigh(submission, number, {f"{name}{number}": tensor for name, tensor in tensors(0).items()})


def one_state_noisy(submission):
    for number in range(10):
        weigh(submission, number, {name: t + np.float32(1e-6 * number) for name, t in tensors(0).items()})


def a_digest_alone(submission):
    submission.files = {path: text for path, text in submission.files.items() if "weights" not in path}


def a_thousand_bytes(submission):
    a_digest_alone(submission)
    for run in submission.runs:
        run.one("weights")["metadata"]["bytes"] = 1000


def early_weights(submission):
    for run in submission.runs:
        run.move(run.one("weights"), run.one("run_stop"))


def with_more(submission):
    weigh(submission, 3, submission.files[f"{WEIGHTS}/result_3.safetensors"] + b"import os")


def one_more(submission):
    submission.files[f"{WEIGHTS}/result_12.safetensors"] = submission.files[f"{WEIGHTS}/result_3.safetensors"]


def weighed_as(make):
    """One run has weights of this kind."""
    return weighed(lambda submission: weigh(submission, 3, make))


def line(number, old, new):
    """The attack that edits a line of the ledger."""

    def change(submission, lines):
        lines[number - 1] = lines[number - 1].replace(old, new)
        assert new in lines[number - 1]

    return launched(change)


def more(text):
    """The attack that appends a line to the ledger."""
    return launched(lambda submission, lines: lines.append(text))


def ledger_of_another(submission):
    launch(submission)
    other = Submission("cosmoflow")
    launch(other)
    submission.files[f"{HOME}/ledger.jsonl"] = other.files[f"{HOME}/ledger.jsonl".replace("scaffold", "cosmoflow")]


def exchanged_logs(submission, lines):
    submission.runs[1], submission.runs[2] = submission.runs[2], submission.runs[1]


def torn(submission):
    launch(submission, lambda c, i: c.lines.append(b'{"config":"55') if i == 2 else None)


def unnamed(submission):
    launch(submission)
    for run in submission.runs:
        run.drop("ledger")


def thresholds(run):
    """Work as initialisation of a minute, a short first epoch, short evaluations: each as the limits allow."""
    moved_into_init(run, 59 - (run.one("init_stop")["time_ms"] - run.one("init_start")["time_ms"]) / 1000)
    quick_epoch(run, 0, 0.4)
    for epoch in range(run.epochs):
        start, stop = run.one("eval_start", epoch), run.one("eval_stop", epoch)
        run.shift((start["time_ms"] - stop["time_ms"]) * 0.6, stop)


def metered(factor, watts=310.0):
    """The attack that adds a power meter whose readings are told times `factor`."""

    def attack(submission):
        for number, run in enumerate(submission.runs):
            start, stop = (run.one(key)["time_ms"] for key in ("run_start", "run_stop"))
            found = [("conversion_eff", factor, start - 2000)]
            found += [("power_reading", watts, time) for time in range(start - 1000, stop + 2000, 1000)]
            events = [{**run[0], "key": key, "value": value, "time_ms": time} for key, value, time in found]
            submission.files[f"{HOME}/power/result_{number}/node_0.txt"] = text_of(events)

    return attack


def stated(run):
    """The digests of made-up states: text can't tell what they are of."""
    for event in run.scores[:-1]:
        event["metadata"]["state"] = hashlib.sha256(f"{run.one('seed')} {event['time_ms']}".encode()).hexdigest()


def one_state_twice(run):
    stated(run)
    run.scores[1]["metadata"]["state"] = run.scores[0]["metadata"]["state"]


def larger_batch(run):
    """A batch without points, and an epoch less than the runs took."""
    run.settings(batch_size=16)
    run.put("global_batch_size", 16)
    cut(run, 2)


HOME = "results/epyc-2core/strong/scaffold"
