"""The reader that counts."""

from benchmark.workload import whole_box
from implementations.pytorch_tools.input_trial.reading import CountedReader


def test_reads_are_counted_and_forgotten_samples_read_again(tiny):
    problem = tiny.problem
    reader = CountedReader(tiny.data, problem, whole_box(problem), 0, 2, 1.0)

    def read():
        before = reader.reads
        list(reader.batches("train", [[0, 1]]))
        return (reader.reads - before).bytes

    first = read()
    assert first > 2 * 16**3 or first == 0  # where the kernel does not count
    assert read() == 0  # in the reader's own cache
    assert reader.evidence("train").samples == 2
    reader.turn_to(tiny.data, "stored")
    assert reader.evidence("train").samples == 0
    assert (read() > 0) == (first > 0) and reader.root == tiny.data
