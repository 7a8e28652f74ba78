"""ReFrame's tests: what they read of runs, their references, and, where ReFrame is installed, that it takes them."""

import ast
import importlib.util
import re
import sys

import pytest
import yaml

from benchmark.problem import load_problem
from benchmark.run.log import time_to_target
from benchmark.workload import problem_files
from tests.support import LOG, REACHED, ROOT
from tests.support.lines import line

HERE = ROOT / "integrations" / "reframe"
TREE = ast.parse((HERE / "scaffold.py").read_text())


def literals(names):
    """The values of assignments to names, anywhere in the file."""
    found = [n for n in ast.walk(TREE) if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") in names]
    return {n.targets[0].id: ast.literal_eval(n.value) for n in found}


def problems(name):
    """What the problems of a class are, and which of them have data of a site's."""
    (cls,) = (n for n in TREE.body if isinstance(n, ast.ClassDef) and n.name == name)
    values = {n.targets[0].id: n.value for n in cls.body if isinstance(n, ast.Assign)}
    site = ast.literal_eval(values["site_data"]) if "site_data" in values else ()
    return ast.literal_eval(values["problem"].args[0]), site


def test_every_problem_has_its_test():
    known = {name for file in problem_files() for name in yaml.safe_load(file.read_text())}
    tested = {}
    workloads = {"ScaFFold": "scaffold", "CosmoFlow": "cosmoflow", "DeepCAM": "deepcam"}
    for name, workload in (workloads | {"ScaFFoldPublished": "scaffold_published"}).items():
        named, site = problems(name)
        for problem in named:
            definition = load_problem(problem)
            assert definition.workload == workload and (problem in site) == (not definition.data_seed)
            tested[problem] = name
    assert tested.keys() == known


def test_references_are_of_problems_systems_and_variables():
    found = yaml.safe_load((HERE / "references.yaml").read_text())
    variables = {"time_to_target", "samples_per_second", "au", "joules"}
    for problem, systems in found.items():
        assert load_problem(problem) and all(re.fullmatch(r"[\w-]+:[\w-]+", system) for system in systems)
        for wanted in systems.values():
            assert wanted.keys() <= variables
            assert all(len(limits) == 3 and limits[0] > 0 for limits in wanted.values())


def test_the_reference_time_is_that_of_the_published_runs():
    assert re.search(literals({"TIME"})["TIME"], REACHED.format(28.381), re.M)["seconds"] == "28.381"
    found = yaml.safe_load((HERE / "references.yaml").read_text())["smoke"]["xeon-amx-2core:cpu"]["time_to_target"][0]
    times = sorted(time_to_target(log) for log in LOG.parent.glob("result_*.txt"))
    assert len(times) == 5 and found == pytest.approx(sum(times[1:-1]) / 3, rel=0.005)


@pytest.fixture
def reframe_module(monkeypatch):
    pytest.importorskip("reframe", reason="ReFrame is not installed; see docs/centres.md")
    spec = importlib.util.spec_from_file_location("scaffold", HERE / "scaffold.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # where ReFrame looks classes up
    spec.loader.exec_module(module)
    return module


def test_energy_is_the_sum_of_whole_readings_alone(reframe_module, tmp_path, monkeypatch):
    log = tmp_path / "log.txt"

    def reading(moment, joules):
        return line("energy_reading", 1, {"time_ms": [1] * len(joules), "joules": joules}, {"moment": moment})

    def energy(*lines, dry=False):
        log.write_text("".join(lines))
        stand_in = type("Run", (), {"log": str(log), "is_dry_run": lambda self: dry})()
        return reframe_module.ScaffoldRun.energy(stand_in)

    assert energy() == []
    assert energy(reading("run_start", [0.0, 0.0]), reading("run_stop", [5.0, 7.5])) == [5.0, 7.5]
    assert energy(reading("run_start", [0.0])) == []  # no end
    assert energy(reading("run_stop", [5.0]), dry=True) == []  # nothing runs, and there is no log to read
    assert energy(reading("run_stop", [5.0, None])) == []  # a counter failed
    assert len(reframe_module.events(str(LOG), "tracked_stats")) == LOG.read_text().count('"tracked_stats"') > 0
