"""DATA: data that isn't the published one, or not all of it."""

from dataclasses import replace

import pytest

from compliance.families import data as checks
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, log_changed
from tests.compliance.logs import event, read
from tests.compliance.made import timeline


@damage
def validation_class_count_altered(tree):
    true = list(tree.logs[2].all("eval_accuracy")[1]["metadata"]["true"])
    true[1] -= 1
    return [("result_2.txt", tree.changed("eval_accuracy", nth=1, metadata={"true": true}), "DATA03")]


fingerprint_of_another_dataset = event_changed("DATA01", "dataset_fingerprint", nth=1, value="f" * 64)
fewer_training_samples = event_changed("DATA02", "train_samples", value=6)
fingerprint_of_fewer_samples = event_changed("DATA02", "dataset_fingerprint", metadata={"samples_count": 7})
fingerprint_of_all_samples_for_validation = event_changed(
    "DATA02", "dataset_fingerprint", nth=1, metadata={"samples_count": 8}
)
definition_of_another_problem = event_changed("DATA04", "problem_digest", value="0" * 64)


@log_changed("DATA05")
def fingerprint_missing(tree, log):
    log.events.remove(log.all("dataset_fingerprint")[1])
    tree.write(2)
    return 1


half_an_epoch = event_changed("DATA06", "epoch_stop", nth=1, metadata={"samples_count": 4})
bytes_read_missing = event_changed("DATA07", "dataset_fingerprint", metadata={"bytes_read": None})
a_copy_that_no_site_has_registered = event_changed("DATA09", "dataset_fingerprint", of="mean", value="c" * 64)
fingerprint_of_training_after_the_evaluation = log_changed(
    "DATA08", lambda tree, log: tree.moved(log.one("dataset_fingerprint"), log.all("epoch_start")[2])
)


PROBLEM = made.published(
    fingerprints={"train": "a", "validation": "b"},
    class_counts={"train": (30, 20), "validation": (15, 10)},
    problem_digest="d",
)


def terms(score="dice", parts=1, **fields):
    """Terms with a problem, of which some fields differ."""
    return made.terms(score=score, evaluations_per_epoch=parts, problem=replace(PROBLEM, **fields))


@pytest.mark.parametrize(
    ("parts", "batch", "samples", "found"),
    [
        (2, 2, [4, 4, 4], []),  # a run may end after a part
        (3, 2, [2, 2, 4, 2, 4, 2], []),  # four batches in three parts
        (3, 2, [2, 2, 2], [3]),  # 6 of 8 samples
        (2, 2, [4, 4, 4, 7], [4]),  # more than a batch too much
        (2, 2, [4, 5], [2]),  # 9 of 8 samples
        (2, 2, [3, 5], []),
        (2, None, [3, 5], [1, 2]),
        (1, 2, [8, 10**400], [2]),
    ],
)
def test_data06_parts_of_an_epoch_are_of_whole_batches(parts, batch, samples, found):
    stops = (event(n, "epoch_stop", samples_count=count) for n, count in enumerate(samples, 1))
    log = read(*stops, event(9, "global_batch_size", value=batch))
    assert [f.line for f in checks.epochs_train_on_the_split(log, terms(parts=parts), None)] == found


def proof(line=1, split="train", **fields):
    return event(line, "dataset_fingerprint", split=split, **fields)


SAMPLES, EPOCHS = checks.sample_counts_are_published, checks.epochs_train_on_the_split
CLASSES, DEFINITION = checks.class_counts_are_published, checks.problem_is_the_published_one
SWAPPED = ["20 voxels of class 0 in train class_counts", "30 voxels of class 1 in train class_counts"]


@pytest.mark.parametrize(
    ("check", "logged", "fields", "found"),
    [
        (SAMPLES, event(1, "train_samples", value=8), {}, []),
        (EPOCHS, event(1, "epoch_stop", samples_count=8), {}, []),
        *((SAMPLES, event(1, "train_samples", value=n), {}, [f"train_samples {n}"]) for n in (7, 9, 8.0, "8", None)),
        *((EPOCHS, event(1, "epoch_stop", samples_count=n), {}, [f"{n} samples"]) for n in (7, 9, 8.0, "8", None)),
        (CLASSES, proof(class_counts=[30, 20]), {}, []),
        (CLASSES, proof(class_counts=[20, 30]), {}, SWAPPED),
        (CLASSES, proof(class_counts=[20, 30]), {"class_counts": {}}, []),
        (CLASSES, proof(class_counts=[30]), {}, ["train class_counts [30]"]),
        (CLASSES, proof(class_counts="ab"), {}, ["train class_counts ab"]),
        (DEFINITION, event(1, "problem_digest", value="d"), {}, []),
        (DEFINITION, event(1, "problem_digest", value="e"), {}, ["problem_digest e"]),
        (DEFINITION, event(1, "problem_digest", value="e"), {"problem_digest": ""}, []),
        (DEFINITION, event(1, "seed"), {}, []),
    ],
)
def test_data_is_that_of_the_published_problem(check, logged, fields, found):
    assert [fault.found for fault in check(read(logged), terms(**fields), None)] == found


COMPARED = (SAMPLES, EPOCHS, CLASSES, DEFINITION, checks.fingerprints_are_published, checks.datasets_are_registered)


@pytest.mark.parametrize("split", [None, ["train"]])
def test_a_split_that_is_no_text_is_not_looked_up(split):
    log = read(event(1, "dataset_fingerprint", value="c", split=split, samples_count=1, class_counts=[1]))
    assert [fault for check in COMPARED for fault in check(log, terms(), None)] == []


def test_without_a_published_problem_nothing_is_compared():
    events = ("train_samples", "problem_digest", "dataset_fingerprint", "epoch_stop", "eval_accuracy")
    log = read(*(event(i, key, split="train", true=[1]) for i, key in enumerate(events, 1)))
    assert [fault for check in COMPARED for fault in check(log, made.terms(), None)] == []
    assert list(checks.fingerprints_are_logged(read(), made.terms(), timeline(scores=("one",)))) == []


@pytest.mark.parametrize(
    ("lines", "more", "found"),
    [
        ((3, 8), {}, []),
        ((2, 8), {}, [(2, "fingerprint of train outside the run")]),
        ((3, 9), {}, [(9, "fingerprint of validation outside the run")]),
        ((3, 4, 5, 6), {}, [(5, "fingerprint of split test"), (6, "fingerprint of validation again")]),
        ((), {}, [(1, "no dataset_fingerprint of train"), (1, "no dataset_fingerprint of validation")]),
        ((), {"scores": ()}, []),  # a run that never scored may lack them
        ((1, 10), {"start": None}, []),
        ((1, 10), {"stop": None}, []),
    ],
)
def test_data05_each_split_is_proved_once_and_inside_the_run(lines, more, found):
    log = read(*map(proof, lines, ("train", "validation", "test", "validation")))
    time = timeline(**{"start": event(2, "run_start"), "stop": event(9, "run_stop"), "scores": ("one",), **more})
    faults = checks.fingerprints_are_logged(log, terms(), time)
    assert [(fault.line, fault.found) for fault in faults] == found


OTHER = {"train": "a", "validation": "c"}


@pytest.mark.parametrize(
    ("datasets", "found"),
    [
        ({}, [(3, "train a, validation b", "those of a registered dataset; none is")]),
        ({"here": OTHER, "there": OTHER}, [(3, "train a, validation b", "the fingerprints of here or there")]),
        ({"here": {"train": "a", "validation": "b"}}, []),
    ],
)
def test_a_dataset_is_one_of_those_that_are_registered(datasets, found):
    events = [(3, "a", "train"), (4, "b", "validation")]
    log = read(*(event(line, "dataset_fingerprint", value=value, split=s) for line, value, s in events))
    judged = checks.datasets_are_registered(log, terms(fingerprints={}, datasets=datasets), None)
    assert [(f.line, f.found, f.wanted) for f in judged] == found
    assert list(checks.datasets_are_registered(log, terms(datasets=datasets), None)) == []
    assert list(checks.datasets_are_registered(read(), terms(fingerprints={}), None)) == []


def by_rank(total, least, most):
    return {"total": total, "least_by_rank": least, "most_by_rank": most}


@pytest.mark.parametrize(
    ("sizes", "good"),
    [
        (by_rank(1999, 999, 1000), False),  # fewer than the split has
        (by_rank(2000, 1000, 1000), True),
        (by_rank(4000, 0, 4000), True),
        (by_rank(4000, 1999, 1999), False),
        (by_rank(4000, 2001, 2001), False),
        (by_rank(4000, -1, 4000), False),
        (by_rank(True, 0, 1), False),
        (by_rank(4e3, 2000, 2000), False),
        (4000, False),
    ],
)
def test_data07_two_ranks_read_a_split(sizes, good):
    fingerprint = event(3, "dataset_fingerprint", split="train", bytes_read=sizes)
    log = read(event(1, "number_of_ranks", value=2), fingerprint)
    faults = checks.bytes_read_suffice(log, terms(bytes={"train": 2000}), None)
    assert [fault.line for fault in faults] == ([] if good else [3])


@pytest.mark.parametrize("split", ["train", []])
@pytest.mark.parametrize(("total", "found"), [(0, [3]), (1, [])])
def test_data07_a_byte_is_read_where_no_size_is_published(split, total, found):
    log = read(proof(3, split, bytes_read=by_rank(total, 0, total)))
    for problem in (None, PROBLEM):
        assert [f.line for f in checks.bytes_read_suffice(log, made.terms(problem=problem), None)] == found


TWO_EPOCHS = ((2, "epoch_start"), (5, "epoch_stop"), (7, "epoch_start"), (9, "epoch_stop"))
TWO_PARTS = ((1, "epoch_start"), (2, "epoch_stop"), (3, "eval_stop"), (5, "epoch_start"), (7, "epoch_stop"))
NEXT = ((10, "epoch_start"),)


@pytest.mark.parametrize(
    ("parts", "edges", "split", "lines", "found"),
    [
        (1, TWO_EPOCHS, "train", (4, 5, 6, 7, 8), [4, 8]),  # several programs may write into one line
        (1, TWO_EPOCHS, "other", (4,), []),  # DATA05 says so
        (2, TWO_PARTS + NEXT, "train", (2, 6, 8, 11), [2, 6, 11]),  # of which each is logged as an epoch
        (2, TWO_PARTS + NEXT, "validation", (2, 4, 11), [2, 11]),
        (1, TWO_EPOCHS[:1], "train", (5,), [5]),  # a run that broke off
        (1, TWO_EPOCHS[:1], "validation", (6,), [6]),
    ],
)
def test_data08_fingerprints_are_of_the_first_pass(parts, edges, split, lines, found):
    log = read(*(event(line, key) for line, key in edges), *(proof(line, split) for line in lines))
    log.events["dataset_fingerprint"].insert(0, proof(1, "other"))
    faults = checks.fingerprints_are_of_the_first_pass(log, made.terms(evaluations_per_epoch=parts), None)
    assert [fault.line for fault in faults] == found
