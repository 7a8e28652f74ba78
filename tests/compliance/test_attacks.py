"""Attacks on the committed runs, by class: what a cheat does, and the codes that tell. Where no text can show it, there
are none: replay, re-evaluation, a registry or people must."""

import copy
import functools
import hashlib

import numpy as np
import pytest
from compliance_test_attacks import (
    ALL,
    DAY,
    Submission,
    another,
    at_once,
    beside,
    cut,
    drop,
    each,
    five_of_one,
    late_start,
    launch,
    launched,
    missed,
    moved_into_init,
    noisy,
    one,
    one_evaluation,
    parked,
    put,
    quick_epoch,
    quick_epochs,
    quick_evaluations,
    read,
    relabelled,
    scaled,
    scored,
    shifted_copy,
    source_of,
    started,
    tensors,
    text_of,
    thief,
    tried,
    weigh,
    weighed,
    written_anew,
)
from compliance_test_submissions import KEYS

from compliance.engine import judge
from compliance.reading import files
from rules.witness import Start
from tests.support.witness import FakeWitness

NONE = ""  # no finding


def settings(**fields):
    return lambda run: run.settings(**fields)


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
    """Fifty seconds of work as initialisation, a short first epoch, short evaluations: each as the limits allow."""
    moved_into_init(run, 50)
    quick_epoch(run, 0, 0.4)
    for epoch in range(run.epochs):
        start, stop = run.one("eval_start", epoch), run.one("eval_stop", epoch)
        run.shift((start["time_ms"] - stop["time_ms"]) * 0.7, stop)


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


LOSS = settings(background_weight=0.9, average_epochs=3, warmup_epochs=3)
CUDA = each(settings(device="cuda"))
ACCELERATORS = both(each(put("accelerators_per_node", 4)), described(accelerators_per_node="4"))
HOME = "results/epyc-2core/strong/scaffold"
TABLE = [
    # class, what a cheat does, the benchmark, how, the codes that tell
    ("clock", "the times of all runs halved", "scaffold", each(lambda r: scaled(r, 0.5, False)), "CLK12"),
    ("clock", "the times of one run halved", "scaffold", one(lambda r: scaled(r, 0.5, False)), "CLK12"),
    ("clock", "times a quarter shorter", "scaffold", each(lambda r: scaled(r, 0.75, False)), "CLK12"),
    ("clock", "times and figures halved", "scaffold", each(lambda r: scaled(r, 0.5, True)), NONE),
    ("clock", "times and figures 300 times shorter", "scaffold", each(lambda r: scaled(r, 0.003, True)), "CLK13 SYS07"),
    ("clock", "figures halved, times kept", "scaffold", each(figures("throughput", 2)), "CLK14"),
    ("clock", "half of the computing kept quiet", "scaffold", each(figures("compute_seconds", 0.5)), "CLK14"),
    ("clock", "epochs of no time", "scaffold", each(lambda r: quick_epochs(r, 1e-3, False)), "CLK12 SYS07"),
    ("clock", "epochs of no time, with their figures", "scaffold", each(lambda r: quick_epochs(r, 1e-3)), "SYS07"),
    ("clock", "epochs 100 times shorter", "scaffold", each(lambda r: quick_epochs(r, 0.01)), "SYS07"),
    ("clock", "the first epoch ten times shorter", "scaffold", each(lambda r: quick_epoch(r, 0, 0.1)), "CLK17"),
    ("clock", "a later epoch ten times shorter", "scaffold", each(lambda r: quick_epoch(r, 2, 0.1)), NONE),
    ("clock", "evaluations in no time", "scaffold", each(quick_evaluations), "CLK16"),
    ("clock", "one evaluation in no time", "scaffold", one(lambda r: quick_evaluations(r, 1)), "CLK16"),
    ("clock", "run_start behind the second epoch", "scaffold", each(lambda r: late_start(r, 2)), "CLK06 DATA05"),
    ("clock", "a second run_start", "scaffold", each(second_start), "CLK01"),
    ("clock", "run_stop before the last evaluation", "scaffold", each(early_stop), "EVL06"),
    ("clock", "run_stop logged earlier than it was", "scaffold", each(early_line), "EVL06"),
    ("clock", "five minutes of work as initialisation", "scaffold", each(lambda r: moved_into_init(r, 300)), "CLK18"),
    ("clock", "an hour of work as initialisation", "scaffold", each(lambda r: moved_into_init(r, 3600)), "CLK07"),
    ("clock", "ten seconds before run_start", "scaffold", each(lambda r: r.shift(1e4, r.one("run_start"))), "CLK06"),
    ("clock", "staging before the clock", "scaffold", each(staged_early), "CLK11"),
    ("clock", "an evaluation inside its epoch", "scaffold", each(inside), "CLK15"),
    ("clock", "an epoch set back in time", "scaffold", one(lambda r: r.shift(-3000, r.one("epoch_start", 2))), "CLK04"),
    ("clock", "runs of the year before", "scaffold", each(early), "CLK05"),
    ("clock", "runs of next year", "scaffold", each(lambda r: r.shift(400 * DAY)), "CLK19"),
    ("clock", "times in seconds", "scaffold", each(in_seconds), "CLK05"),
    ("clock", "a run as long as its initialisation", "deepcam", each(lambda r: moved_into_init(r, 100)), "CLK18"),
    ("parallel", "all runs at the same time", "scaffold", lambda s: at_once(s, 0), "RUN21"),
    ("parallel", "each run while the last one still runs", "scaffold", lambda s: at_once(s, 0.8), "RUN21"),
    ("parallel", "ten runs in two rows", "cosmoflow", two_rows, "RUN21"),
    ("scores", "the last score but one lifted", "scaffold", each(lambda r: raised(r, 0.05, False)), "EVL05"),
    ("scores", "a score lifted by 1e-10", "scaffold", one(lambda r: raised(r, 1e-10, False)), "EVL05"),
    ("scores", "a score lifted by its last bit", "scaffold", one(lambda r: raised(r, 2e-16, False)), "EVL05"),
    ("scores", "the hits of a later evaluation", "scaffold", one(others_hits), "EVL12"),
    ("scores", "more hits than voxels", "scaffold", one(lambda r: raised(r, 100_000)), "EVL04 EVL12"),
    ("scores", "every voxel a hit", "scaffold", one(whole_hits), "EVL12"),
    ("scores", "wrong predictions taken back", "scaffold", one(emptied), "EVL12"),
    ("scores", "the counts of two classes exchanged", "scaffold", shuffled, "EVL12"),
    ("scores", "a score that is text", "scaffold", one(valued("0.99")), "EVL04"),
    ("scores", "a score that is true", "scaffold", one(valued(True)), "EVL04"),
    ("scores", "a sum for fewer outputs", "cosmoflow", each(fewer_sums), "EVL13"),
    ("scores", "a sum more, of 0, in each evaluation", "cosmoflow", each(more_sums), "EVL13"),
    ("scores", "another metric beside the own", "scaffold", one(other_metric), "EVL14"),
    ("scores", "a lower target", "scaffold", each(put("target", 0.9)), "EVL10"),
    ("scores", "success without the target", "scaffold", one(false_success), "EVL08"),
    ("scores", "the run goes on, to choose", "scaffold", one(goes_on, 4), "EVL09"),
    ("scores", "a slow run called aborted", "scaffold", one(missed), "EVL07"),
    ("scores", "two slow runs called aborted", "scaffold", two_missed, "EVL07 RUN03"),
    ("scores", "a score before its evaluation", "scaffold", each(before_evaluation), "EVL15"),
    ("scores", "a second evaluation without a score", "scaffold", each(evaluated_again), "EVL03"),
    ("scores", "evaluations left out", "scaffold", each(unevaluated), "EVL03"),
    ("scores", "a score left out", "scaffold", each(drop("eval_accuracy", epoch=2)), "EVL01"),
    ("scores", "half of the validation split", "scaffold", each(counted("eval_accuracy", 36)), "EVL11"),
    ("epochs", "an epoch taken out", "scaffold", each(gone), "EVL02"),
    (
        "epochs",
        "all but the first and the last cut out",
        "scaffold",
        each(lambda r: cut(r, *range(2, r.epochs))),
        "RUN22 RUN23",
    ),
    ("epochs", "an epoch of every slow run cut out", "scaffold", each(lambda r: cut(r, *range(2, r.epochs - 1))), NONE),
    ("epochs", "an epoch of the slowest run cut out", "scaffold", one(lambda r: cut(r, 2), 1), NONE),
    ("epochs", "half the samples an epoch", "scaffold", each(counted("epoch_stop", 84)), "DATA06"),
    ("copies", "one file five times", "scaffold", one_file, "RUN05"),
    ("copies", "one run as five, other seeds and times", "scaffold", five_of_one(0), "RUN06"),
    ("copies", "one run as five, 1 voxel in a class's hits", "scaffold", five_of_one(1, (1,)), "RUN06 RUN20"),
    ("copies", "one run as five, up to 2 voxels in all counts", "scaffold", five_of_one(2, ALL, ALL), "RUN20"),
    ("copies", "one run as five, up to 4 voxels in all counts", "scaffold", five_of_one(4, ALL, ALL), "RUN20"),
    ("copies", "one run as five, up to 12 voxels in all counts", "scaffold", five_of_one(12, ALL, ALL), "RUN20"),
    ("copies", "one run as five, up to 8 voxels in the hits", "scaffold", five_of_one(8, ALL), "RUN20"),
    ("copies", "one run as five, up to 8 in the predictions", "scaffold", five_of_one(8, (), ALL), "RUN20"),
    ("copies", "one run as five, much in one class", "scaffold", five_of_one(100, (2,), (2,)), "RUN20"),
    ("copies", "one run as five, much in two classes", "scaffold", five_of_one(200, (1, 4), (1, 4)), "RUN20"),
    ("copies", "one run as five, 1e-10 in the scores", "scaffold", nudged, "EVL05 RUN20"),
    ("copies", "one run as five, noise like another training's", "scaffold", five_of_one(100, ALL, ALL), NONE),
    ("copies", "one evaluation of another run", "scaffold", one_evaluation, "RUN20"),
    ("copies", "one evaluation of another run, with noise", "scaffold", lambda s: one_evaluation(s, 3), "RUN20"),
    ("copies", "another run without an epoch", "scaffold", shifted_copy(0), "RUN20"),
    ("copies", "another run without an epoch, with noise", "scaffold", shifted_copy(2), "RUN20"),
    ("copies", "sums of one run for another", "cosmoflow", sums_copied(2, 0), "RUN20"),
    ("copies", "sums of one run with 1e-6 of noise", "cosmoflow", sums_copied(3, 1e-6), "RUN20"),
    ("stolen", "another organisation's logs as they are", "scaffold", thief(None), "RUN06"),
    ("stolen", "... with other seeds and times", "scaffold", thief(0), "RUN06"),
    ("stolen", "... with other times alone", "scaffold", thief(0, seeds=False), "RUN06"),
    ("stolen", "... with noise", "scaffold", thief(3), "RUN20"),
    ("stolen", "the same runs as two systems", "scaffold", twin_system("tower"), "RUN06"),
    ("stolen", "the same runs as two systems, with noise", "scaffold", twin_system("tower", slight), "RUN20"),
    ("stolen", "another one's name in the logs", "scaffold", each(put("submission_org", "acme")), "RUN11"),
    ("names", "a submitter that is not the folder's", "scaffold", described(submitter="Acme"), "SYS09"),
    ("names", "a system that differs by case", "scaffold", lambda s: other_runs(s, "EPYC_2core"), "TREE12"),
    ("names", "an organisation that differs by punctuation", "scaffold", other_org("Refer-ence"), "TREE12"),
    ("names", "another platform in the logs", "scaffold", each(put("submission_platform", "h100")), "RUN12"),
    ("names", "nobody's name", "scaffold", nobody, "RUN17"),
    ("evidence", "no fingerprint of training", "scaffold", each(proof(lambda e, r: r.remove(e))), "DATA05"),
    ("evidence", "another fingerprint", "scaffold", each(proof(lambda e, r: e.update(value="f" * 64))), "DATA01"),
    ("evidence", "the fingerprint of validation at the end", "scaffold", each(moved_to("run_stop", 1)), "DATA08"),
    ("evidence", "the fingerprint of training before the epoch", "scaffold", each(moved_to("epoch_start")), "DATA08"),
    ("evidence", "fingerprints before the run", "scaffold", each(moved_to("run_start")), "DATA05"),
    ("evidence", "no bytes read", "scaffold", each(proof(lambda e, r: e["metadata"].pop("bytes_read"))), "DATA07"),
    ("evidence", "0 bytes read", "scaffold", each(read(0, 0, 0)), "DATA07"),
    ("evidence", "a tenth of the bytes read", "scaffold", each(read(762_504, 762_504, 762_504)), "DATA07"),
    ("evidence", "bytes that no ranks can have", "scaffold", each(read(7_625_045, 1, 2)), "DATA07"),
    ("evidence", "fewer bytes of validation", "cosmoflow", each(read(10**6, 10**6, 10**6, 1)), "DATA07"),
    ("evidence", "other voxels of a class", "scaffold", each(other_voxels), "DATA03"),
    ("evidence", "no statistics of an epoch", "scaffold", each(drop("tracked_stats", epoch=2)), "LOG13"),
    ("evidence", "no statistics", "scaffold", each(drop("tracked_stats")), "LOG13"),
    ("evidence", "no seconds of computing", "scaffold", each(no_figure("compute_seconds")), "LOG13"),
    ("evidence", "no throughput", "scaffold", each(no_figure("throughput")), "LOG13"),
    ("evidence", "caches kept", "scaffold", each(put("cache_clear", False)), "LOG09"),
    ("evidence", "nothing said of caches", "scaffold", each(drop("cache_clear")), "LOG04"),
    ("evidence", "nothing said of the source", "scaffold", each(drop("source")), "LOG04"),
    ("evidence", "a file of source exchanged", "scaffold", exchanged, "CODE05 SRC03"),
    ("evidence", "another seed than a fresh one", "scaffold", each(put("seed", 42)), "SEED03"),
    ("weights", "one run without", "cosmoflow", weighed(none_of_one), "WGT03"),
    ("weights", "a bit changed after the run", "cosmoflow", weighed(other_bit), "WGT04"),
    ("weights", "the same weights for all runs", "cosmoflow", weighed(one_state), "WGT08"),
    ("weights", "the same tensors under other names", "cosmoflow", weighed(one_state_renamed), "WGT08"),
    ("weights", "the same weights with noise in all tensors", "cosmoflow", weighed(one_state_noisy), NONE),
    ("weights", "random numbers", "cosmoflow", weighed_as(tensors(99)), NONE),
    ("weights", "digests of files that nobody sees", "cosmoflow", weighed(a_digest_alone), "WGT04"),
    ("weights", "weights of before the last evaluation", "cosmoflow", weighed(early_weights), "WGT01"),
    ("weights", "a pickle", "cosmoflow", weighed_as(b"\x80\x04" + bytes(300)), "WGT05"),
    ("weights", "a program behind the tensors", "cosmoflow", weighed(with_more), "WGT05"),
    ("weights", "a smaller network's", "cosmoflow", weighed_as(tensors(3, 1000)), "WGT06"),
    ("weights", "more files than runs", "cosmoflow", weighed(one_more), "WGT07"),
    ("data", "twin of CosmoFlow as the real one", "cosmoflow", relabelled("cosmoflow"), "DATA07 DATA09 SYS07"),
    ("data", "twin of CosmoFlow as that of v0.7", "cosmoflow", relabelled("cosmoflow-v0.7"), "DATA07 DATA09 SYS07"),
    ("data", "twin of DeepCAM as the real one", "deepcam", relabelled("deepcam"), "DATA07 DATA09 SYS07"),
    ("data", "smoke as scale6", "scaffold", relabelled("scale6"), "DATA07 EVL12 SYS07"),
    ("data", "smoke as scale9", "scaffold", relabelled("scale9"), "DATA07 EVL12 SYS07"),
    ("data", "another problem's definition", "scaffold", each(put("problem_digest", "0" * 64)), "DATA04"),
    ("data", "a problem of one's own", "scaffold", each(put("problem", "smoke2")), "LOG12"),
    ("data", "fewer training samples", "scaffold", each(put("train_samples", 84)), "DATA02"),
    ("data", "a smaller model", "scaffold", each(put("parameter_count", 100)), "MOD01"),
    ("hardware", "more accelerators in the description", "scaffold", described(accelerators_per_node="8"), "RUN16"),
    ("hardware", "more nodes in the description", "scaffold", described(number_of_nodes="64"), "RUN15"),
    ("hardware", "accelerators that computed nothing", "scaffold", ACCELERATORS, "SYS08"),
    ("hardware", "cuda without accelerators", "scaffold", CUDA, "SYS08"),
    ("hardware", "more ranks than accelerators", "scaffold", both(CUDA, ACCELERATORS, eight_ranks), "SYS08"),
    ("hardware", "a layout of other ranks", "scaffold", four_ranks, "MOD02 SYS10"),
    ("hardware", "a peak that the run exceeds", "scaffold", each(settings(peak_tflops=0.01)), "SYS07"),
    ("hardware", "one run of another system", "scaffold", one(put("number_of_nodes", 2)), "SYS13"),
    ("hardware", "one thread for two", "scaffold", each(settings(threads=1)), NONE),
    ("hardware", "another processor's name", "scaffold", described(host_processor_model_name="A slower one"), "SYS12"),
    ("settings", "another rate in one run", "scaffold", one(another_rate), "RUN08"),
    ("settings", "another rate than configured", "scaffold", each(put("opt_base_learning_rate", 0.003)), "HYP03"),
    ("settings", "another batch than configured", "scaffold", each(put("global_batch_size", 8)), "HYP03 RUN22"),
    ("settings", "another precision than configured", "scaffold", each(put("precision", "bfloat16")), "HYP03"),
    ("settings", "settings edited, not their digest", "scaffold", each(undigested), "HYP04"),
    ("settings", "settings left out", "scaffold", each(unsaid), "HYP05"),
    ("settings", "another optimizer", "scaffold", each(put("opt_name", "lion")), "HYP01"),
    ("settings", "another optimizer's constant", "scaffold", each(another_constant), "HYP01"),
    ("settings", "another loss and average", "scaffold", each(LOSS), "HYP01"),
    ("settings", "another loss under another name", "scaffold", each(settings(weight_of_air=0.9)), "HYP06"),
    ("settings", "open in the logs alone", "scaffold", each(put("submission_division", "open")), "RUN13"),
    ("settings", "another edition", "scaffold", each(put("rules_edition", "v0.9")), "LOG11"),
    ("parked", "a failed run beside the set", "scaffold", parked(f"{HOME}/failed/result_5.txt"), "EVL07 TREE01"),
    ("parked", "a failed run in docs", "scaffold", parked("docs/result_0.txt"), "TREE09"),
    ("parked", "a failed run as source", "scaffold", parked(str(source_of("scaffold") / "notes.txt")), "SRC06 TREE09"),
    ("parked", "a failed run by another name", "scaffold", parked(f"{HOME}/result_5.log"), "TREE06"),
    ("parked", "a failed run as pruned", "scaffold", parked(f"{HOME}/pruned_results/result_5.txt"), "TREE09"),
    ("parked", "a failed run as power", "scaffold", parked(f"{HOME}/power/result_5/node_0.txt"), "PWR01"),
    ("parked", "a sixth run", "scaffold", more_runs, "RUN01"),
    ("parked", "a run left out, the others renumbered", "scaffold", lambda s: s.runs.pop(), "RUN01"),
    ("ledger", "a start that failed taken out", "scaffold", launched(lambda s, x: x.__delitem__(2)), "LED01"),
    ("ledger", "an end that says aborted instead", "scaffold", line(4, b"success", b"aborted"), "LED01"),
    ("ledger", "written anew without failures", "scaffold", written_anew, "LED03"),
    ("ledger", "cut off before the last end", "scaffold", launched(lambda s, x: x.pop()), "LED06"),
    ("ledger", "best of three", "scaffold", tried("success", times=2), "LED07"),
    ("ledger", "best of three, with notes", "scaffold", tried("success", times=2, note="a bad disk"), "LED08"),
    ("ledger", "slow runs stopped and started again", "scaffold", tried("aborted", times=5), "LED08"),
    ("ledger", "slow runs killed and started again", "scaffold", tried(None, times=5), "LED08"),
    ("ledger", "slow runs as those of another name", "scaffold", tried(None, name="result_9.txt"), "LED07"),
    ("ledger", "good runs kept for another day", "scaffold", tried("success", name="result_9.txt"), "LED07"),
    ("ledger", "another one beside a run", "scaffold", beside, "LED08 LED09"),
    ("ledger", "a start that was cut off, perhaps", "scaffold", torn, "LED01"),
    ("ledger", "counts made up after the end", "scaffold", launched(lambda s, x: raised(s.runs[2], 1)), "LED06"),
    ("ledger", "two logs that changed places", "scaffold", launched(exchanged_logs), "LED03"),
    ("ledger", "another seed than the start's", "scaffold", started(seed_commitment="5" * 64), "LED04"),
    ("ledger", "settings fitted after the start", "scaffold", started(config="5" * 64), "LED04"),
    ("ledger", "source changed after the start", "scaffold", started(source="5" * 64), "LED04"),
    ("ledger", "a start written down in stock", "scaffold", started(-1500, "init_start"), "LED05"),
    ("ledger", "a start written down in the run", "scaffold", started(1500, "run_start"), "LED05"),
    ("ledger", "that of another set", "scaffold", ledger_of_another, "LED03"),
    ("ledger", "gone, though logs name it", "scaffold", both(launch, lambda s: s.files.clear()), "LED02"),
    ("ledger", "that no log names", "scaffold", unnamed, "LED03"),
    ("ledger", "larger than any", "scaffold", more(b"x" * (9 << 20)), "LED01"),
    ("ledger", "no JSON", "scaffold", more(b"start 6, failed"), "LED01"),
    ("ledger", "numbers as text", "scaffold", line(4, b'"number":4', b'"number":"4"'), "LED01"),
    ("ledger", "a time that is no number", "scaffold", more(b'{"event":"note","time_ms":NaN}'), "LED01"),
    ("ledger", "nested very deeply", "scaffold", more(b'{"event":' * 1500 + b"1" + b"}" * 1500), "LED01"),
    ("ledger", "written anew with all logs", "scaffold", launch, NONE),
    ("clock", "every threshold used up", "scaffold", each(thresholds), NONE),
    (
        "clock",
        "three tenths of a second before run_start",
        "scaffold",
        each(lambda r: r.shift(300, r.one("run_start"))),
        "CLK06",
    ),
    ("epochs", "an epoch cut out at a batch without points", "scaffold", each(larger_batch), "RUN22"),
    (
        "seeds",
        "a seed of 2^63 and more",
        "scaffold",
        one(lambda r: r.put("seed", r.one("seed")["value"] + 2**63)),
        "SEED02",
    ),
    ("states", "weights swapped in, their state logged", "scaffold", each(stated), NONE),
    ("states", "the same state after two epochs", "scaffold", each(one_state_twice), "WGT09"),
    ("energy", "310 W told as 3.1 W", "scaffold", metered(0.01), "PWR01"),
    ("energy", "a meter of half the machine", "scaffold", metered(0.9, 155.0), NONE),
    ("names", "one machine as two systems", "scaffold", lambda s: other_runs(s, "tower"), NONE),
    ("chosen", "the fastest five of twenty", "scaffold", honest, NONE),
    ("chosen", "weights trained on the validation split", "scaffold", honest, NONE),
    ("chosen", "the first epochs skipped by weights of an earlier run", "scaffold", honest, NONE),
]
WRITTEN = [(kind, what) for kind, what, *_ in TABLE]


@pytest.fixture(scope="module", autouse=True)
def each_file_once():
    """All submissions have the same source: it is parsed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "read_python", functools.cache(files.read_python))
        yield


@pytest.mark.parametrize(("benchmark", "attack", "codes"), [r[2:] for r in TABLE], ids=["-".join(r[:2]) for r in TABLE])
def test_attack(tmp_path, benchmark, attack, codes):
    submission = Submission(benchmark)
    made = attack(submission)
    given = made if isinstance(made, list) and made and isinstance(made[0], Submission) else [submission]
    for one_of in given:
        one_of.write(tmp_path / "v1.0")
    found = {f.code for f in judge([tmp_path / "v1.0"]).findings}
    assert " ".join(sorted(found)) == codes


@pytest.mark.parametrize("benchmark", ["scaffold", "cosmoflow", "deepcam"])
def test_without_an_attack_nothing_is_found(tmp_path, benchmark):
    Submission(benchmark).write(tmp_path / "v1.0")
    assert judge([tmp_path / "v1.0"]).findings == ()


def test_weights_of_honest_runs_are_quiet(tmp_path):
    submission = Submission("cosmoflow")
    weighed()(submission)
    submission.write(tmp_path / "v1.0")
    assert judge([tmp_path / "v1.0"]).findings == ()


@pytest.mark.parametrize("benchmark", ["scaffold", "cosmoflow", "deepcam"])
def test_nothing_is_found_in_runs_with_a_ledger(tmp_path, benchmark):
    submission = Submission(benchmark)
    launch(submission)
    submission.write(tmp_path / "v1.0")
    assert judge([tmp_path / "v1.0"]).findings == ()


SHOWN = {  # what shows an attack that no text shows, if a round requires it: docs/trust.md
    "times and figures halved": "witness",
    "a later epoch ten times shorter": "witness",
    "an epoch of every slow run cut out": "witness",
    "an epoch of the slowest run cut out": "witness",
    "one run as five, noise like another training's": "witness",
    "the same weights with noise in all tensors": "re-evaluation",
    "random numbers": "re-evaluation",
    "one thread for two": "witness",
    "written anew with all logs": "witness",
    "every threshold used up": "witness",
    "weights swapped in, their state logged": "spot checks",
    "a meter of half the machine": "nothing",
    "one machine as two systems": "nothing",
    "the fastest five of twenty": "witness",
    "weights trained on the validation split": "re-evaluation",
    "the first epochs skipped by weights of an earlier run": "replay",
}


def test_there_are_many_and_few_go_unseen():
    assert len(set(WRITTEN)) == len(TABLE) >= 120
    unseen = [what for _, what, *_, codes in TABLE if codes == NONE]
    assert len(unseen) <= min(60, len(TABLE) // 10) and unseen == list(SHOWN)
    assert sum(shown == "nothing" for shown in SHOWN.values()) <= len(TABLE) // 20


def told(submission, clock=None):
    """Has a witness see the runs as they are now, at the times of `clock`, other runs, if its clock is not theirs."""
    witness, folder = FakeWitness(), f"results/epyc-2core/strong/{submission.benchmark}"
    for number, run in enumerate(submission.runs):
        log = f"result_{number}.txt"
        names = {name: run.one(key)["value"] for key, name in KEYS.items()}
        start = witness.receipt(Start(**names, log=log, run=f"{number:032x}"), run.one("init_start")["time_ms"] - 2000)
        run.one("seed").update(value=start.seed, metadata={"source": "witness", "entry": 1})
        times = (event["time_ms"] for event in (clock or submission.runs)[number])
        timed = [{**event, "time_ms": time} for event, time in zip(run, times, strict=True)]
        receipts = [start, *witness.steps(start.told.run, timed, text_of(run))]
        submission.files[f"{folder}/receipts_{number}.jsonl"] = "".join(f"{receipt.text}\n" for receipt in receipts)
    submission.files["../witness.jsonl"] = "".join(f"{receipt.text}\n" for receipt in witness.chain)


def witness_codes(submission, folder, law):
    submission.write(folder / "v1.0")
    return {f.code for f in judge([folder / "v1.0"], rules=law).findings if f.code.startswith("WIT")}


CHOSEN = "the fastest five of twenty"  # WIT07 shows it: tests/compliance/families/test_witness.py
EDITED = [row for row in TABLE if SHOWN.get(row[1]) == "witness" and row[1] != CHOSEN]


@pytest.mark.parametrize(
    ("benchmark", "attack"), [row[2:4] for row in EDITED], ids=["-".join(row[:2]) for row in EDITED]
)
def test_a_witness_shows_edits_that_no_text_shows(tmp_path, law, benchmark, attack):
    submission = Submission(benchmark)
    told(submission)
    attack(submission)
    assert witness_codes(submission, tmp_path, law) & {"WIT03", "WIT04"}


@pytest.mark.parametrize(
    ("attack", "codes"),
    [
        (lambda s: None, set()),
        (each(lambda r: scaled(r, 0.5, True)), {"WIT05"}),
        (each(lambda r: quick_epoch(r, 2, 0.1)), {"WIT05"}),
    ],
    ids=["honest", "a clock of half the speed", "a clock that stands still for most of an epoch"],
)
def test_a_witness_shows_clocks_that_run_otherwise(tmp_path, law, attack, codes):
    submission = Submission()
    seen = copy.deepcopy(submission.runs)
    attack(submission)
    told(submission, seen)
    assert witness_codes(submission, tmp_path, law) == codes
