import dataclasses

import pytest


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("height", 100, "height: found 100, wanted a multiple of 16"),
        ("divisor", 3, "divisor: found 3, wanted 1, 2, 4 or 8"),
        ("middle", 0, "middle: found 0, wanted at least 1"),
    ],
)
def test_impossible_problems_are_refused(tiny, field, value, said):
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(tiny, **{field: value})
