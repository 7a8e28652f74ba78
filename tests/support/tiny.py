"""Small problems with their datasets, and real runs of the reference that train on them."""

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
from benchmark.log import Event, read_log
from benchmark.problem import load_problem
from benchmark.workload import AnyProblem
from rules.current import current
from rules.edition import load
from tests.support import ROOT
from tests.support.forked import TRAIN, Run, Warm


@dataclass(frozen=True)
class Tiny:
    """A problem, by default of 7 samples to train on and 4 to validate, of 16^3 voxels; `problems` and `config` are
    files. `script` makes the runs."""

    problem: AnyProblem
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

    def start(
        self,
        log: Path,
        *settings: str,
        ranks: int = 1,
        data: Path | None = None,
        env: dict | None = None,
        fresh: bool = False,
    ) -> Run | subprocess.Popen:
        """A run that has been started. Its ranks are forked from a warm process, unless it has to be `fresh`: a program
        of its own, under torchrun if it has ranks. A context."""
        if self.warm and not fresh:
            return Run(self.warm, [*self.options(log, data), *settings], ranks, env or {})
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        command = self.command(log, *settings, ranks=ranks, data=data)
        return subprocess.Popen(command, env=environment() | (env or {}), **streams)

    def train(self, log: Path, *settings: str, **more) -> subprocess.CompletedProcess:
        """A finished run; `more` as for `start`."""
        with self.start(log, *settings, **more) as run:
            try:
                said = run.communicate(timeout=300)
                return subprocess.CompletedProcess(settings, run.poll(), *said)
            finally:
                run.kill()

    def ran(self, log: Path, *settings: str, code: int = 0, **more) -> list[Event]:
        """The events of a finished run, which ended with this exit code; `more` as for `train`."""
        done = self.train(log, *settings, **more)
        assert done.returncode == code, done.stderr
        return events_of(log)

    def harness(self, out: Path, *more: str) -> list[str]:
        """Options of the harness's commands: what is trained, and whose submission it is in the round's folder."""
        files = {"problems": self.problems, "config": self.config, "data": self.data, "out": out}
        names = ["--problem", self.problem.name, "--org", "Us", "--system", "laptop"]
        return [*names, *(part for k, v in files.items() for part in (f"--{k}", str(v))), *more]


def events_of(log: Path) -> list[Event]:
    """The events of a log, all well-formed."""
    found = list(read_log(log))
    assert all(isinstance(event, Event) for event in found)
    return found


def environment() -> dict[str, str]:
    """The environment without what a launcher around the tests may have set."""
    names = ("RANK", "SLURM", "PMI", "PALS", "PBS", "OMPI", "FLUX", "WORLD", "LOCAL", "MASTER")
    return {k: v for k, v in os.environ.items() if not k.startswith(names)}


def define(path: Path, *problems: AnyProblem) -> Path:
    """Write the definitions of problems to a file; the file."""
    fields = {one.name: {"workload": one.workload, **shallow(one)} for one in problems}
    path.write_text(yaml.safe_dump({name: {k: v for k, v in f.items() if k != "name"} for name, f in fields.items()}))
    return path


def make(folder: Path, settings: str, warm: Warm | None, problem: AnyProblem, *more: AnyProblem) -> Tiny:
    """A problem with its dataset and the settings of its runs, in a folder that is there; `more` are defined beside
    it."""
    problems, config = define(folder / "problems.yaml", problem, *more), folder / "config.yaml"
    config.write_text(settings)
    generate(folder / "data", problem)
    return Tiny(problem, problems, config, folder / "data", warm)


def make_tiny(folder: Path, warm: Warm | None = None) -> Tiny:
    """The tiny problem with its dataset, in a folder that is there; `endless` is defined beside it."""
    sizes = {"scale": 4, "bottleneck": 2, "width": 8, "brick": 8, "cell": 8, "voxels_per_point": 2}
    content = {"categories": 2, "instances": 11, "fractals": 2}
    split = {"train_samples": 7, "validation_samples": 4, "target": 0.0}
    problem = dataclasses.replace(load_problem("smoke"), name="tiny", **sizes, **content, **split)
    endless = dataclasses.replace(problem, name="endless", target=2.0)  # the same data and never reached
    settings = "{batch_size: 4, eval_batch_size: 3, epochs: 2, threads: 1, precision: float32}"
    return make(folder, settings, warm, problem, endless)


def make_endless(tiny: Tiny) -> Tiny:
    """`endless`, with its dataset, beside the tiny problem."""
    problem = load_problem("endless", tiny.problems)
    data = tiny.data.with_name("endless")
    generate(data, problem)
    return dataclasses.replace(tiny, problem=problem, data=data)


def publish(log: Path, rules: Path, runs: int = 1) -> Path:
    """Write rules to a new folder that publish the problem of a log's run, as this run found it, and ask for so many
    runs; the folder."""
    shutil.copytree(ROOT / "rules", rules, ignore=shutil.ignore_patterns("__pycache__"))
    events = events_of(log)
    value = {e.key: e.value for e in events}
    splits = {e.metadata["split"]: e for e in events if e.key == "dataset_fingerprint"}
    classes = {split: e.metadata["class_counts"] for split, e in splits.items() if e.metadata["class_counts"]}
    outputs = {len(e.metadata["sums"]) for e in events if "sums" in e.metadata}  # of a mean score
    path = rules / (load(current()).limits.based_on or current()) / "limits.yaml"
    limits = yaml.safe_load(path.read_text())
    limits["benchmarks"][value["submission_benchmark"]]["runs"] = runs
    limits["clock"]["shortest_run"] = 0
    limits["problems"][value["problem"]] = {
        "benchmark": value["submission_benchmark"],
        **{name: value[name] for name in ("target", "train_samples", "eval_samples", "parameter_count")},
        "problem_digest": value["problem_digest"],
        "fingerprints": {split: e.value for split, e in splits.items()},
        **({"class_counts": classes} if classes else {}),
        **({"outputs": outputs.pop()} if outputs else {}),
        "bytes": dict.fromkeys(splits, 1),
        "flops_per_sample": 1,
    }
    path.write_text(yaml.safe_dump(limits, sort_keys=False))
    return rules
