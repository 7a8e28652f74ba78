"""DATA: data that isn't the published one, or not all of it."""

import pytest

damage = pytest.mark.damage


@damage
def validation_class_count_altered(tree):
    true = list(tree.logs[2].all("eval_accuracy")[1]["metadata"]["true"])
    true[1] -= 1
    return [("result_2.txt", tree.changed("eval_accuracy", nth=1, metadata={"true": true}), "DATA03")]


@damage
def fingerprint_of_another_dataset(tree):
    return [("result_2.txt", tree.changed("dataset_fingerprint", nth=1, value="f" * 64), "DATA01")]


@damage
def fewer_training_samples(tree):
    return [("result_2.txt", tree.changed("train_samples", value=6), "DATA02")]


@damage
def fingerprint_of_fewer_samples(tree):
    return [("result_2.txt", tree.changed("dataset_fingerprint", metadata={"samples_count": 7}), "DATA02")]


@damage
def training_class_count_altered(tree):
    counts = [8000, 900, 701, 399]
    line = tree.changed("dataset_fingerprint", metadata={"class_counts": counts})
    return [("result_2.txt", line, "DATA03")] * 2


@damage
def definition_of_another_problem(tree):
    return [("result_2.txt", tree.changed("problem_digest", value="0" * 64), "DATA04")]


@damage
def fingerprint_missing(tree):
    log = tree.logs[2]
    log.events.remove(log.all("dataset_fingerprint")[1])
    tree.write(2)
    return [("result_2.txt", 1, "DATA05")]


@damage
def splits_exchanged(tree):
    event = tree.logs[2].all("dataset_fingerprint")[1]
    event["metadata"]["split"] = "train"
    tree.write(2)
    line = tree.logs[2].line(event)
    return [("result_2.txt", 1, "DATA05"), ("result_2.txt", line, "DATA05")]


@damage
def half_an_epoch(tree):
    return [("result_2.txt", tree.changed("epoch_stop", nth=1, metadata={"samples_count": 4}), "DATA06")]


@damage
def more_samples_than_published(study):
    return [("result_1.txt", study.changed("train_samples", value=9), "DATA02")]


@damage
def a_copy_that_no_site_has_registered(mean):
    return [("result_2.txt", mean.changed("dataset_fingerprint", value="c" * 64), "DATA09")]


def test_damage(entry, exactly):
    exactly(entry)
