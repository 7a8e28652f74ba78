"""Check the predictions of project.py on this machine: measured and predicted steps side by side.

    python perf/check_projection.py --system epyc-2core [--out build/projection] [--keep]
    python perf/check_projection.py --only scale5-1111-float32-batch1

The command generates a few samples at scales 5 and 6 and for smoke's network, runs train.py --steps on one and two
ranks with one thread each, calibrates the system with some of the logs, and prints measured and predicted values of
all. Logs and calibrated system stay in the folder. It takes about six minutes on two cores.
"""

import argparse
import dataclasses
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import yaml

from benchmark.config import shallow
from benchmark.generate import generate
from benchmark.launch import Launch
from benchmark.problem import load_problem
from benchmark.scaffold.problem import Problem
from benchmark.writing import write_text
from harness.implementation import find_implementation
from harness.launcher import Launcher
from implementations.pytorch.config import config_path
from perf.projection.calibrate import calibrate
from perf.projection.machine import dump_system, load_system
from perf.projection.measured import compare, read_measured
from perf.settings import problem_at


@dataclass(frozen=True)
class Case:
    """A run to measure. The system is calibrated with the runs that have `fits`."""

    problem: str
    layout: str
    precision: str
    batch: int
    steps: int
    fits: bool = False

    @property
    def name(self) -> str:
        return f"{self.problem}-{self.layout.replace(',', '')}-{self.precision}-batch{self.batch}"


CASES = (
    Case("scale5", "1,1,1,1", "float32", 1, 4, fits=True),
    Case("scale5", "1,1,1,1", "bfloat16", 1, 5, fits=True),
    Case("scale6", "1,1,1,1", "bfloat16", 1, 2, fits=True),
    Case("scale5", "1,2,1,1", "bfloat16", 1, 5, fits=True),
    Case("scale5", "2,1,1,1", "bfloat16", 2, 5, fits=True),
    Case("scale5", "1,1,1,1", "bfloat16", 4, 2),
    Case("scale5", "1,1,2,1", "float32", 1, 3),
    Case("scale6", "1,1,2,1", "bfloat16", 1, 2),
    Case("narrow5", "1,1,1,1", "float32", 2, 10),
    Case("narrow5", "1,1,1,1", "bfloat16", 2, 10),
    Case("narrow5", "1,1,1,2", "bfloat16", 2, 10),
)


def problems() -> list[Problem]:
    """Problems of 20 samples: 32^3 and 64^3 voxels with width 64, and 32^3 with smoke's width 16."""
    few = {"instances": 12, "train_samples": 16, "validation_samples": 4}
    six, smoke = load_problem("scale6"), load_problem("smoke")
    return [
        dataclasses.replace(problem_at(5), name="scale5", brick=8, **few),
        dataclasses.replace(six, name="scale6", **few),
        dataclasses.replace(smoke, name="narrow5", **few),
    ]


def prepare(out: Path, cases: Sequence[Case]) -> Path:
    """Generate the samples of these cases; the file with the definitions of the problems."""
    definitions, wanted = {}, {case.problem for case in cases}
    for problem in problems():
        if problem.name in wanted:
            generate(out / problem.name, problem, 2, Launch(0, 1, 0, 1, "none"))
        definitions[problem.name] = {k: v for k, v in shallow(problem).items() if k != "name"}
    path = out / "problems.yaml"
    write_text(path, yaml.safe_dump(definitions))
    return path


def run(case: Case, out: Path, problems: Path) -> Path:
    """Run a case; its log. Exits if the run fails."""
    log = out / f"{case.name}.txt"
    options = {"problem": case.problem, "problems": problems, "config": config_path("scale6"), "layout": case.layout}
    options |= {"data": out / case.problem, "log": log, "steps": case.steps}
    ranks = math.prod(map(int, case.layout.split(",")))
    words = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    words += [f"precision={case.precision}", f"batch_size={case.batch}", "eval_batch_size=1", "device=cpu"]
    program = find_implementation("pytorch").program([*words, "threads=1", "workers=0"])
    done = Launcher(ranks).ask(program)
    if done.returncode:
        sys.exit(f"check_projection.py: {case.name}: {done.stderr.strip().splitlines()[-1]}")
    return log


def table(cases: Sequence[Case], found: Sequence[list[tuple[str, float, float]]]) -> str:
    """A Markdown table: for each case measured and predicted seconds, and the ratios predicted / measured."""
    names = ("step s", "forward s", "backward s", "messages s", "evaluation s/sample", "memory GiB")
    head = ["run", "calibrated with", "step s", "predicted", *(f"{n.removesuffix(' s')}" for n in names)]
    lines = [head, ["---"] * len(head)]
    for case, rows in zip(cases, found, strict=True):
        values = {name: (measured, predicted) for name, measured, predicted in rows}
        ratios = [f"{values[n][1] / values[n][0]:.2f}" if n in values else "" for n in names]
        step = [f"{value:.3g}" for value in values["step s"]]
        title = f"{case.problem} {case.layout}, batch {case.batch}, {case.precision}"
        lines.append([title, "yes" if case.fits else "", *step, *ratios])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", default="epyc-2core", help="rates to start from: a name, or a file ending in .yaml")
    parser.add_argument("--out", type=Path, default=Path("build/projection"))
    parser.add_argument("--keep", action="store_true", help="use existing logs")
    parser.add_argument("--only", choices=[c.name for c in CASES], help="run this case only, and calibrate nothing")
    options = parser.parse_args()
    try:
        measure(options)
    except (ValueError, OSError) as error:
        print(f"check_projection.py: {error}", file=sys.stderr)
        return 2
    return 0


def measure(options: argparse.Namespace) -> None:
    """Run the cases, and print what was measured and predicted. Raises ValueError and OSError."""
    cases = [case for case in CASES if options.only in (None, case.name)]
    file = prepare(options.out, cases)
    if options.only:
        print(run(*cases, options.out, file))
        return
    logs = []
    for case in CASES:
        log = options.out / f"{case.name}.txt"
        logs.append(log if options.keep and log.exists() else run(case, options.out, file))
        print(case.name, file=sys.stderr, flush=True)
    runs = [read_measured(log, file) for log in logs]
    fitted = [r for r, case in zip(runs, CASES, strict=True) if case.fits]
    system, doubts = calibrate(fitted, load_system(options.system))
    write_text(options.out / "system.yaml", dump_system(system, doubts))
    print(dump_system(system, doubts))
    print(table(CASES, [compare(r, system) for r in runs]))


if __name__ == "__main__":
    sys.exit(main())
