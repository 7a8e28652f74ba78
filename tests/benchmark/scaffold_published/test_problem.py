import dataclasses

import pytest

from benchmark.problem import load_problem


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"instances": 145}, "instances: found 145, wanted a multiple of 3"),
        ({"train_samples": 55}, "found 55 and 24, wanted 56 and 24, as there are 80 volumes"),
        (
            {"train_samples": 80, "validation_percent": 0, "validation_samples": 0},
            "validation_samples: found 0, wanted",
        ),
        ({"bottleneck": 4}, "bottleneck: found 4, wanted 0 to 3"),
    ],
)
def test_a_wrong_definition_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(load_problem("published4"), **change)
