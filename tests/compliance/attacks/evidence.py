"""Attacks on what a log says of data, hardware and settings."""

import hashlib

from rules.edition import load
from tests.compliance.attacks.clock import moved
from tests.compliance.attacks.submission import both, each, one
from tests.compliance.logs import Log, scored

LAW = load("v1.0")
STATISTICS = "tracked_stats"


def relabelled(problem):
    """The runs of a small problem as those of another one, with all of its published numbers."""
    law = LAW.problems[problem]
    numbers = {"train": law.train_samples, "validation": law.eval_samples}
    keys = ("problem_digest", "target", "train_samples", "eval_samples", "parameter_count")

    def change(run):
        before, trained = (run.one(key)["value"] for key in ("eval_samples", "train_samples"))
        run.put("problem", problem)
        for key in keys:
            run.put(key, getattr(law, key))
        for event in run.all("dataset_fingerprint"):
            split = event["metadata"]["split"]
            event["value"] = law.fingerprints.get(split, event["value"])
            event["metadata"]["samples_count"] = numbers[split]
            event["metadata"]["class_counts"] = list(law.class_counts.get(split, ()))
        for event in run.all("epoch_stop"):
            event["metadata"]["samples_count"] = law.train_samples
        for stats in run.all(STATISTICS):
            stats["value"]["throughput"] *= law.train_samples / trained
        for event in (*run.all("eval_stop"), *run.scores):
            event["metadata"]["samples_count"] = law.eval_samples
        for event in run.scores:
            facts = event["metadata"]
            if "sums" in facts:
                facts["sums"] = [n * law.eval_samples / before for n in facts["sums"]]
            else:
                enlarged(facts, law.class_counts["validation"])
            scored(event)

    return each(change)


def enlarged(facts, true):
    """The counts of an evaluation of another split, with about the same shares."""
    ratios = [t / old for t, old in zip(true, facts["true"], strict=True)]
    facts["intersection"] = [int(n * r) for n, r in zip(facts["intersection"], ratios, strict=True)]
    facts["predicted"] = [int(n * r) for n, r in zip(facts["predicted"], ratios, strict=True)]
    facts["true"] = list(true)
    facts["predicted"][0] += sum(true) - sum(facts["predicted"])
    facts["intersection"][0] = min(facts["intersection"][0], facts["predicted"][0], true[0])


def read(run, total, least, most, nth=0):
    """Other bytes were read."""
    numbers = {"total": total, "least_by_rank": least, "most_by_rank": most}
    run.one("dataset_fingerprint", nth)["metadata"]["bytes_read"] = numbers


def eight_ranks(run, data=8):
    run.put("number_of_ranks", 8)
    run.put("layout", {"data": data, "depth": 1, "height": 1, "width": 1})
    for nth, total in enumerate((7_625_045, 3_267_211)):
        read(run, total, 0, total, nth)


def of_the_machine(run):
    run.settings(weight_of_air=0.9)
    run.one("hyperparameters")["metadata"]["machine"].append("weight_of_air")


def stated(run):
    """The digests of made-up states: text can't tell what they are of."""
    for event in run.scores[:-1]:
        event["metadata"]["state"] = hashlib.sha256(f"{run.one('seed')} {event['time_ms']}".encode()).hexdigest()


def one_state_twice(run):
    stated(run)
    run.scores[1]["metadata"]["state"] = run.scores[0]["metadata"]["state"]


CUDA = each(Log.settings, device="cuda")
ACCELERATORS = both(each(Log.put, "accelerators_per_node", 4), lambda s: s.described(accelerators_per_node="4"))
EVIDENCE = [
    ("validation's fingerprint at the end", each(moved, "dataset_fingerprint", "run_stop", 1), "DATA08"),
    ("training's fingerprint before the epoch", each(moved, "dataset_fingerprint", "epoch_start"), "DATA08"),
    ("fingerprints before the run", each(moved, "dataset_fingerprint", "run_start"), "DATA05"),
    ("a tenth of the bytes read", each(read, 762_504, 762_504, 762_504), "DATA07"),
    ("bytes that no ranks can have", each(read, 7_625_045, 1, 2), "DATA07"),
    ("no statistics of an epoch", each(Log.drop, STATISTICS, epoch=2), "LOG13"),
    ("caches kept", each(Log.put, "cache_clear", False), "LOG09"),
    ("weights swapped in, their state logged", each(stated), ""),
    ("the same state after two epochs", each(one_state_twice), "WGT09"),
]
DATA = [
    ("CosmoFlow's twin as the real one", relabelled("cosmoflow"), "CLK20 DATA07 DATA09 RUN22 SYS07", "cosmoflow"),
    ("DeepCAM's twin as the real one", relabelled("deepcam"), "CLK20 DATA07 DATA09 HYP03 RUN22 SYS07", "deepcam"),
    ("smoke as scale6", relabelled("scale6"), "DATA07 EVL12 RUN23 SYS07"),
]
HARDWARE = [
    ("accelerators that computed nothing", ACCELERATORS, "SYS08"),
    ("cuda without accelerators", CUDA, "SYS08"),
    ("more ranks than accelerators", both(CUDA, ACCELERATORS, each(eight_ranks)), "SYS08"),
    ("a layout of other ranks", each(eight_ranks, 1), "MOD02 SYS10"),
    ("a peak that the run exceeds", each(Log.settings, peak_tflops=0.01), "SYS07"),
    ("one run of another system", one(Log.put, "number_of_nodes", 2), "RUN07 SYS10"),
    ("one thread for two", each(Log.settings, threads=1), ""),
]
SETTINGS = [
    ("another batch than configured", each(Log.put, "global_batch_size", 8), "HYP03 RUN23"),
    ("another loss as a setting of the machine", each(of_the_machine), "HYP06"),
    ("open in the logs alone", each(Log.put, "submission_division", "open"), "RUN13"),
]
