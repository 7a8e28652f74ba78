import sys

import pytest

from benchmark.energy import choice
from benchmark.energy.choice import REHEARSAL, choose


def scopes(found):
    return [(c.source, c.device) for c in found.counters]


@pytest.fixture
def machine(sysfs, monkeypatch):
    """A machine whose sysfs tests write, without libraries for GPUs."""
    sysfs.root.mkdir()
    monkeypatch.setattr(choice, "SYSFS", sysfs.root)
    for name in ("pynvml", "amdsmi"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    return sysfs


@pytest.mark.parametrize(
    ("counters", "gpus", "wanted", "unreadable"),
    [
        (("package", "cray"), ["a"], [("cray", "node")], set()),  # the node's comes before those of its parts
        (("package",), [], [("rapl", "package-0")], {"cray"}),
        (("package",), ["a"], [("rapl", "package-0")], {"cray", "nvml", "amdsmi"}),
        ((), [], [], {"cray", "rapl"}),  # nothing is estimated
    ],
)
def test_what_is_there_is_read_and_what_is_not_is_said(machine, counters, gpus, wanted, unreadable):
    for name in counters:
        machine.cray() if name == "cray" else machine.package(0)
    found = choose(gpus, {})
    assert (scopes(found), set(found.unreadable), found.rehearsal) == (wanted, unreadable, False)
    assert found.unreadable.get("cray", "no such file or directory") == "no such file or directory"


def test_switched_off(machine):
    machine.cray()
    assert choose(["a"], {"ENERGY_COUNTERS": "off"}) == choice.Choice((), {"all": "ENERGY_COUNTERS is off"})
    assert len(choose(["a"], {"ENERGY_COUNTERS": "on"}).counters) == 1


def test_gpus_are_added(machine, monkeypatch):
    machine.package(0)
    gpu = choice.Counter("nvml", "device", "a", 1e-3, lambda: 1)
    monkeypatch.setattr("benchmark.energy.gpus.nvidia", lambda uuids: [gpu])
    assert scopes(choose(["a"], {})) == [("rapl", "package-0"), ("nvml", "a")]


def test_a_rehearsal_says_so_and_takes_no_gpu_of_the_machine(machine, tmp_path):
    elsewhere = type(machine)(tmp_path / "stand-in")
    elsewhere.package(0)
    found = choose(["a"], {REHEARSAL: str(elsewhere.root)})
    assert found.rehearsal and scopes(found) == [("rapl", "package-0")] and "nvml" not in found.unreadable
