import torch

from implementations.pytorch.training.seeds import seed_dropout, seed_weights

SEEDS = (5, 5 + 2**32, 5 + 2**62)  # the same to PyTorch's generator on a CPU


def drawn(act, *arguments):
    act(*arguments)
    return torch.rand(3).tolist()


def test_every_bit_of_a_seed_counts():
    for draw in (lambda s: drawn(seed_weights, s), lambda s: drawn(seed_dropout, s, 0, 0)):
        assert len({tuple(draw(seed)) for seed in SEEDS}) == len(SEEDS)
        assert draw(SEEDS[2]) == draw(SEEDS[2])


def test_replicas_and_resumptions_drop_out_otherwise():
    found = [drawn(seed_dropout, *one) for one in ((5, 0, 0), (5, 1, 0), (5, 0, 1), (6, 0, 0))]
    assert found[0] not in [*found[1:], drawn(seed_weights, 5)]
