"""Workloads: found by their folders, and each has what everything else is written in terms of."""

import pytest

from benchmark.problem import load_problem
from benchmark.workload import DEFAULT, module_of, problem_files, workload, workloads

NAMES = (
    "Problem", "sample_path", "make_sample", "stream_sample", "measure_sample", "state_sample", "prove_sample",
    "read_sample", "blank", "file_bytes",
)  # fmt: skip


def test_there_are_three():
    assert workloads() == ["cosmoflow", "deepcam", "scaffold"]


@pytest.mark.parametrize("name", workloads())
def test_each_has_every_name_and_its_problems_know_it(name):
    module = workload(name)
    assert not [n for n in NAMES if not hasattr(module, n)]
    assert module.Problem.workload == name


def test_an_unknown_one_names_the_known():
    with pytest.raises(ValueError, match="found workload 'scafold', wanted one of cosmoflow, deepcam, scaffold"):
        workload("scafold")


def test_the_defaults_problems_come_first_so_that_its_names_are_found_first():
    assert [path.parent.name for path in problem_files()] == [DEFAULT, "cosmoflow", "deepcam"]
    assert module_of(load_problem("deepcam-mini")) is workload("deepcam")
