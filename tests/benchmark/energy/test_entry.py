from benchmark.energy.choice import Choice
from benchmark.energy.counter import Counter
from benchmark.energy.entry import Marked, event, sources, together, unreadable
from benchmark.energy.reader import Reading


def test_sources_and_a_reading_of_two_nodes():
    fields = {"source": "rapl", "scope": "package", "device": "package-0", "wraps_at": 262143.3, "limit_watts": None}
    counter = Counter(**fields, joules=1e-6, read=lambda: 1)
    assert sources("n1", Choice((counter,), {})) == [{"node": "n1", **fields}]
    one = Marked("epoch_stop", {"epoch_num": 3}, Reading(1000, [1.0, 2.0], 0.5, {}))
    other = Marked("epoch_stop", {"epoch_num": 3}, Reading(1001, [None], 10.0004, {0: "gone"}))
    none = Marked("epoch_stop", {"epoch_num": 3}, Reading(1002, [], 0.0, {}))
    assert event([one, none, other]) == (
        {"time_ms": [1000, 1000, 1001], "joules": [1.0, 2.0, None]},
        {"moment": "epoch_stop", "epoch_num": 3, "gap_seconds": 10.0, "faults": {"2": "gone"}},
    )


def counter(*values):
    return dict(zip(("node", "source", "scope", "device", "wraps_at", "limit_watts"), values, strict=True))


def nodes_of(count, watts=lambda n, d: 700.0, devices=4):
    """The entries of nodes with a processor and GPUs."""
    return [
        [counter(f"n{n}", "rapl", "package", "package-0", 2.6e5, 500.0)]
        + [counter(f"n{n}", "nvml", "device", f"gpu-{n}-{d}", None, watts(n, d)) for d in range(devices)]
        for n in range(count)
    ]


def test_up_to_256_counters_are_told_each_by_itself():
    nodes = nodes_of(64, devices=3)
    entries, members = together(nodes)
    assert entries == [c for node in nodes for c in node] and members == [[n] for n in range(256)]


def test_more_are_told_together_by_kind_or_by_what_is_counted():
    found, members = together([*nodes_of(50), *nodes_of(2, watts=lambda n, d: 500.0, devices=8)])
    assert [(e["node"], e["scope"], e["device"], e["limit_watts"], e["counters"], e["nodes"]) for e in found] == [
        ("n0", "package", "package-0", 500.0, 50, 50),
        ("n0", "device", "gpu-0-0", 700.0, 200, 50),
        ("n0", "package", "package-0", 500.0, 2, 2),
        ("n0", "device", "gpu-0-0", 500.0, 16, 2),
    ]
    assert sorted(n for part in members for n in part) == list(range(50 * 5 + 2 * 9))
    assert members[2] == [250, 259]
    found, members = together(nodes_of(100, watts=lambda n, d: 600.0 + n))
    assert [(e["scope"], e["wraps_at"], e["limit_watts"], e["counters"], e["nodes"]) for e in found] == [
        ("package", 2.6e5, 500.0, 100, 100),
        ("device", None, 699.0, 400, 100),
    ]
    assert [len(part) for part in members] == [100, 400]
    found, _ = together([*nodes_of(100, watts=lambda n, d: 600.0 + n), *nodes_of(3, devices=2)])
    wanted = [("package", 100, 100), ("device", 400, 100), ("package", 3, 3), ("device", 6, 3)]
    assert [(e["scope"], e["counters"], e["nodes"]) for e in found] == wanted


def test_readings_of_entries_are_sums():
    nodes = [Marked("run_stop", {}, Reading(1000 + n, [1.0, 2.0], 0.5, {})) for n in range(2)]
    nodes.append(Marked("run_stop", {}, Reading(1002, [1.0, None], 0.5, {1: "gone"})))
    assert event(nodes, [[0, 2, 4], [1, 3, 5]]) == (
        {"time_ms": [1002, 1002], "earliest_ms": [1000, 1000], "joules": [3.0, None]},
        {"moment": "run_stop", "gap_seconds": 0.5, "faults": {"1": "1 of 3: gone"}},
    )
    assert event(nodes, [[n] for n in range(6)]) == event(nodes)


def test_reasons_by_node():
    assert unreadable({"a": {"cray": "x"}, "b": {}}) == {"a": {"cray": "x"}}
    many = {f"n{n}": {"cray": "x" if n else "y"} for n in range(100)}
    assert unreadable(many) == {"n0": {"cray": "y"}, "n1 and 98 more": {"cray": "x"}}
    assert len(unreadable({f"n{n}": {"cray": f"{n}"} for n in range(1000)})) == 64
