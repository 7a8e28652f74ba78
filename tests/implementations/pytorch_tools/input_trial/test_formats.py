"""The same samples in other formats."""

import numpy as np
import pytest

from benchmark.problem import load_problem
from benchmark.run.errors import Aborted
from benchmark.workload import Box, module_of
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch_tools.input_trial.formats import ENDINGS, convert, copy_path, cut, read_copy, whole_blank


@pytest.mark.parametrize("form", ENDINGS)
def test_copies_have_the_samples_numbers(tiny, tmp_path, form):
    problem, box = tiny.problem, Box((8, 0, 0), (8, 16, 16))
    written = convert(tiny.data, tmp_path, form, problem, Layout(1))
    paths = [copy_path(tmp_path, form, "train", sample) for sample in problem.split_samples("train")]
    assert sum(path.stat().st_size for path in paths) == written > 0
    sample = problem.split_samples("train")[3]
    wanted = module_of(problem).verify_sample(tiny.data, problem, "train", sample, box).arrays
    found = read_copy(form, tmp_path, problem, "train", sample, box)
    assert all(np.array_equal(a, b) for a, b in zip(found.box.arrays, wanted, strict=True))
    again = read_copy(form, tmp_path, problem, "train", sample, box, found)
    assert (again.checksum, again.bytes) == (found.checksum, paths[3].stat().st_size)
    other = read_copy(form, tmp_path, problem, "train", problem.split_samples("train")[4], box)
    with pytest.raises(ValueError, match="changed since"):
        read_copy(form, tmp_path, problem, "train", sample, box, other)
    paths[3].unlink()
    with pytest.raises(ValueError, match=paths[3].name):
        read_copy(form, tmp_path, problem, "train", sample, box)


def test_a_full_or_missing_place_ends_it_on_all_ranks(tiny, tmp_path):
    (tmp_path / "raw").write_text("in the way")
    with pytest.raises(Aborted, match="raw"):
        convert(tiny.data, tmp_path, "raw", tiny.problem, Layout(1))


def test_what_has_no_axes_of_the_sample_is_whole():
    problem = load_problem("cosmoflow-mini")
    counts, targets = whole_blank(problem)
    box = Box((0, 0, 0), tuple(n // 2 for n in problem.shape))
    assert cut(counts, box, problem.shape).shape[:3] == box.shape and cut(targets, box, problem.shape) is targets
