"""Devices as a log names them, and their peak."""

import re
from dataclasses import replace

import pytest

from compliance.reading.devices import MOST, Group, described_cores, devices_of, expanded, groups_of
from rules.edition import load
from tests.support.sides import sides

COMPUTE = load("v1.0").limits.compute


@pytest.fixture
def devices(logs):
    def of(precision="float32", ranks=4, nodes=2, named=None, cores=None, said=None, limits=COMPUTE, **settings):
        keys = {
            "number_of_ranks": ranks,
            "number_of_nodes": nodes,
            "precision": precision,
            "hyperparameters": said or settings,
        }
        one = {"host": "n1", "name": "one", "ranks": 1, "uuids": []}
        keys |= {} if named is None else {"devices": [{**one, "kind": kind} for kind in named]}
        return devices_of(logs.read(*(logs.event(1, key, value=value) for key, value in keys.items())), limits, cores)

    return of


@pytest.mark.parametrize(("device", "kind", "number"), [("cpu", "core", 32), ("cuda", "accelerator", 4)])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_cores_are_threads_of_all_ranks_accelerators_one_a_rank(devices, device, kind, number, precision):
    found = devices(precision, device=device, threads=8)
    assert (found.kind, found.number) == (kind, number)
    assert found.peak == 1e12 * number * getattr(COMPUTE, kind)[precision]


@pytest.mark.parametrize(
    ("threads", "cores", "number"),
    [
        *((8, None, 32), (8, 4, 8), (8, 99, 32), (None, 4, 8), (1, 4, 4)),
        (None, 10**9, 2 * COMPUTE.cores_per_node),
        *((unknown, None, 2 * COMPUTE.cores_per_node) for unknown in (0, None, -1, True, 10**9, "many")),
    ],
)
def test_threads_count_up_to_the_cores_of_the_described_nodes(devices, threads, cores, number):
    assert devices(device="cpu", threads=threads, cores=cores).number == number


@pytest.mark.parametrize(
    ("described", "cores"),
    [
        ({"host_processor_core_count": "64", "host_processor_vcpu_count": "256", "host_processors_per_node": "2"}, 512),
        ({"host_processor_vcpu_count": 2}, 2),
        ({"host_processors_per_node": 2}, None),
        ({"host_processor_core_count": "many"}, None),
    ],
)
def test_a_description_counts_cores_in_four_ways(described, cores):
    assert described_cores(described) == cores


@pytest.mark.parametrize(
    ("named", "kind", "number"),
    [
        (["cpu", "cpu"], "core", 2 * COMPUTE.cores_per_node),
        (["rocm"], "accelerator", 4),
        (["rocm", "cpu"], "accelerator", 4),
    ],
)
def test_without_a_setting_the_devices_of_the_log_say_what_computes(devices, named, kind, number):
    found = devices(named=named)
    assert (found.kind, found.number) == (kind, number)
    assert devices(named=named, device="cpu").kind == "core"  # the setting, which SYS10 compares with them
    assert devices() is devices(named=[]) is None


@pytest.mark.parametrize(
    ("declared", "peak"),
    [(10, 40e12), (0.125, 0.5e12), (1e9, 4e12 * 2200), (0, 4e12 * 2200), (-1, 4e12 * 2200), ("x", 4e12 * 2200)],
)
def test_a_declared_peak_counts_up_to_the_limit(devices, declared, peak):
    assert devices(device="cuda", peak_tflops=declared).peak == peak


def test_an_unknown_precision_has_the_highest_known_rate(devices):
    assert devices("float8", device="cuda").peak == 4e12 * 18000
    none = replace(COMPUTE, core={}, accelerator={})
    assert devices(device="cpu", threads=8, limits=none).peak == 0
    assert devices(device="cuda", peak_tflops=5, limits=none).peak == 0


@pytest.mark.parametrize(
    ("name", "value", "known"),
    sides(
        *((name, [1, (1 << 32) - 1], [0, 1 << 32, "2"]) for name in ("ranks", "nodes")),
        ("precision", ["float32"], [None]),
        ("device", ["cpu"], [0]),
        ("said", [], [7]),
    ),
)
def test_ranks_and_nodes_are_below_two_to_the_32(devices, name, value, known):
    assert (devices(**{"device": "cuda", "threads": 1, name: value}) is not None) == known


GROUP = {"host": "n1", "kind": "cuda", "name": "X", "ranks": 1, "uuids": ["u"]}


@pytest.mark.parametrize(
    ("name", "value", "known"),
    sides(("ranks", [1], [0]), ("host", ["n1"], [" "]), ("name", ["X"], [7]), ("uuids", [["u"], []], [[7]])),
)
def test_groups_of_devices_are_whole_or_none(name, value, known):
    one = {**GROUP, name: value}
    assert groups_of([one]) == ([Group("n1", "cuda", "X", 1, tuple(one["uuids"]))] if known else None)
    assert groups_of([]) is groups_of({}) is groups_of([GROUP, 7]) is None


HOSTS = [f"n{n}" for n in range(1025)]
EQUAL = {"hosts": HOSTS, "kind": "cuda", "name": "X", "ranks": 4, "distinct": 4100}


@pytest.mark.parametrize(
    ("name", "value", "known"),
    sides(
        ("hosts", [HOSTS, HOSTS[1:], ["n[0-1024]"], ["n[0-1023]"], ["n[0-131071]"]], []),  # 1,025 with the other host
        ("hosts", [], [HOSTS[2:], ["n[0-1022]"]]),  # 1,024 are told one by one
        ("hosts", [], [[], [*HOSTS, "n0"], [*HOSTS, ""], ["n[0-1024]", "n7"], ["n[0-131072]"], ["n[0-1024"]]),
        ("distinct", [0, 4100], [4101, -1, True]),  # 0: SYS10 says so, or they are processors
    ),
)
def test_equal_hosts_of_a_large_machine_are_told_together(name, value, known):
    item = {**EQUAL, "distinct": 0, name: value}
    found = groups_of([item, GROUP | {"host": "login"}])
    assert (found is not None) is known
    if known:
        hosts = expanded(item["hosts"])
        assert [group.host for group in found] == [*hosts, "login"]
        assert sum(group.ranks for group in found) == 4 * len(hosts) + 1
        assert sum(group.distinct for group in found) == item["distinct"]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["n]"], "found 'n]'"),
        (["n[2-1]"], "found 'n[2-1]', wanted at most 131072 names, the first before the last"),
        (["n[1-1]"], "found 'n[1-1]'"),
        (["n[1-02]"], "found 'n[1-02]'"),
        (["n[\u0661-\u0662]"], "found 'n["),
        ([f"n[1-{MOST + 1}]"], "found 'n[1-131073]', wanted at most 131072 names"),
        (["n[1-100000]", "m[1-100000]"], "found 'm[1-100000]', wanted at most 31072 names"),
        (["n"] * (MOST + 1), "found more than 131072 hosts"),
        (["n" * 251 + "[1-2]"], "found 'nnnn"),
    ],
)
def test_other_texts_are_refused(texts, found):
    with pytest.raises(ValueError, match=f"^{re.escape(found)}"):
        expanded(texts)
    assert expanded(["n" * 250 + "[1-2]"]) == ["n" * 250 + "1", "n" * 250 + "2"]


def test_so_many_hosts_are_read():
    """A short line cannot stand for hosts without end, nor can several."""
    assert len(expanded([f"n[1-{MOST}]"])) == len(expanded(["n"] * MOST)) == MOST
    items = [{**EQUAL, "hosts": [f"{letter}[00001-43690]"], "distinct": 0} for letter in "abcd"]
    assert len(groups_of(items[:3])) == 131_070 and groups_of(items) is None
