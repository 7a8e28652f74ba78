"""A tiny problem with its dataset, and real runs of the reference that train on it."""

import dataclasses
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmark.config import shallow
from benchmark.generate import generate
from benchmark.launch import Launch
from benchmark.log import Event, read_log
from benchmark.problem import load_problem
from benchmark.scaffold.problem import Problem
from rules.current import current
from rules.edition import load
from tests.support.forked import TRAIN, Run, Warm, finished

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Tiny:
    """7 samples to train on and 4 to validate, of 16^3 voxels; `problems` and `config` are files. `script` makes the
    runs."""

    problem: Problem
    problems: Path
    config: Path
    data: Path
    warm: Warm | None = None
    script: Path = TRAIN

    def options(self, log: Path, data: Path | None = None) -> list[str]:
        """train.py's options."""
        files = {"problems": self.problems, "config": self.config, "data": data or self.data, "log": log}
        return ["--problem", self.problem.name, *(part for k, v in files.items() for part in (f"--{k}", str(v)))]

    def command(self, log: Path, *settings: str, ranks: int = 1, data: Path | None = None) -> list[str]:
        """The command of a run, by torchrun if it has more than one rank."""
        run = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), "--"]
        return [sys.executable, *(run if ranks > 1 else []), str(self.script), *self.options(log, data), *settings]

    def start(self, log: Path, *settings: str, ranks: int = 1, fresh: bool = False) -> Run | subprocess.Popen:
        """A run that has been started, as `train` starts it. A context."""
        if self.warm and not fresh:
            return Run(self.warm, [*self.options(log), *settings], ranks, {})
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(self.command(log, *settings, ranks=ranks), env=environment(), **streams)

    def train(
        self,
        log: Path,
        *settings: str,
        ranks: int = 1,
        data: Path | None = None,
        env: dict | None = None,
        fresh: bool = False,
    ) -> subprocess.CompletedProcess:
        """A finished run. Its ranks are forked from a warm process, unless it has to be `fresh`: a program of its own,
        under torchrun if it has ranks."""
        if self.warm and not fresh:
            return finished(self.warm, [*self.options(log, data), *settings], ranks, env)
        command = self.command(log, *settings, ranks=ranks, data=data)
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment() | (env or {}))


def environment() -> dict[str, str]:
    """The environment without what a launcher around the tests may have set."""
    names = ("RANK", "SLURM", "PMI", "OMPI", "FLUX", "WORLD", "LOCAL", "MASTER")
    return {k: v for k, v in os.environ.items() if not k.startswith(names)}


def make_tiny(folder: Path, warm: Warm | None = None) -> Tiny:
    """The tiny problem with its dataset, in a folder that is there; `endless` is defined beside it."""
    smoke = load_problem("smoke")
    sizes = {"scale": 4, "bottleneck": 2, "width": 8, "brick": 8, "cell": 8, "voxels_per_point": 2}
    content = {"categories": 2, "instances": 11, "fractals": 2}
    split = {"train_samples": 7, "validation_samples": 4, "target": 0.0}
    problem = dataclasses.replace(smoke, name="tiny", **sizes, **content, **split)
    endless = dataclasses.replace(problem, target=2.0)  # the same data and never reached
    problems, config = folder / "problems.yaml", folder / "config.yaml"
    definitions = {name: shallow(p) for name, p in (("tiny", problem), ("endless", endless))}
    for definition in definitions.values():
        del definition["name"]
    problems.write_text(yaml.safe_dump(definitions))
    config.write_text("{batch_size: 4, eval_batch_size: 3, epochs: 2, threads: 1, precision: float32}")
    generate(folder / "data", problem, 1, Launch(0, 1, 0, 1, "none"))
    return Tiny(problem, problems, config, folder / "data", warm)


def make_endless(tiny: Tiny) -> Tiny:
    """`endless`, with its dataset, beside the tiny problem."""
    problem = load_problem("endless", tiny.problems)
    data = tiny.data.with_name("endless")
    generate(data, problem, 1, Launch(0, 1, 0, 1, "none"))
    return Tiny(problem, tiny.problems, tiny.config, data, tiny.warm)


def published():
    """The function that writes rules which publish the tiny problem."""
    return publish


def publish(log: Path, rules: Path, runs: int = 1) -> Path:
    """Write rules to a new folder that publish the problem of a log's run, as this run found it, and ask for so many
    runs; the folder."""
    shutil.copytree(ROOT / "rules", rules, ignore=shutil.ignore_patterns("__pycache__"))
    events = [e for e in read_log(log) if isinstance(e, Event)]
    value = {e.key: e.value for e in events}
    splits = {e.metadata["split"]: e for e in events if e.key == "dataset_fingerprint"}
    path = rules / (load(current()).limits.based_on or current()) / "limits.yaml"
    limits = yaml.safe_load(path.read_text())
    limits["benchmarks"]["scaffold"]["runs"] = runs
    limits["clock"]["shortest_run"] = 0
    limits["problems"][value["problem"]] = {
        "benchmark": "scaffold",
        **{name: value[name] for name in ("target", "train_samples", "eval_samples", "parameter_count")},
        "problem_digest": value["problem_digest"],
        "fingerprints": {split: e.value for split, e in splits.items()},
        "class_counts": {split: e.metadata["class_counts"] for split, e in splits.items()},
        "bytes": dict.fromkeys(splits, 1),
        "flops_per_sample": 1,
    }
    path.write_text(yaml.safe_dump(limits, sort_keys=False))
    return rules
