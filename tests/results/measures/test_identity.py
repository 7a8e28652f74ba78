"""Which set it is: its range of ranks, its hardware and software."""

from results.measures.registry import MEASURES


def test_hardware_and_software_are_as_described(results):
    (r,) = results
    assert MEASURES["accelerator"].get(r) == "A" and MEASURES["accelerators_per_node"].get(r) == 4
    assert MEASURES["processors_per_node"].get(r) == "2"
    assert MEASURES["processor"].get(r) is MEASURES["software"].get(r) is None
