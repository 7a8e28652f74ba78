import random
from fractions import Fraction

from benchmark.dice_by_sample import dice_sums, ordered, sample_dice
from benchmark.metric import mean


def test_an_absent_class_counts_as_one_and_a_false_voxel_as_none():
    assert sample_dice([[0, 0, 0], [0, 1, 0], [0, 0, 5], [3, 4, 8]]) == [1.0, 0.0, 0.0, 0.5]
    assert mean(dice_sums([[[0, 0, 9], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]]), 2) == 0.75  # background alone


def test_the_score_is_exact_and_logged_counts_are_in_one_order():
    """Of possible counts of 72 samples, some of whose five classes are absent."""
    draw, found = random.Random(1), []
    for _ in range(72):
        pairs = [tuple(draw.randrange(3) * draw.randrange(10**9) for _ in range(2)) for _ in range(5)]
        found.append([[draw.randint(0, min(pair)), *pair] for pair in pairs])
    exact = sum(Fraction(2 * i, p + t) if p + t else Fraction(1) for row in found for i, p, t in row) / (72 * 5)
    scores = {mean(dice_sums(random.Random(seed).sample(found, len(found))), 72) for seed in range(20)}
    assert len(scores) == 1
    assert abs(Fraction(scores.pop()) - exact) < Fraction(1, 2**51)
    assert ordered(reversed(found)) == ordered(found) == ordered(tuple(map(tuple, row)) for row in found)
    truth = [[t for *_, t in row] for row in ordered(found)]
    assert truth == sorted(truth)
