import numpy as np

from benchmark.problem import load_problem
from benchmark.scaffold_published.files import read_mask, sample_path
from benchmark.scaffold_published.weights import class_counts, class_weights, looked_at
from benchmark.workload import Box, whole_box


def test_counts_of_boxes_add_up_to_those_of_a_tenth_of_the_masks(data, problem):
    masks = [read_mask(sample_path(data, problem, "train", s), problem, whole_box(problem)) for s in (0, 5)]
    wanted = np.bincount(np.concatenate(masks).ravel(), minlength=6)
    parts = [class_counts(data, problem, (0, 5), Box((0, y, 0), (8, 4, 8))) for y in (0, 4)]
    assert sum(parts).tolist() == wanted.tolist()
    assert class_counts(data, problem, (), whole_box(problem)).tolist() == [0] * 6
    assert list(looked_at(load_problem("published11"))) == list(range(0, 168, 10))


def test_weights_are_inverse_to_counts_and_one_on_average():
    found = class_weights(np.array([1000, 10, 20, 0, 5, 1]))
    assert found.dtype == np.float32 and np.isclose(found.mean(), 1)
    np.testing.assert_allclose(found[1] / found, [100, 1, 2, 0.1, 0.5, 0.1], rtol=1e-6)
