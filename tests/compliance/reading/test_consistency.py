"""Facts of one manifest against each other: from both sides, and what is not compared."""

import pytest

from compliance.reading.consistency import at_odds
from compliance.reading.environment import Environment, Kind
from tests.compliance.environments import NODE, RUN

BUILT = "PyTorch built with:\n  - CPU capability usage: {}\n  - Build settings: USE_CUDA={}, USE_MKL=ON"


def built(version="2.13.0+cpu", used="AVX2", cuda="0"):
    return {"version": version, "settings": BUILT.format(used, cuda)}


def lscpu(name, architecture="x86_64"):
    return {"Architecture": architecture, "Model name": name}


def online(processors):
    return {"On-line CPU(s) list": processors}


def ranks(number):
    return {"ranks": number, "ranks_per_node": 8}


WIDE = {"processor": "AVX512"}
CPU_BUILD = "torch 2.13.0+cpu, wanted a build with CUDA, by its settings"


def found(launcher=RUN["launcher"], numa_gib=24, **node):
    """What contradicts what, in a node that is changed: its vectors are of AVX-512."""
    kinds = (Kind(("n1",), {**NODE, "torch": built(used="AVX512"), **node}),)
    environment = Environment({**RUN, "launcher": launcher}, kinds, numa_gib)
    return [f"{said}, wanted {wanted}" for said, wanted in at_odds(environment, 0.25)]


@pytest.mark.parametrize(
    ("name", "fits", "contradicts", "told"),
    [
        ("share", {"processors": 2}, {"processors": 3}, "processors of the share 3, wanted at most 2, by processors"),
        ("backends", {"threads": 2}, {"threads": 64}, "threads of the backends 64, wanted at most 2, by processors"),
        ("launcher", ranks(8), ranks(1), "ranks per node 8, wanted at most 1, by ranks"),
        ("numa_gib", 30.0, 30.1, "GiB of NUMA nodes 30.1, wanted at most 30, by memory"),
        ("lscpu", lscpu("A processor"), lscpu("B"), "processor A processor, wanted B, by lscpu"),
        ("lscpu", online("4-5"), online("0,2-5,9"), "processors 2 online, wanted 6 online, by lscpu"),
        ("backends", WIDE, {"processor": "AVX2"}, "vectors of the backends AVX2, wanted AVX512, by torch"),
        ("torch", built("2.13.0+cu1", cuda="ON"), built(cuda="ON"), CPU_BUILD),
    ],
)
def test_facts_fit_each_other(name, fits, contradicts, told):
    assert found(**{name: fits}) == []
    assert found(**{name: contradicts}) == [told]


@pytest.mark.parametrize(
    "node",
    [
        dict.fromkeys(NODE),
        {"torch": {"version": 2, "settings": None}, "backends": {"processor": "SVE256", "threads": "many"}},
        {"torch": built(used="NO AVX"), "backends": {"processor": "DEFAULT"}},
        {"lscpu": lscpu("Neoverse-V2", "aarch64")},
        {"lscpu": online("0-f")},
        {"lscpu": online("9" * 9)},
        {"lscpu": online(8)},
        {"share": {}, "memory": {"gib": "24"}},
    ],
)
def test_what_is_not_told_contradicts_nothing(node):
    assert found(**node) == found(launcher=None, **node) == []
