"""LOG13, DATA07, DATA08, EVL15, and cache_clear: evidence that is missing, absurd or out of its place."""

from types import SimpleNamespace

import pytest

from compliance.checks import evidence

damage = pytest.mark.damage


@damage
def epoch_without_statistics(tree):
    line = tree.logs[2].line(tree.logs[2].all("epoch_stop")[2]) - 1
    tree.removed("tracked_stats", epoch=3)
    return [("result_2.txt", line, "LOG13")]


@damage
def statistics_without_a_loss(tree):
    event = tree.logs[2].all("tracked_stats")[1]
    del event["value"]["loss"]
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "LOG13")]


@damage
def bytes_read_missing(tree):
    event = tree.logs[2].one("dataset_fingerprint")
    del event["metadata"]["bytes_read"]
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "DATA07")]


@damage
def bytes_read_missing_of_both_splits(tree):
    for event in (events := tree.logs[2].all("dataset_fingerprint")):
        del event["metadata"]["bytes_read"]
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "DATA07") for event in events]


@damage
def fingerprint_of_training_after_the_evaluation(tree):
    log = tree.logs[2]
    first, start = log.all("dataset_fingerprint")[0], log.all("epoch_start")[2]
    log.events.remove(first)
    first["time_ms"] = start["time_ms"]
    return [("result_2.txt", tree.inserted(start, first), "DATA08")]


@damage
def score_before_its_evaluation(tree):
    log = tree.logs[2]
    start, score = log.all("eval_start")[1], log.all("eval_accuracy")[1]
    log.events.remove(score)
    score["time_ms"] = start["time_ms"]
    return [("result_2.txt", tree.inserted(start, score), "EVL15")]


@damage
def caches_kept(tree):
    return [("result_2.txt", tree.changed("cache_clear", value=False), "LOG09")]


def test_damage(entry, exactly):
    exactly(entry)


def codes_of(tree, found):
    tree.write(2)
    return [code for _, _, code in found(tree.root)]


@pytest.mark.parametrize(
    ("name", "value", "codes"),
    [
        ("throughput", 0, ["LOG13"]),
        ("throughput", "fast", ["LOG13"]),
        ("wait_seconds", -0.1, ["LOG13"]),
        ("wait_seconds", 0, []),
        ("compute_seconds", 0, ["LOG13"]),
        ("compute_seconds", None, ["LOG13"]),
        ("loss", None, []),  # a training may diverge for a while: JSON has no NaN
    ],
)
def test_log13_statistics_are_numbers(tree, found, name, value, codes):
    tree.logs[2].all("tracked_stats")[1]["value"][name] = value
    assert codes_of(tree, found) == codes


def test_log13_statistics_come_once(tree, found):
    event = tree.logs[2].all("tracked_stats")[1]
    tree.inserted(event, dict(event))
    assert codes_of(tree, found) == ["LOG13"]


@pytest.mark.parametrize(("total", "codes"), [(1998, ["DATA07"]), (2000, []), (2002, [])])
def test_data07_bytes_have_a_floor(tree, found, total, codes):
    read = {"total": total, "least_by_rank": total // 2, "most_by_rank": total // 2}
    tree.logs[2].one("dataset_fingerprint")["metadata"]["bytes_read"] = read
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(
    ("least", "most", "codes"),
    [(2000, 2000, []), (0, 4000, []), (1999, 1999, ["DATA07"]), (2001, 2001, ["DATA07"]), (3000, 1000, ["DATA07"])],
)
def test_data07_ranks_add_up(tree, found, least, most, codes):
    read = {"total": 4000, "least_by_rank": least, "most_by_rank": most}
    tree.logs[2].one("dataset_fingerprint")["metadata"]["bytes_read"] = read
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize("least", [-1, -2])
def test_data07_bytes_are_never_below_0(tree, found, least):
    read = {"total": 4000, "least_by_rank": least, "most_by_rank": 4000}
    tree.logs[2].one("dataset_fingerprint")["metadata"]["bytes_read"] = read
    assert codes_of(tree, found) == ["DATA07"]


@pytest.mark.parametrize("read", [4000, {}, {"total": True, "least_by_rank": 0, "most_by_rank": 1}, [], {"total": 4e3}])
def test_data07_what_is_no_number_is_found(tree, found, read):
    tree.logs[2].one("dataset_fingerprint")["metadata"]["bytes_read"] = read
    assert codes_of(tree, found) == ["DATA07"]


@pytest.mark.parametrize(("beyond", "codes"), [(-1, []), (0, []), (1, ["EVL15"])])
def test_evl15_a_score_may_come_as_late_as_run_stop(tree, law, found, beyond, codes):
    from rules.edition import load

    log, limit = tree.logs[2], int(load("v1.0", law).limits.clock.stop_delay * 1000)
    score = log.all("eval_accuracy")[1]
    by = log.all("eval_stop")[1]["time_ms"] + limit + beyond - score["time_ms"]
    for event in log.events[log.events.index(score) :]:
        event["time_ms"] += by
    assert codes_of(tree, found) == codes


def test_evl15_a_score_may_come_within_its_evaluation(tree, found):
    log = tree.logs[2]
    stop, score = log.all("eval_stop")[1], log.all("eval_accuracy")[1]
    log.events.remove(score)
    score["time_ms"] = stop["time_ms"]
    tree.inserted(stop, score)
    assert codes_of(tree, found) == []


@pytest.mark.parametrize("split", ["train", "other", None, []])
@pytest.mark.parametrize(("total", "found"), [(0, [3]), (1, [])])
def test_data07_a_byte_is_read_where_no_size_is_published(logs, split, total, found):
    read = {"total": total, "least_by_rank": 0, "most_by_rank": total}
    log = logs.read(logs.event(3, "dataset_fingerprint", split=split, bytes_read=read))
    for problem in (None, SimpleNamespace(bytes={})):
        assert [f.line for f in evidence.bytes_read_suffice(log, SimpleNamespace(problem=problem), None)] == found


def in_parts(parts):
    """Terms of a benchmark with so many evaluations an epoch."""
    return SimpleNamespace(benchmark=SimpleNamespace(evaluations_per_epoch=parts))


@pytest.mark.parametrize(("line", "found"), [(4, [4]), (5, []), (6, []), (7, []), (8, [8])])
def test_data08_a_fingerprint_is_logged_from_the_end_of_the_first_epoch_to_the_start_of_the_second(logs, line, found):
    """Several programs may write into one line."""
    epochs = ((2, "start"), (5, "stop"), (7, "start"), (9, "stop"))
    proof = logs.event(line, "dataset_fingerprint", split="train")
    log = logs.read(*(logs.event(n, f"epoch_{name}") for n, name in epochs), proof)
    assert [f.line for f in evidence.fingerprints_are_of_the_first_pass(log, in_parts(1), None)] == found
    other = logs.event(1, "dataset_fingerprint", split="other")  # DATA05 says so
    log.events["dataset_fingerprint"].insert(0, other)
    assert [f.line for f in evidence.fingerprints_are_of_the_first_pass(log, in_parts(1), None)] == found


@pytest.mark.parametrize(
    ("split", "line", "found"),
    [
        ("train", 2, [2]),
        ("train", 6, [6]),
        ("train", 8, []),
        ("train", 11, [11]),
        ("validation", 4, []),
        ("validation", 8, []),
    ],
)
def test_data08_a_pass_may_have_several_parts(logs, split, line, found):
    """Two, of which each is logged as an epoch and evaluated."""
    edges = ((1, "epoch_start"), (2, "epoch_stop"), (3, "eval_stop"), (5, "epoch_start"), (7, "epoch_stop"))
    proof = logs.event(line, "dataset_fingerprint", split=split)
    log = logs.read(*(logs.event(n, name) for n, name in (*edges, (10, "epoch_start"))), proof)
    assert [f.line for f in evidence.fingerprints_are_of_the_first_pass(log, in_parts(2), None)] == found


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("throughput", -1, ("throughput -1", "a number above 0")),
        ("wait_seconds", -1, ("wait_seconds -1", "a number from 0 on")),
        ("compute_seconds", 0, ("compute_seconds 0", "a number above 0")),
    ],
)
def test_log13_tells_which_numbers_a_statistic_may_be(logs, name, value, words):
    stats = {"throughput": 1, "compute_seconds": 1, "wait_seconds": 0, "loss": 0, name: value}
    log = logs.read(logs.event(1, "tracked_stats", value=stats), logs.event(2, "epoch_stop"))
    assert [(f.found, f.wanted) for f in evidence.epochs_log_their_statistics(log, None, None)] == [words]
