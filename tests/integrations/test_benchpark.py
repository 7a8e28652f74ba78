"""Benchpark's three files against stand-ins of the names that they use, as Benchpark, Ramble and Spack document them:
neither can be installed from a package index."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock

import pytest

from benchmark.run.options import OPTIONAL, parse_options
from implementations.pytorch.train import add_trace
from tests.support import LOG, REACHED, ROOT
from tests.support.lines import written

HERE = ROOT / "integrations" / "benchpark"


def loaded(monkeypatch, path: Path, **modules: dict) -> ModuleType:
    """A file, run with stand-ins for modules."""
    for name, names in modules.items():
        dotted = name.replace("__", ".")
        monkeypatch.setitem(sys.modules, dotted.partition(".")[0], SimpleNamespace())
        monkeypatch.setitem(sys.modules, dotted, SimpleNamespace(**names))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def directives(*kinds: str) -> dict[str, Mock]:
    return {kind: Mock() for kind in kinds}


@pytest.fixture
def application(monkeypatch):
    """What the directives of each kind were called with, by name."""
    kinds = ("executable", "workload", "workload_variable", "figure_of_merit", "success_criteria")
    recorded = directives(*kinds)
    types = SimpleNamespace(TIME=1, THROUGHPUT=2, CATEGORY=4)
    names = {"ExecutableApplication": object, "FomType": types, **recorded}
    loaded(monkeypatch, HERE / "repo" / "scaffold-bench" / "application.py", ramble__appkit=names)
    calls = {kind: {} for kind in kinds}
    for kind, directive in recorded.items():
        for call in directive.call_args_list:
            name, *values = call.args
            assert name not in calls[kind], f"{kind} {name} twice"
            calls[kind][name] = (*values, call.kwargs) if values else call.kwargs
    return calls


def test_the_application_runs_what_it_declares(application):
    (workload,) = application["workload"].values()
    assert workload["executables"] == ["generate", "train", "check"] == list(application["executable"])
    text = str(application["executable"])
    used = set(re.findall(r"\{(\w+)\}", text)) - {"experiment_run_dir"}
    assert used == application["workload_variable"].keys()
    for script in re.findall(r"\$SCAFFOLD_ROOT/(\S+\.py)", text):
        assert (ROOT / script.replace("{implementation}", "pytorch")).is_file()


def test_train_takes_the_command(application, monkeypatch):
    command = application["executable"]["train"][0]
    defaults = {name: found["default"] for name, found in application["workload_variable"].items()}
    words = command.format(**defaults, experiment_run_dir="/tmp/run").split()[2:]
    args = parse_options("", words, OPTIONAL, add_trace)
    assert (args.problem, args.steps, args.log) == ("smoke", 0, Path("/tmp/run/result_0.txt"))


def matches(fom, text):
    return [m[fom["group_name"]] for line in text.splitlines() if (m := re.match(fom["fom_regex"], line))]


def test_figures_of_merit_are_found_in_what_runs_write(application):
    foms = application["figure_of_merit"]
    assert matches(foms["time to target"], "epoch 1\n" + REACHED.format(28.381)) == ["28.381"]
    assert matches(foms["exit code of the checker"], "check.py: exit code 1\n") == ["1"]
    rates = matches(foms["samples per second"], LOG.read_text())
    logged = [e["value"]["throughput"] for e in written(LOG) if e["key"] == "tracked_stats"]
    assert logged and [float(rate) for rate in rates] == logged
    steps = '... "key": "throughput", "value": {"throughput": 3.5e+1, "evaluation": {"throughput": 7}}}'
    assert matches(foms["samples per second"], steps) == ["3.5e+1"]


def test_a_success_is_a_complete_log_that_the_checker_passes(application):
    order, complete = (application["success_criteria"][name] for name in ("in order", "complete"))
    assert order["mode"] == complete["mode"] == "string"
    assert re.match(order["match"], "check.py: exit code 0") and not re.match(order["match"], "check.py: exit code 1")
    lines = LOG.read_text().splitlines()
    assert sum(bool(re.match(complete["match"], line)) for line in lines) == 1
    assert not any(re.match(complete["match"], line) for line in lines[:-2])


class Experiment:
    """What an experiment calls of its base class, for a spec that satisfies `wanted`."""

    name = "scaffold-bench"
    wanted: tuple = ()

    def __init__(self):
        variants = {"version": ["main"], "problem": ["scale7"]}
        self.spec = SimpleNamespace(satisfies=lambda text: text in self.wanted, variants=variants)
        self.variables = {}
        self.register_scaling_config = Mock()
        self.set_required_variables = Mock()
        self.add_package_spec = Mock()

    def add_experiment_variable(self, name, values, named=False, matrixed=False):
        self.variables[name] = values

    def next(self, mode):
        """The scaled variables of the experiment after one that has 4 of each."""
        var = SimpleNamespace(val=lambda dim: 4)
        scales = self.register_scaling_config.call_args.args[0][mode]
        return {name: scale(var, 0, name, 2) for name, scale in scales.items()}


@pytest.fixture
def experiment(monkeypatch):
    modes = SimpleNamespace(Strong="strong", Weak="weak", Throughput="throughput")
    found = loaded(
        monkeypatch,
        HERE / "experiments" / "scaffold-bench" / "experiment.py",
        benchpark__directives=directives("variant", "maintainers"),
        benchpark__experiment={"Experiment": Experiment},
        benchpark__programming_model={
            "ProgrammingModel": lambda *_: type("Model", (), {}),
            "ProgrammingModelType": SimpleNamespace(Mpionly=1, Cuda=2),
        },
        benchpark__scaling={"Scaling": lambda *_: type("Scaling", (), {}), "ScalingMode": modes},
    )

    def made(*wanted):
        one = found.ScaffoldBench()
        one.wanted = wanted
        one.compute_applications_section()
        one.compute_package_section()
        return one

    return made


def test_strong_scaling_trains_one_problem_on_more_ranks(experiment):
    found = experiment("+cuda", "+strong")
    assert found.variables | {"problem": "scale7", "steps": 0, "settings": ""} == found.variables
    assert found.next("strong") == {"n_gpus": 8, "batch_size": 4}
    assert found.set_required_variables.call_args.kwargs["n_resources"] == "{n_gpus}"
    found.add_package_spec.assert_called_once_with("scaffold-bench", ["scaffold-bench@main torch=cuda"])
    test = experiment("exec_mode=test", "+strong")
    assert (test.variables["problem"], test.variables["n_ranks"]) == ("smoke", 1)
    test.add_package_spec.assert_called_once_with("scaffold-bench", ["scaffold-bench@main torch=cpu"])


@pytest.mark.parametrize(("mode", "ranks"), [("weak", 8), ("throughput", 4)])
def test_other_scaling_measures_steps_of_larger_batches(experiment, mode, ranks):
    found = experiment(f"+{mode}")
    assert (found.variables["steps"], found.variables["settings"]) == (40, "batch_size={batch_size}")
    assert found.next(mode) == {"n_ranks": ranks, "batch_size": 8}


@pytest.mark.parametrize("torch", ["cuda", "cpu"])
def test_the_package_installs_the_pins(monkeypatch, torch):
    ran = []
    names = {
        "Package": object,
        "Executable": lambda program: lambda *words: ran.append((program, *words)),
        "join_path": lambda *parts: "/".join(map(str, parts)),
        "install_tree": lambda source, prefix: ran.append((source, prefix)),
        **directives("version", "license", "variant", "depends_on"),
    }
    found = loaded(monkeypatch, HERE / "repo" / "scaffold-bench" / "package.py", spack__package=names)
    assert found.ScaffoldBench.git == f"file://{ROOT}"

    class Spec(dict):
        def satisfies(self, text):
            return text == f"torch={torch}"

    monkeypatch.chdir(ROOT)
    python = SimpleNamespace(prefix=SimpleNamespace(bin="/python/bin"))
    found.ScaffoldBench().install(Spec(python=python), "/prefix")
    assert ran == [(".", "/prefix"), ("make", "-C", "/prefix", "setup", f"TORCH={torch}", "PYTHON=/python/bin/python3")]
