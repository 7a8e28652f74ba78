import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from implementations.pytorch.data import evaluation_batches, train_batches
from implementations.pytorch.layout import Layout

WORKER = Path(__file__).with_name("ranks_gradients.py")


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("batch_size", [1, 3, 4])
def test_epoch_trains_on_every_sample_once(ranks, batch_size):
    by_rank = [train_batches(Layout(ranks, r), range(7), batch_size, 2**63 - 1, epoch=1) for r in range(ranks)]
    assert len({len(batches) for batches in by_rank}) == 1  # the same number of steps
    assert sorted(s for batches in by_rank for batch in batches for s in batch) == list(range(7))
    sizes = [sum(len(batch) for batch in step) for step in zip(*by_rank, strict=True)]
    assert sizes == [batch_size] * (7 // batch_size) + [7 % batch_size] * (7 % batch_size > 0)


def test_order_changes_with_epoch_and_seed():
    def order(seed, epoch):
        return train_batches(Layout(1), range(100), 100, seed, epoch)

    assert order(5, 1) == order(5, 1) != order(5, 2) != order(7, 1) != order(5, 1)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_evaluation_sees_every_sample_once(ranks):
    batches = [b for r in range(ranks) for b in evaluation_batches(Layout(ranks, r), range(7, 11), 3)]
    assert sorted(s for batch in batches for s in batch) == [7, 8, 9, 10]


@pytest.mark.parametrize(("ranks", "samples"), [(2, 3), (3, 2)])  # uneven, and a rank with none
def test_gradients_are_those_of_one_rank(tmp_path, ranks, samples):
    out = tmp_path / "gradients.pt"
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), "--"]
    subprocess.run([sys.executable, *start, str(WORKER), str(out), str(samples)], check=True, timeout=120)
    gradients = runpy.run_path(str(WORKER), run_name="worker")["gradients"]
    wanted = gradients(Layout(1), samples)
    for found in torch.load(out):
        for name, value in wanted.items():
            torch.testing.assert_close(found[name], value, rtol=0, atol=1e-12, msg=name)
