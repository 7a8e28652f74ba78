"""Write a network as ONNX, with the final weights of a logged run, or with fresh weights for a problem.

    python implementations/pytorch_tools/export.py LOG --out smoke.onnx
    python implementations/pytorch_tools/export.py --problem smoke --out smoke.onnx

The weights of a log are `weights/result_<i>.safetensors` beside it, and must have the sha256 that it states. They are
loaded into this folder's network, which runs in float32 and in evaluation mode (dropout off, stored statistics). The
model's `input` is the network's, (N, ...) with N open, as `to_input` in <workload>/model.py makes it. Its `output` are
the network's logits or parameters.

The written model is run by ONNX Runtime on random numbers and compared with PyTorch. The largest difference, relative
to the largest output, must be at most 1e-4. Install the packages of the extra `export` in pyproject.toml first. Exit
codes: 0 written and equal, 1 the outputs differ, 2 it could not be written or run.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.config import build, load_settings
from benchmark.printable import printable
from benchmark.problem import load_problem
from benchmark.run.errors import reason
from benchmark.run.files import weights_path
from harness.auditing.logged import matches, read_run
from implementations.pytorch.config import config_path, resolve
from implementations.pytorch.task import Task, build_task, config_class
from implementations.pytorch_tools.exporting.onnx import LARGEST, difference, write
from implementations.pytorch_tools.exporting.plain import input_of, plain
from implementations.pytorch_tools.reevaluation import read_weights

IEEE = {"precision": "float32", "device": "cpu", "compile": False}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", nargs="?", type=Path, help="the log of a run with final weights")
    parser.add_argument("--problem", help="export this problem's network with fresh weights")
    parser.add_argument("--out", type=Path, required=True, help="file to write, *.onnx")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--unchecked", action="store_true", help="don't run the written model, which takes its memory")
    args = parser.parse_args(arguments)
    if (args.log is None) == (args.problem is None):
        parser.error(f"found {'neither' if args.log is None else 'both'} LOG and --problem, wanted one of them")
    if args.out.suffix != ".onnx":
        parser.error(f"--out: found {args.out.name}, wanted a name that ends in .onnx")
    return args


def main(arguments: Sequence[str] | None = None) -> int:
    """Export and check. Return the exit code."""
    args = parse(arguments)
    try:
        if args.out.exists():
            raise ValueError(f"{args.out}: found a file, wanted a new name: nothing is overwritten")
        task = fresh(args) if args.problem else logged(args)
        model = task.build_model()
        if args.log:
            run = read_run(args.log)
            model.load_state_dict(read_weights(weights_path(args.log), run.weights, model), strict=False)
        model.eval()
        x = input_of(task, model)
        write(plain(model), x, args.out)
        if args.unchecked:
            print(f"{args.out}: written, not checked")
            return 0
        found = difference(model, x, args.out)
    except (ValueError, OSError, ImportError) as error:
        print(printable(f"export.py: {reason(error)}"), file=sys.stderr)
        return 2
    print(f"{args.out}: differs from PyTorch by {found:.2g} of the largest output, wanted at most {LARGEST:g}")
    return 0 if found <= LARGEST else 1


def fresh(args: argparse.Namespace) -> Task:
    """Return the task of a problem, with its published settings."""
    problem = load_problem(args.problem, args.problems)
    path = config_path(problem.name)
    config = load_settings(config_class(problem.workload), path, path.read_bytes(), [])
    return build_task(problem, resolve(build(type(config), {**config.fields(), **IEEE}, "export"), 1, 1))


def logged(args: argparse.Namespace) -> Task:
    """Return the task of a logged run. Raises ValueError for a log without final weights, or of another problem."""
    run = read_run(args.log)
    if run.weights is None:
        raise ValueError(f"{args.log}: found no final weights, wanted their sha256 after run_stop")
    problem = load_problem(run.problem, args.problems)
    matches(run, problem)
    cls = config_class(run.benchmark)
    return build_task(problem, resolve(build(cls, IEEE, "export"), 1, 1))


if __name__ == "__main__":
    sys.exit(main())
