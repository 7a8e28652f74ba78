"""Submissions that jobs make with the launchers' stand-ins: every launcher on every workload, from the script to the
verdict. Four of the thirty are made where nothing else is said; EVERY=1 in the environment makes all."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from benchmark.collect import files_in
from benchmark.config import load_settings, shallow
from benchmark.generate import describe, generate
from benchmark.launch import Launch
from benchmark.manifest import load_manifest
from benchmark.problem import load_problem
from benchmark.run.files import environment_path
from benchmark.tree import set_path
from benchmark.workload import AnyProblem
from compliance.engine import judge
from implementations.pytorch.layers.blocks import parameter_count
from implementations.pytorch.task import build_task, config_class
from rules.current import ROOT as RULES
from rules.current import current
from rules.edition import load

RUNS = 2  # of an array, as its rules ask for; other jobs make one
COMMON = "batch_size: 4, eval_batch_size: 3, epochs: 2, threads: 1, precision: float32"
NAMES = {"slurm": "slurm", "flux": "flux", "pbs": "openmpi", "mpi": "openmpi", "pals": "pals", "mpich": "pmi"}
LAYOUTS = {"scaffold": (1, 2, 1, 1), "cosmoflow": (1, 1, 2, 1), "deepcam": (2, 1, 1, 1)}


@dataclass(frozen=True)
class Small:
    """A problem whose first evaluation meets its target: its files, its dataset, and rules that publish it and ask for
    `runs` runs, by number of runs."""

    problem: AnyProblem
    problems: Path
    config: Path
    data: Path
    rules: dict[int, Path]


def cosmoflow() -> tuple[AnyProblem, str]:
    """CosmoFlow's problem and settings."""
    mini = load_problem("cosmoflow-mini")
    problem = dataclasses.replace(mini, name="tiny", train_samples=7, validation_samples=4, target=9.0)
    return problem, "base_learning_rate: 1.0e-2, base_batch_size: 32, warmup_epochs: 3.0, warmup_factor: 20.0"


def deepcam() -> tuple[AnyProblem, str]:
    """DeepCAM's."""
    sizes = {"height": 32, "width": 48, "middle": 1, "train_samples": 9, "validation_samples": 4, "target": 0.0}
    mini = load_problem("deepcam-mini")
    few = {"cyclones": (1, 1), "rivers": (1, 1), "radius": (5.0, 8.0), "half_width": (3.0, 4.0), "decoys": (0, 0)}
    problem = dataclasses.replace(mini, name="tiny", twin=dataclasses.replace(mini.twin, **few), **sizes)
    return problem, "learning_rate: 0.02, schedule: cosine_annealing, t_max: 320, warmup_steps: 16"


@pytest.fixture(scope="session")
def small(request, tmp_path_factory) -> Callable[[str], Small]:
    """The small problem of a workload, made once."""
    made: dict[str, Small] = {}

    def of(workload: str) -> Small:
        if workload not in made:
            folder = tmp_path_factory.mktemp(workload)
            if workload == "scaffold":
                tiny = request.getfixturevalue("tiny")
                problem, problems, config, data = tiny.problem, tiny.problems, tiny.config, tiny.data
            else:
                problem, settings = {"cosmoflow": cosmoflow, "deepcam": deepcam}[workload]()
                problems, config, data = folder / "problems.yaml", folder / "config.yaml", folder / "data"
                definition = {"workload": workload, **shallow(problem)}
                del definition["name"]
                problems.write_text(yaml.safe_dump({"tiny": definition}))
                config.write_text(f"{{{COMMON}, {settings}}}")
                generate(data, problem, 1, Launch(0, 1, 0, 1, "none"))
            rules = {runs: publish(folder / f"rules-{runs}", problem, config, data, runs) for runs in (1, RUNS)}
            made[workload] = Small(problem, problems, config, data, rules)
        return made[workload]

    return of


def publish(rules: Path, problem: AnyProblem, config: Path, data: Path, runs: int) -> Path:
    """Rules that publish a problem and ask for so many runs; their folder."""
    shutil.copytree(RULES, rules, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    path = rules / (load(current()).limits.based_on or current()) / "limits.yaml"
    limits = yaml.safe_load(path.read_text())
    task = build_task(problem, load_settings(config_class(problem.workload), config, config.read_bytes(), []))
    facts = yaml.safe_load(describe(problem, load_manifest(data, problem)))["tiny"]
    model = task.build_model()
    buffers = sum(buffer.numel() for buffer in model.buffers() if buffer.is_floating_point())
    facts |= {"parameter_count": parameter_count(model), "buffer_count": buffers, "flops_per_sample": 1}
    facts |= {"bytes": {"train": 1, "validation": 1}}
    facts |= {"cosmoflow": {"outputs": 4}, "deepcam": {"outputs": 3}}.get(problem.workload, {})
    limits["problems"]["tiny"] = facts
    limits["benchmarks"][problem.workload]["runs"] = runs
    limits["clock"]["shortest_run"] = 0
    path.write_text(yaml.safe_dump(limits, sort_keys=False))
    return rules


@pytest.mark.slow
def test_every_launcher_makes_a_submission(jobs, small, events, workload, kind):
    problem, layout, array = small(workload), LAYOUTS[workload], "--array" in kind
    files = ["--implementation", "pytorch", "--problem", "tiny", "--problems", str(problem.problems)]
    files += ["--config", str(problem.config)]
    shape = ["--layout", ",".join(map(str, layout)), "--device", "cpu"]
    runs = ["--runs", str(RUNS)] if array else []
    image = jobs.folder / "image" if "--container" in kind else ""
    if image:
        image.write_text("layers")
    real = {"DATA": problem.data, "RUNS": "" if array else 1, "CONTAINER": image}
    done = jobs.run(*kind, *files, *shape, *runs, **real)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("1 of 1 runs reached the target") == (RUNS if array else 1)

    submission = jobs.folder / "tester"
    logs = sorted(set_path(submission, "two", workload).glob("result_*.txt"))
    assert [log.name for log in logs] == [f"result_{run}.txt" for run in range(RUNS if array else 1)]
    for log in logs:
        last = {e.key: e for e in events(log)}
        assert (last["number_of_ranks"].value, last["run_stop"].metadata["status"]) == (2, "success")
        assert tuple(last["layout"].value.values()) == layout
        (source,) = (submission / "source").iterdir()
        assert last["source"].value.startswith(source.name) and files_in(source) == last["source"].metadata["files"]
        manifest = json.loads(environment_path(log).read_text())
        launcher = NAMES[kind[-1] if "--mpi" in kind else kind[0]]
        wanted = {"launcher": launcher, "ranks": 2, "ranks_per_node": 2, "backend": "gloo"}
        assert manifest["run"]["launcher"]["value"] == wanted
        container = manifest["nodes"][0]["facts"]["container"]["value"]
        assert container.get("digest") == (sha256(image.read_bytes()).hexdigest() if image else None)
    verdict = judge([submission], edition=current(), rules=problem.rules[len(logs)])
    assert [finding.text() for finding in verdict.findings] == []
    assert [(s.benchmark, len(s.logs)) for s in verdict.all_sets] == [(workload, len(logs))]
