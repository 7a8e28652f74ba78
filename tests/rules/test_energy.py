import pytest

from rules.energy import SCOPES, Energy

WATTS = dict.fromkeys(SCOPES, 1000)


@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ((1.0, 1.2, {"node": 1}), "watts of node, module, device, package"),
        ((1.0, 1.2, {**WATTS, "rack": 1}), "watts of node, module, device, package"),
        ((0, 1.2, WATTS), "positive limits"),
        ((1.0, -1, WATTS), "positive limits"),
        ((1.0, 1.2, {**WATTS, "node": 0}), "positive limits"),
    ],
)
def test_limits_are_positive_and_of_every_scope(limits, wanted):
    with pytest.raises(ValueError, match=f"wanted {wanted}"):
        Energy(*limits)


def test_the_longest_gap_is_a_share_of_a_long_run():
    limits = Energy(1.0, 1.2, WATTS, gap=60, gap_share=0.1)
    lengths = (10, 120, 300, 600, 1200)
    assert [limits.longest_gap(seconds) for seconds in lengths] == [5, 60, 60, 60, 120]
    bare = Energy(1.0, 1.2, WATTS)
    assert bare.longest_gap(1000) == 500 and bare.conversion == (0, 1)
