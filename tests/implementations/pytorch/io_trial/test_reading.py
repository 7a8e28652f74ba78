"""The reader that counts."""

import torch

from implementations.pytorch.io_trial.reading import CountedReader
from implementations.pytorch.parallel.layout import Layout


def test_reads_are_counted_and_forgotten_samples_read_again(tiny):
    problem = tiny.problem
    reader = CountedReader(tiny.data, problem, Layout(1).box(problem.shape), 0, 2, 1.0)

    def read():
        before = reader.reads
        for _ in reader.batches("train", [[0, 1]], torch.device("cpu")):
            pass
        return (reader.reads - before).bytes

    first = read()
    assert first > 2 * 16**3 or first == 0  # where the kernel does not count
    assert read() == 0  # in the reader's own cache
    reader.turn_to(tiny.data, "stored")
    assert (read() > 0) == (first > 0) and reader.root == tiny.data
