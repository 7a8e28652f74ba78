from importlib import import_module

import pytest

from benchmark.problem import load_problem
from benchmark.workload import DEFAULT, held_out, module_of, problem_files, workload, workloads

NAMES = ("Problem", "sample_path", "verify_sample", "read_sample", "blank", "file_bytes")
MAKING = ("held_out", "make_sample", "stream_sample", "measure_sample", "state_sample")


@pytest.mark.parametrize("name", workloads())
def test_each_has_every_name_and_its_problems_know_it(name):
    module = workload(name)
    assert not [n for n in NAMES if not hasattr(module, n)]
    assert not [n for n in MAKING if not hasattr(import_module(f"benchmark.{name}.making"), n)]
    assert module.Problem.workload == name


@pytest.mark.parametrize("name", ["smoke", "cosmoflow-mini", "deepcam-mini"])
def test_held_out_data_are_of_another_seed(name):
    problem = load_problem(name)
    fresh = held_out(problem, 5)
    assert fresh.data_seed == 5 and fresh.digest() != problem.digest()
    assert fresh.split_samples("validation")[0] == problem.train_samples
    assert fresh.validation_samples >= problem.validation_samples
    for seed in (problem.data_seed, -1, 1 << 63):
        with pytest.raises(ValueError, match=f"data seed: found {seed}, wanted 0 to"):
            held_out(problem, seed)


def test_problems_are_found_the_defaults_first_and_real_data_as_such():
    for name in ("cosmoflow", "deepcam"):
        with pytest.raises(ValueError, match=f"{name} has no generator: its data are real"):
            held_out(load_problem(name), 5)
    assert [path.parent.name for path in problem_files()] == [DEFAULT, "cosmoflow", "deepcam", "scaffold_published"]
    assert module_of(load_problem("deepcam-mini")) is workload("deepcam")
    with pytest.raises(ValueError, match="found workload 'scafold', wanted one of cosmoflow, deepcam, scaffold"):
        workload("scafold")
