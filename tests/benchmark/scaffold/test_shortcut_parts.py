import numpy as np
import pytest

from benchmark.problem import load_problem
from benchmark.scaffold import shortcut_parts
from benchmark.scaffold.shortcut_parts import Part, each, make_part, scope, split_parts
from benchmark.scaffold.volume import fractals, instances, make_sample


def voxels(problem, volume, label):
    return int(label.sum())


def test_small_samples_are_whole_of_large_each_instance_is_seen(tiny):
    assert split_parts(tiny, "validation") == [Part("validation", 4, None), Part("validation", 5, None)]
    assert split_parts(tiny, "train", 1) == [Part("train", 0, None)]
    assert scope(tiny) == "4 training and 2 validation samples, of 4 and 2"
    for found, wanted in zip(make_part(tiny, Part("train", 2, None)), make_sample(tiny, 2), strict=True):
        assert np.array_equal(found, wanted)
    problem = load_problem("scale9")
    for split, wanted in (("train", 504), ("validation", 216)):
        parts = split_parts(problem, split)
        seen = {instances(problem, part.sample)[part.index] for part in parts}
        assert len(parts) == len(seen) == wanted
    assert len(split_parts(problem, "train", 2)) == 96
    assert scope(problem, 2).startswith("the cells of 96 fractals of 2 training samples and of 96 of 2 validation")


def test_a_cell_is_the_samples_with_intensities_of_its_own(tiny, monkeypatch):
    monkeypatch.setattr(shortcut_parts, "WHOLE", 8)
    volume, label = make_sample(tiny, 1)
    for index, fractal in enumerate(fractals(tiny, 1)):
        cell = tuple(slice(8 * c, 8 * c + 8) for c in fractal.cell)
        found, classes = make_part(tiny, Part("train", 1, index))
        assert np.array_equal(classes, label[cell])
        assert np.array_equal(found > 7, volume[cell] > 7) and found.max() <= 200


@pytest.mark.slow
def test_jobs_keep_the_order_of_parts(tiny):
    parts = split_parts(tiny, "train")
    wanted = [int(make_sample(tiny, sample)[1].sum()) for sample in range(4)]
    assert each(voxels, tiny, parts, 1, "voxels") == each(voxels, tiny, parts, 2, "voxels") == wanted
