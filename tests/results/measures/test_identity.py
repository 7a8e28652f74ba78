"""Which set it is: its range of ranks, its hardware and software."""

from results.measures.registry import MEASURES


def test_hardware_and_software_are_as_described(results):
    (r,) = results
    assert MEASURES["accelerator"].get(r) == "A" and MEASURES["accelerators_per_node"].get(r) == 4
    assert MEASURES["processors_per_node"].get(r) == "2"
    assert MEASURES["processor"].get(r) is MEASURES["software"].get(r) is None


def test_a_set_is_named_as_logged(results):
    (r,) = results
    named = [MEASURES[name].get(r) for name in ("benchmark", "problem", "scaling", "division", "org", "system")]
    assert named == ["scaffold", "smoke", "strong", "closed", "acme", "box"]
