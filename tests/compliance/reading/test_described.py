"""A description against what a run found: what is held against it, and what is not."""

import pytest
from compliance_test_environments import NODE

from compliance.reading.described import capacity, contradictions
from compliance.reading.environment import Environment, Kind


def found(description, apart=0.1, **node):
    environment = Environment({}, (Kind(("n1",), {**NODE, **node}),))
    return list(contradictions(environment, description, apart))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1536 GiB", 1536 * 2**30),
        ("1.5 TB", 1.5e12),
        ("81559 MiB", 81559 * 2**20),
        ("80GB of HBM", 80e9),
        ("3 mb", 3e6),
        ("2 TiB", 2048 * 2**30),
        ("GiB", None),
        ("9" * 400 + " GiB", None),
        (80, None),
    ],
)
def test_capacities(text, size):
    assert capacity(text) == size


def test_what_is_said_otherwise():
    accelerators = [{"name": "X", "memory.total": "81559 MiB"}]
    assert found({"accelerator_memory_capacity": "80 GiB"}, accelerators=accelerators) == []
    told = found({"accelerator_memory_capacity": "141 GiB"}, accelerators=accelerators)
    assert told == [("accelerator memory of 79.65 GiB", "accelerator_memory_capacity 141 GiB")]
    assert found({"host_processor_core_count": "4"}) == [("cores 2", "host_processor_core_count 4")]
    assert found({"framework": "JAX"}) == [("PyTorch 2.13.0", "framework JAX")]


@pytest.mark.parametrize(("gib", "told"), [(23.9, True), (24, False), (40, False), (40.1, True)])
def test_memory_may_differ_by_a_share_of_the_described(gib, told):
    found_otherwise = [(f"memory of {gib} GiB", "host_memory_capacity 32 GiB")]
    assert found({"host_memory_capacity": "32 GiB"}, 0.25, memory={"gib": gib}) == (found_otherwise if told else [])


@pytest.mark.parametrize("value", [None, 7, [], {}, "", " ", "\ud800", "9" * 5000])
def test_what_says_nothing_is_not_held_against_it(value):
    names = ("host_processors_per_node", "host_memory_capacity", "accelerator_memory_capacity")
    assert found(dict.fromkeys(names, value)) == [] or value == 7
    assert found({}, processors=None, memory=None, torch=None, operating_system=None, accelerators=[7]) == []


@pytest.mark.parametrize(
    ("said", "other"), [("processor", False), ("The A-Processor 9", False), ("A processor", False), ("B", True)]
)
def test_one_name_may_be_part_of_the_other(said, other):
    told = [("processor A processor", f"host_processor_model_name {said}")]
    assert found({"host_processor_model_name": said}, processors={"model": "A processor"}) == (told if other else [])


def test_the_first_accelerator_of_a_node_is_compared():
    accelerators = [{"memory.total": "80 GiB"}, {"memory.total": "7 GiB"}]
    assert found({"accelerator_memory_capacity": "80 GiB"}, accelerators=accelerators) == []
    (told,) = found({"accelerator_memory_capacity": "80 GiB"}, accelerators=accelerators[::-1])
    assert told[0] == "accelerator memory of 7 GiB"
