import dataclasses

import pytest


@pytest.mark.parametrize(("field", "value"), [("kernel", 4), ("side", 20), ("format", "hdf"), ("blocks", 0)])
def test_a_problem_that_cannot_be_is_refused(mini, field, value):
    with pytest.raises(ValueError, match=f"{field if field != 'blocks' else 'side'}: found"):
        dataclasses.replace(mini, **{field: value})
