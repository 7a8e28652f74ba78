"""Facts of one manifest against each other: from both sides, and what is not compared."""

import pytest

from compliance.reading.consistency import at_odds
from compliance.reading.environment import Environment, Kind
from tests.compliance.environments import NODE, RUN

BUILT = "PyTorch built with:\n  - CPU capability usage: {}\n  - Build settings: USE_CUDA={}, USE_MKL=ON"


def found(launcher=RUN["launcher"], numa_gib=24, **node):
    environment = Environment({**RUN, "launcher": launcher}, (Kind(("n1",), {**NODE, **node}),), None, numa_gib)
    return [f"{said}, wanted {wanted}" for said, wanted in at_odds(environment, 0.25)]


def built(version="2.13.0+cpu", used="AVX2", cuda="0"):
    return {"version": version, "settings": BUILT.format(used, cuda)}


def lscpu(name, architecture="x86_64"):
    return {"Architecture": architecture, "Model name": name}


@pytest.mark.parametrize(
    ("fits", "contradicts", "told"),
    [
        (
            {"share": {"processors": 2}},
            {"share": {"processors": 3}},
            "processors of the share 3, wanted at most 2, by processors",
        ),
        (
            {"backends": {"threads": 2}},
            {"backends": {"threads": 64}},
            "threads of the backends 64, wanted at most 2, by processors",
        ),
        (
            {"launcher": {"ranks": 8, "ranks_per_node": 8}},
            {"launcher": {"ranks": 1, "ranks_per_node": 8}},
            "ranks per node 8, wanted at most 1, by ranks",
        ),
        ({"numa_gib": 30.0}, {"numa_gib": 30.1}, "GiB of NUMA nodes 30.1, wanted at most 30, by memory"),
        ({"lscpu": lscpu("A processor")}, {"lscpu": lscpu("B")}, "processor A processor, wanted B, by lscpu"),
        (
            {"torch": built(used="AVX512"), "backends": {"processor": "AVX512"}},
            {"torch": built(used="AVX512"), "backends": {"processor": "AVX2"}},
            "vectors of the backends AVX2, wanted AVX512, by torch",
        ),
        (
            {"torch": built("2.13.0+cu130", cuda="ON")},
            {"torch": built(cuda="ON")},
            "torch 2.13.0+cpu, wanted a build with CUDA, by its settings",
        ),
    ],
)
def test_facts_fit_each_other(fits, contradicts, told):
    assert found(**fits) == []
    assert found(**contradicts) == [told]


@pytest.mark.parametrize(
    "node",
    [
        dict.fromkeys(NODE),
        {"torch": {"version": 2, "settings": None}, "backends": {"processor": "SVE256", "threads": "many"}},
        {"torch": built(used="NO AVX"), "backends": {"processor": "DEFAULT"}},
        {"lscpu": lscpu("Neoverse-V2", "aarch64")},
        {"share": {}, "memory": {"gib": "24"}},
    ],
)
def test_what_another_framework_or_machine_does_not_tell_contradicts_nothing(node):
    assert found(**node) == found(launcher=None, **node) == []
