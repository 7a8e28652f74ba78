"""RUN: sets of runs that are too few, of different systems, code or problems, or copies of each other."""

import copy
import random
import shutil

import pytest

from compliance.checks import runs as module

damage = pytest.mark.damage


@damage
def log_of_another_benchmark(tree):
    return [("result_2.txt", tree.changed("submission_benchmark", value="deepcam"), "RUN10")]


@damage
def run_whose_compiler_failed(tree):
    for index, log in enumerate(tree.logs):
        before = log.one("parameter_count")
        log.events.insert(log.events.index(before), {**before, "key": "compiled", "value": index != 2})
        tree.write(index)
    return [("result_2.txt", tree.logs[2].line(tree.logs[2].one("compiled")), "RUN07")]


@damage
def log_copied_with_clock_and_seed_changed(tree):
    tree.logs[4] = copy.deepcopy(tree.logs[0])
    for event in tree.logs[4].events:
        event["time_ms"] += 7_777_777
    tree.changed("seed", 4, value=(1 << 62) + 987654321)
    return [("result_4.txt", tree.logs[4].line(tree.logs[4].one("eval_accuracy")), "RUN06")]


@damage
def one_log_replayed_five_times(tree):
    rng = random.Random(7)
    for index in range(1, 5):
        tree.logs[index] = copy.deepcopy(tree.logs[0])
        for event in tree.logs[index].events:
            event["time_ms"] += 1_000_003 * index
        tree.changed("seed", index, value=(1 << 62) + rng.getrandbits(60))
    line = tree.logs[0].line(tree.logs[0].one("eval_accuracy"))
    return [("result_1.txt", line, "RUN06")]  # one finding for the set


@damage
def replay_with_other_leading_scores(tree):
    """The tail of another run's curve: its first two epochs are the run's own."""
    own = tree.logs[4].all("eval_accuracy")[2:]
    for event, other in zip(own, tree.logs[0].all("eval_accuracy")[2:], strict=True):
        event["value"] = other["value"]
        event["metadata"].update({k: other["metadata"][k] for k in ("intersection", "predicted", "true")})
    tree.write(4)
    return [("result_4.txt", tree.logs[4].line(own[0]), "RUN06")]


@damage
def byte_identical_logs(tree):
    shutil.copyfile(tree.path(0), tree.path(4))
    return [("result_4.txt", 1, "RUN05")]


@damage
def one_log_deleted(tree):
    tree.path(2).unlink()
    return [("scaffold", 1, "RUN01")]


@damage
def one_log_too_many(tree, logs):
    logs.good(5).write(tree.path(5))
    return [("scaffold", 1, "RUN01")]


@damage
def hole_in_the_numbers(tree):
    tree.path(4).rename(tree.path(7))
    return [("scaffold", 1, "RUN02")]


@damage
def two_runs_that_did_not_converge(tree, logs):
    lines = []
    for index in (1, 3):
        tree.logs[index] = logs.good(index, (0.5, 0.7, 0.8))
        tree.write(index)
        line = len(tree.logs[index].events)
        lines += [(f"result_{index}.txt", line, "EVL07"), (f"result_{index}.txt", line, "RUN03")]
    return lines


@damage
def another_number_of_nodes_in_one_run(tree):
    (named,) = tree.logs[2].one("devices")["value"]
    tree.changed("devices", value=[{**named, "host": host, "ranks": named["ranks"] // 2} for host in ("n1", "n2")])
    return [("result_2.txt", tree.changed("number_of_nodes", value=2), "RUN07")]


@damage
def another_learning_rate_in_one_run(tree, logs):
    settings = {**tree.logs[2].one("hyperparameters")["value"], "learning_rate": 0.0011}
    values = {
        "opt_base_learning_rate": 0.0011,
        "hyperparameters": settings,
        "config_digest": logs.config_digest(settings),
    }
    return [("result_2.txt", tree.changed(key, value=value), "RUN08") for key, value in values.items()]


@damage
def open_in_one_run(tree):
    return [("result_2.txt", tree.changed("submission_division", value="open"), "RUN09")]


@damage
def another_organisation(tree):
    lines = [tree.changed("submission_org", i, value="bolt") for i in range(5)]
    return [("result_0.txt", lines[0], "RUN11")]


@damage
def another_platform(tree):
    lines = [tree.changed("submission_platform", i, value="crate") for i in range(5)]
    return [("result_0.txt", lines[0], "RUN12")]


@damage
def another_division_in_the_description(tree):
    return [("box.json", tree.described(division="open"), "RUN13")]


@damage
def another_status_in_the_description(tree):
    return [("box.json", tree.described(status="cloud"), "RUN14")]


@damage
def more_nodes_in_the_description(tree):
    return [("box.json", tree.described(number_of_nodes="2"), "RUN15")]


@damage
def more_accelerators_in_the_description(tree):
    return [("box.json", tree.described(accelerators_per_node="4"), "RUN16")]


@damage
def study_of_another_code(study):
    return [("result_1.txt", study.changed("versions", value={"python": "3.12.1"}), "RUN04")]


@damage
def study_of_another_platform(study):
    for index in range(3):
        study.logs[5 + index].one("submission_platform")["value"] = "crate"
        study.write(5 + index)
    line = study.logs[5].line(study.logs[5].one("submission_platform"))
    return [("result_0.txt", line, "RUN12")]


@damage
def organisation_left_as_a_placeholder(tree):
    tree.described(submitter="Placeholder, Inc.")
    lines = [tree.changed("submission_org", i, value="placeholder inc") for i in range(5)]
    return [("result_0.txt", lines[0], "RUN17")]


def test_damage(entry, exactly):
    exactly(entry)


def test_so_much_is_told_and_no_more():
    assert module.MOST_SHOWN == 20
    assert module.MOST_TOLD == 3
