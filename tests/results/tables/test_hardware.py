"""What a system is made of, as its description says."""

from types import SimpleNamespace

import pytest

from results.tables.hardware import LONGEST, cell

A100 = {"accelerators_per_node": "8", "accelerator_model_name": "NVIDIA A100", "host_processors_per_node": 2}


def told(**description):
    found = cell(SimpleNamespace(judged=SimpleNamespace(description=description)))
    return [found.text, found.below]


def test_a_node_has_accelerators_and_processors():
    d = A100 | {"host_processor_model_name": "EPYC 7742", "framework": "PyTorch  2.1"}
    assert told(**d) == ["8 x NVIDIA A100", "2 x EPYC 7742 · PyTorch 2.1"]


@pytest.mark.parametrize("none", ["", "N/A", "-", "0", None])
def test_without_accelerators_the_processors_stand_first(none):
    d = {"host_processors_per_node": "1", "host_processor_model_name": "A64FX", "accelerator_model_name": none}
    assert told(**d) == ["1 x A64FX", ""]


def test_what_is_no_text_or_too_long_is_left_out():
    assert told() == told(accelerator_model_name=["A"], framework={"a": 1}, host_processor_model_name=True) == ["-", ""]
    assert told(accelerator_model_name="A" * 99)[0] == "A" * LONGEST
    assert told(accelerator_model_name="A", accelerators_per_node="many")[0] == "A"
