"""SYS07, SYS08 and SYS10 to SYS13: devices that contradict each other, and such as no one has."""

import pytest

from compliance.engine import judge
from rules.edition import load

damage = pytest.mark.damage
COMPUTE = load("v1.0").limits.compute


def rated(tree, share, index=2, **settings):
    """Lets the second epoch of a run compute at so much of two cores' peak."""
    log = tree.logs[index]
    if settings:
        tree.settings(index, **settings)
    flops = share * 2e12 * COMPUTE.core["float32"]
    seconds = 8 * 10**10 / flops
    start, stop = log.all("epoch_start")[1], log.all("epoch_stop")[1]
    by = start["time_ms"] + round(1000 * seconds) - stop["time_ms"]
    for event in log.events[log.events.index(stop) :]:
        event["time_ms"] += by
    stats = log.all("tracked_stats")[1]
    stats["time_ms"] = stop["time_ms"]
    stats["value"] |= {"throughput": 8 / seconds, "wait_seconds": 0.001, "compute_seconds": seconds - 0.001}
    tree.write(index)
    return log.line(stop)


def named(ranks=2, **changes):
    """The devices of one host, as a log has them."""
    return [{"host": "n1", "kind": "cpu", "name": "A processor", "ranks": ranks, "uuids": [], **changes}]


@damage
def an_epoch_that_two_cores_cannot_compute(tree):
    return [("result_2.txt", rated(tree, 1.2), "SYS07")]


@damage
def accelerators_beside_a_processor(tree):
    lines = [tree.changed("accelerators_per_node", index, value=4) for index in range(5)]
    tree.described(accelerators_per_node="4")
    return [(f"result_{i}.txt", line, "SYS08") for i, line in enumerate(lines)]


@damage
def cuda_without_accelerators(tree):
    for index in range(5):
        tree.settings(index, device="cuda")
    line = tree.logs[0].line(tree.logs[0].one("accelerators_per_node"))
    return [(f"result_{i}.txt", line, "SYS08") for i in range(5)]


@damage
def a_second_host(tree):
    other = named(1)[0] | {"host": "n2"}
    line = tree.changed("devices", value=[*named(1), other])
    return [("result_2.txt", line, "SYS10")]


@damage
def one_run_on_another_model(tree):
    line = tree.changed("devices", value=named(name="A faster one"))
    return [("result_2.txt", line, "SYS11")]


@damage
def another_model_than_described(tree):
    lines = [tree.changed("devices", index, value=named(name="A faster one")) for index in range(5)]
    return [("result_0.txt", lines[0], "SYS12")]


@damage
def more_nodes_than_ranks(tree):
    lines = [tree.changed("number_of_nodes", index, value=3) for index in range(5)]
    tree.described(number_of_nodes="3")
    return [(f"result_{i}.txt", line, "SYS13") for i, line in enumerate(lines)]


def test_damage(entry, exactly):
    exactly(entry)


@pytest.mark.parametrize(("share", "severity"), [(0.85, None), (0.95, "review"), (1.05, "error")])
def test_sys07_a_high_share_is_for_people(tree, law, share, severity):
    rated(tree, share)
    found = [(f.code, f.severity) for f in judge([tree.root], rules=law).findings]
    assert found == ([("SYS07", severity)] if severity else [])


@pytest.mark.parametrize(("tflops", "codes"), [(0.5, []), (0.1, ["SYS07"]), (1e9, [])])
def test_sys07_what_the_settings_declare_counts_up_to_the_limit(tree, law, tflops, codes):
    """At 0.6 of two cores' peak: 0.72 of 1.2 in 10^12 FLOP/s, and a rank of two declares its own."""
    for index in range(5):
        tree.settings(index, peak_tflops=tflops)
    rated(tree, 0.6)
    assert [f.code for f in judge([tree.path(2)], rules=law).findings] == codes


def test_sys07_nobody_declares_more_than_there_is(tree, law):
    for index in range(5):
        tree.settings(index, peak_tflops=1e9)
    rated(tree, 1.2)
    assert [f.code for f in judge([tree.path(2)], rules=law).findings] == ["SYS07"]


@pytest.mark.parametrize(("number", "codes"), [(2, []), (3, []), (1, ["SYS08"]), (0, ["SYS08"])])
def test_sys08_an_accelerator_for_each_rank(tree, found, number, codes):
    """Two ranks on a node."""
    tree.settings(2, device="cuda")
    tree.changed("accelerators_per_node", value=number)
    tree.changed("devices", value=named(kind="cuda", uuids=["a", "b"]))
    assert [code for _, _, code in found(tree.path(2))] == codes


@pytest.mark.parametrize(("nodes", "codes"), [(1, []), (2, []), (3, ["SYS13"]), (1 << 70, ["SYS13"])])
def test_sys13_two_ranks_are_on_two_nodes_at_most(tree, found, nodes, codes):
    """Each rank on a host of its own, where there are several."""
    tree.changed("number_of_nodes", value=nodes)
    tree.changed("devices", value=named() if nodes == 1 else named(1) + named(1, host="n2"))
    assert [code for _, _, code in found(tree.path(2))] == codes


@pytest.mark.parametrize("device", [0, None, [], {}])
def test_sys08_a_device_has_a_name(tree, found, device):
    tree.settings(2, device=device)
    assert [code for _, _, code in found(tree.path(2))] == ([] if device is None else ["SYS08"])


def test_sys07_throughput_alone_has_a_limit_too(study, law):
    log = study.logs[6]
    for event in (*log.all("tracked_stats"), log.one("throughput")):
        event["value"] |= {"throughput": 4000.0, "step_seconds": 0.001}
    study.write(6)
    assert {f.code for f in judge([study.path(6)], rules=law).findings} == {"SYS07"}


@pytest.mark.parametrize(
    ("devices", "codes"),
    [
        (named(), []),
        (named(1) + named(1, name="Another"), []),
        (named(1), ["SYS10"]),
        (named(3), ["SYS10"]),
        (named(kind="cuda", uuids=["a", "b"]), ["SYS10"]),
        ([], ["SYS10"]),
        ([7], ["SYS10"]),
        (named(host=""), ["SYS10"]),
        (named(ranks=True), ["SYS10"]),
        (named(uuids=[{}]), ["SYS10"]),
        ("one", ["LOG06"]),
    ],
)
def test_sys10_devices_are_of_all_ranks(tree, found, devices, codes):
    tree.changed("devices", value=devices)
    assert [code for _, _, code in found(tree.path(2))] == codes


@pytest.mark.parametrize(("uuids", "codes"), [(["a", "b"], []), (["a", "a"], ["SYS10"]), (["a"], ["SYS10"])])
def test_sys10_accelerators_are_told_apart(tree, found, uuids, codes):
    tree.settings(2, device="cuda")
    tree.changed("accelerators_per_node", value=2)
    tree.changed("devices", value=named(kind="cuda", uuids=uuids))
    assert [code for _, _, code in found(tree.path(2))] == codes


def test_sys11_runs_may_be_on_other_hosts(tree, found):
    tree.changed("devices", value=named(host="n7"))
    assert found(tree.root) == []


def test_sys12_names_that_differ_by_case_are_the_same(tree, found):
    tree.described(host_processor_model_name="a PROCESSOR")
    assert found(tree.root) == []
