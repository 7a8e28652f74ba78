import dataclasses

import pytest

from benchmark.problem import load_problem
from benchmark.scaffold.problem import Intensity

NAMES = ("smoke", "scale6", "scale7", "scale8", "scale9", "scale10", "scale11")


@pytest.mark.parametrize("name", NAMES)
def test_published_problems(name):
    problem = load_problem(name)
    assert problem.side % (4 * problem.brick) == 0  # a 4-way split of every axis
    assert problem.levels >= 2 and problem.field >= problem.cell  # a voxel sees its whole cell
    assert (problem.train_samples, problem.validation_samples) == (168, 72)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"train_samples": 0, "validation_samples": 0}, "train_samples: found 0, wanted at least 1"),
        ({"bottleneck": -1}, "bottleneck: found -1, wanted 0 to 4"),
        ({"width": 12}, "width: found 12, wanted a multiple of 8, the groups of each GroupNorm"),
        ({"cell": 12}, "cell: found 12, wanted a power of two up to 16"),
        ({"cell": 32}, "cell: found 32, wanted a power of two up to 16"),
        ({"brick": 16}, "brick: found 16, wanted a power of two up to 8"),
        ({"voxels_per_point": 1024}, "voxels_per_point: found 1024, wanted a power of two up to 512"),
        ({"voxels_per_point": 32}, "voxels_per_point: found 32: 16 points, wanted 32 or more"),
        ({"size": (0, 10)}, "size: found .*, wanted 1 <= least <= most <= 256"),
        ({"size": (20, 10)}, "size: found .*, wanted 1 <= least <= most <= 256"),
        ({"size": (10, 300)}, "size: found .*, wanted 1 <= least <= most <= 256"),
        ({"fractals": 0}, r"fractals: found 0, wanted 1\.\.8, the cells of a volume"),
        ({"fractals": 9}, r"fractals: found 9, wanted 1\.\.8, the cells of a volume"),
        ({"instances": 7}, "instances: found 14, wanted so many that both splits get their share"),
        ({"instances": 9}, "train: found 8 fractals of 12 instances, wanted each equally often"),
        ({"intensity": Intensity(40, (9, 90))}, r"intensity\.background: found 40, wanted 0, 1, 3, 7 or 15"),
        ({"intensity": Intensity(7, (-1, 90))}, r"intensity\.foreground: found \(-1, 90\), wanted 0 <= least <= most"),
        ({"intensity": Intensity(7, (91, 90))}, r"intensity\.foreground: found \(91, 90\), wanted 0 <= least <= most"),
        ({"intensity": Intensity(7, (9, 256))}, r"intensity\.foreground: found .*, wanted 0 <= least <= most <= 255"),
    ],
)
def test_impossible_problems(tiny, fields, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(tiny, **fields)


def test_what_follows_from_the_numbers(tiny):
    assert (tiny.side, tiny.shape, tiny.voxels, tiny.points) == (16, (16, 16, 16), 4096, 256)
    assert (tiny.levels, tiny.classes, tiny.samples, tiny.cells) == (tiny.scale - tiny.bottleneck, 3, 6, 8)
    assert [tiny.split_instances(split) for split in ("train", "validation")] == [8, 4]
    # two convolutions at the bottom; a level more has two on each way and doubles what is below
    fields = [dataclasses.replace(tiny, bottleneck=bottleneck).field for bottleneck in (4, 3, 2, 1)]
    assert fields == [2, 8, 20, 44]
    # boxes are whole bricks and voxels of the coarsest level
    for bottleneck, brick, most in ((0, 4, 1), (1, 8, 2), (3, 8, 2), (2, 2, 4)):
        assert dataclasses.replace(tiny, bottleneck=bottleneck, brick=brick).most_boxes == (most, most, most)
