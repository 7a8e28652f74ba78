import dataclasses

import pytest


@pytest.mark.parametrize(
    ("field", "value"),
    [("kernel", 4), ("side", 20), ("side", 0), ("format", "hdf"), ("blocks", 0), ("train_samples", 0)],
)
def test_a_problem_that_cannot_be_is_refused(mini, field, value):
    with pytest.raises(ValueError, match=f"{field if field != 'blocks' else 'side'}: found"):
        dataclasses.replace(mini, **{field: value})


def test_a_universe_has_a_side_that_its_waves_can_have(mini):
    with pytest.raises(ValueError, match="side: found 24, wanted 4, 8, 16"):
        dataclasses.replace(mini, side=24, blocks=3)
    assert dataclasses.replace(mini, side=24, blocks=3, universe=None).side == 24
