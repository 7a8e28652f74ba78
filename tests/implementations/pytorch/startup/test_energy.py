"""A run that reads counters, files in their place, to the end. And the way of what other nodes read."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmark.energy.choice import REHEARSAL
from benchmark.energy.counter import Counter
from benchmark.energy.reader import Reader
from benchmark.log import Event
from implementations.pytorch.startup.energy import EnergyMeter
from tests.support.lines import of

WATTS = (120, 80)


@contextmanager
def moving(root: Path):
    """Two packages below a folder like sysfs, which draw WATTS as long as this lasts, from just below their range."""
    start, done = time.monotonic(), threading.Event()

    def put(name: str, text: object) -> None:
        path = root / "class" / "powercap" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(f"{text}\n")
        os.replace(path.with_suffix(".new"), path)

    def move() -> None:
        while not done.wait(0.005):
            for index, watts in enumerate(WATTS):
                count = 262_143_328_850 - 50_000_000 + round(watts * 1e6 * (time.monotonic() - start))
                put(f"intel-rapl:{index}/energy_uj", count % 262_143_328_850)

    for index in range(len(WATTS)):
        for name, text in (("name", f"package-{index}"), ("max_energy_range_uj", 262_143_328_850), ("energy_uj", 0)):
            put(f"intel-rapl:{index}/{name}", text)
    thread = threading.Thread(target=move)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.fixture(scope="module")
def counting(tmp_path_factory) -> Iterator[dict[str, str]]:
    """The environment of runs that read such files."""
    root = tmp_path_factory.mktemp("sys")
    with moving(root):
        yield {REHEARSAL: str(root)}


@pytest.fixture(scope="module")
def found(tiny, counting, tmp_path_factory) -> list[Event]:
    """The events of such a run."""
    return tiny.ran(tmp_path_factory.mktemp("energy") / "result_0.txt", env=counting)


def test_source_is_the_same_for_every_kind_of_run_with_counters(tiny, counting, found, tmp_path):
    """In the head, by which it is registered, in a run and in a measurement of steps. A run without counters does not
    load what reads them."""
    head = {e.key: e for e in tiny.ran(tmp_path / "head.txt", "--head", env=counting)}
    steps = {e.key: e for e in tiny.ran(tmp_path / "steps.txt", "--steps", "1", env=counting)}
    (source,) = of(found, "source")
    assert head["source"].value == steps["source"].value == source.value
    assert "energy_sources" in head and "energy_sources" not in steps
    (plain,) = of(tiny.ran(tmp_path / "plain.txt", "--head"), "source")
    assert source.metadata["files"].keys() - plain.metadata["files"].keys() == {
        "benchmark/energy/entry.py",
        "benchmark/energy/reader.py",
        "benchmark/energy/total.py",
        "implementations/pytorch/startup/energy.py",
    }


def test_a_run_reads_its_counters_at_every_edge(found):
    (sources,) = of(found, "energy_sources")
    assert [(s["source"], s["scope"], s["device"]) for s in sources.value] == [
        ("rapl", "package", f"package-{i}") for i in (0, 1)
    ]
    assert sources.metadata["rehearsal"] is True
    assert list(*sources.metadata["unreadable"].values()) == ["cray"]
    readings = of(found, "energy_reading")
    moments = [(e.metadata["moment"], e.metadata.get("epoch_num")) for e in readings]
    edges = [e for e in found if e.key.startswith(("run_", "epoch_", "eval_st"))]
    assert moments == [(e.key, e.metadata.get("epoch_num") if e.key[0] == "e" else None) for e in edges]
    first, last = readings[0].value, readings[-1].value
    seconds = (last["time_ms"][0] - first["time_ms"][0]) / 1000
    assert [j / seconds for j in last["joules"]] == pytest.approx(WATTS, rel=0.2)


MEMBERS = [[0], [1]]  # each counter is an entry of its own


def test_what_nodes_read_comes_together():
    """Of three ranks of two nodes: this is the first, and the last one read the second node's counter."""
    written, counter = [], Counter("rapl", "package", "p", 1.0, iter(range(100)).__next__)
    log = SimpleNamespace(event=lambda key, value, **more: written.append((value["joules"], more["moment"])))
    layout = SimpleNamespace(gather=lambda mine: [mine, rank.marked, other.marked])
    meter, other = (EnergyMeter(Reader([counter]), layout, MEMBERS, log) for _ in range(2))
    rank = EnergyMeter(None, layout, MEMBERS, log)
    for moment in ("init_stop", "run_start", "epoch_start"):
        for one in (meter, other, rank):
            one.at(moment, {"samples_count": 3})
    meter.write()
    assert written == [([0.0, 0.0], "run_start"), ([2.0, 2.0], "epoch_start")]
    assert rank.marked == [] and meter.marked == []


def test_ranks_that_read_nothing_write_nothing():
    EnergyMeter(None, SimpleNamespace(gather=lambda mine: [mine]), [[0]], None).finish()
