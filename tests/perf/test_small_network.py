"""The small network sees what it says, and both networks have the same processor seconds."""

import pytest
import torch

from perf.small_network import FIELD, Epoch, Small, by_then, compete, summary


def test_a_voxel_depends_on_its_field_alone():
    torch.manual_seed(0)
    model = Small(3).double()
    x = torch.randn(1, 1, 13, 13, 13, dtype=torch.float64, requires_grad=True)
    model(x)[0, :, 6, 6, 6].square().sum().backward()
    seen = x.grad[0, 0].abs() > 0
    reach = FIELD // 2
    assert seen[6 - reach : 7 + reach, 6 - reach : 7 + reach, 6 - reach : 7 + reach].sum() == seen.sum()
    assert seen[6 - reach].any() and seen[:, 6 + reach].any()


class Side:
    """One whose epochs take so long and reach so much, by a clock of its own making."""

    now = 0.0

    def __init__(self, name, seconds, scores):
        self.name, self.seconds, self.scores, self.epochs = name, seconds, iter(scores), []

    def epoch(self):
        Side.now += self.seconds
        return next(self.scores)


def competition(scores, limit=float("inf")):
    reference, small = Side("reference", 10, scores), Side("small", 4, [0.1 * i for i in range(9)])
    met = compete(reference, small, 0.95, limit, lambda: Side.now)
    return reference, small, met


def test_the_small_one_gets_the_seconds_that_the_reference_needed(capsys):
    reference, small, met = competition([0.5, 0.96])
    assert met == 20 and len(reference.epochs) == 2
    assert [e.seconds for e in small.epochs] == [4, 8, 12, 16, 20]
    order = "".join(line.split()[0][0] for line in capsys.readouterr().out.splitlines())
    assert order == "rsssrss"  # whoever has used less goes next
    assert summary(reference, small, 0.95, met) == [
        "reference reached 0.95 after 20.0 processor seconds",
        "small had 0.4000 by then, 0.4000 after 20.0",
    ]


def test_both_end_at_the_limit():
    reference, small, met = competition([0.5, 0.6, 0.7], limit=15)
    assert met is None and len(reference.epochs) == 2 and len(small.epochs) == 4
    assert summary(reference, small, 0.95, met)[0] == "reference had 0.5000 after 16.0 processor seconds, target 0.95"


@pytest.mark.parametrize(("seconds", "dice"), [(3, 0.0), (4, 0.2), (100, 0.3)])
def test_what_was_had_by_then_is_the_best_so_far(seconds, dice):
    side = Side("small", 4, [])
    side.epochs = [Epoch(4, 0.2), Epoch(8, 0.3), Epoch(12, 0.1)]
    assert by_then(side, seconds) == dice
