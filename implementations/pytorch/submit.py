"""Make a submission: generate the data if it is absent, make the missing runs, and write the submission tree.

    python implementations/pytorch/submit.py --problem smoke --runs 5 --org reference --system laptop

Every run is a process of its own with a seed of its own. One rank on a CPU is forked from a process that has loaded
PyTorch (warm.py). The files that a run loaded are copied to source/ in the submission. The same command again makes
what is missing: finished runs stay, and interrupted ones are moved to superseded/ and made again, or resumed from a
checkpoint. Nothing is deleted.
Exit codes: 0 every run reached the target, 1 some did not or were interrupted, 2 nothing could be run, 128 + n ended by
signal n.
"""

import argparse
import contextlib
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would, as part of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    __package__ = f"implementations.{Path(__file__).resolve().parent.name}"

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.atomic import replacing
from benchmark.launch import Launch, usable_cores
from benchmark.manifest import Manifest, load_manifest, missing
from benchmark.problem import load_problem
from benchmark.tree import WEAK, set_path, system_path
from benchmark.workload import AnyProblem
from rules.edition import load
from rules.registry import NAME as REGISTRY

from .config import RunConfig, config_path, gpu_of, gpus, load_config, resolve
from .measuring.system import describe_system
from .parallel.layout_search import arrange
from .start import Warm, begin, environment, exit_code, exit_on_signals, program, run_program, warm_process
from .submitting import at_once, study
from .submitting.campaign import Campaign
from .submitting.description import filled_in
from .submitting.preflight import foresee, judged_by, measure, plan, report, want_room
from .task import build_task, config_class
from .training.assigned import read_assigned
from .training.events import EDITION, Submission
from .training.stop import reason as why

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", required=True, help="smoke, scale6, ...")
    parser.add_argument(
        "--runs", type=int, help="how many runs, 0 for the tree alone (default: what the rules ask for)"
    )
    parser.add_argument("--org", required=True, help="who submits: a folder name")
    parser.add_argument("--system", required=True, help="what on: a file name")
    parser.add_argument("--division", default="closed", choices=("closed", "open"))
    parser.add_argument("--status", default="onprem", choices=("onprem", "cloud", "research"))
    parser.add_argument("--out", type=Path, default=ROOT / "results" / EDITION, help=f"default: results/{EDITION}")
    parser.add_argument("--data", type=Path, help="the dataset (default: data/<problem>)")
    parser.add_argument("--nproc", type=int, help="ranks a run, by torchrun (default: the layout's, or 1)")
    parser.add_argument("--nodes", type=int, default=1, help="nodes of a job that starts ranks itself (with --runs 0)")
    parser.add_argument("--layout", help="ranks by data,depth,height,width (default: all by data)")
    parser.add_argument("--entry", type=int, help="number of the entry in the registry that assigns the seeds")
    parser.add_argument("--registry", type=Path, help="the round's registry (default: registry.yaml in --out)")
    parser.add_argument("--register", action="store_true", help="make no runs, print what to register for them")
    parser.add_argument("--checkpoint", type=Path, help="a folder for checkpoints, from which runs are resumed")
    parser.add_argument("--anew", action="store_true", help="begin a new set and move the present runs aside")
    parser.add_argument("--aside", type=int, metavar="RUN", help="make no runs, move the files of this one aside")
    parser.add_argument("--check", action="store_true", help="make no runs, say beforehand what is wrong with them")
    study.add_options(parser)
    at_once.add_options(parser)
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--config", type=Path, help="defaults instead of configs/<problem>.yaml")
    parser.add_argument("settings", nargs="*", metavar="field=value", help="passed on to train.py")
    args = parser.parse_intermixed_args(arguments)
    study.check_options(parser, args)
    at_once.check_options(parser, args)
    if args.registry and args.entry is None:
        parser.error("--registry: found no --entry, wanted --entry N too")
    args.registry = (args.registry or args.out / REGISTRY).resolve()
    args.nproc = args.nproc or ranks(args.layout or "1")
    if args.runs is not None and args.runs < 0:
        parser.error(f"--runs: found {args.runs}, wanted 0 or more")
    if args.nodes < 1 or args.nproc % args.nodes:
        parser.error(f"--nodes: found {args.nodes} for {args.nproc} ranks, wanted as many ranks on each")
    if args.nodes > 1 and args.runs != 0 and args.aside is None:
        parser.error("--nodes: found runs to make, wanted --runs 0: torchrun starts ranks on this node alone")
    return args


def ranks(layout: str) -> int:
    """Return how many ranks a layout such as "2,1,1,1" has; 1 for one that train.py will refuse."""
    return math.prod(map(int, layout.split(","))) if re.fullmatch(r"\d{1,6}(,\d{1,6})*", layout) else 1


def check_settings(args: argparse.Namespace) -> RunConfig:
    """Return the resolved config of the runs. Raises ValueError for settings or a layout that a run would refuse."""
    settings = [*args.settings, *([f"layout=[{args.layout}]"] if args.layout else [])]
    problem = load_problem(args.problem, args.problems)
    config = load_config(config_class(problem.workload), args.config or config_path(args.problem), settings)
    local = args.nproc // args.nodes
    config = resolve(config, usable_cores() // models_at_once(args), local, args.nproc)
    if config.device == "cuda":
        gpu_of(Launch(0, args.nproc, 0, local, "none"))
    if config.batch_size > problem.train_samples:
        raise ValueError(f"batch_size: found {config.batch_size}, wanted at most the {problem.train_samples} samples")
    arrange(config.layout, config.tile, problem, 0, args.nproc, config.batch_size // config.accumulate)
    return config


def models_at_once(args: argparse.Namespace) -> int:
    """Return how many models share the node."""
    return getattr(args, "throughput", None) or 1


def train_options(args: argparse.Namespace, log: Path) -> list[str]:
    """Return train.py's options for one run."""
    names = ("problem", "problems", "config", "data", "org", "system", "division", "status", "layout")
    names += ("registry", "entry") if args.entry is not None else ()
    options = [part for name in names if (value := getattr(args, name)) for part in (f"--{name}", str(value))]
    return [*options, "--log", str(log), *args.settings]


def generate(args: argparse.Namespace) -> int:
    """Generate the missing samples of the dataset. Return the exit code."""
    problem = load_problem(args.problem, args.problems)
    try:
        manifest = load_manifest(args.data, problem)
    except ValueError:
        manifest = None  # the generator reports the fault, or makes the dataset
    if manifest and not missing(args.data, problem):
        same_data(manifest, args.problem, args.data)
        return 0
    command = [sys.executable, str(ROOT / "benchmark" / "generate.py"), "--problem", args.problem]
    command += ["--problems", str(args.problems)] if args.problems else []
    return subprocess.run([*command, "--out", str(args.data)], stdout=subprocess.DEVNULL).returncode


def same_data(manifest: Manifest, problem: str, data: Path) -> None:
    """Raise ValueError if a published problem's dataset is not the published one."""
    published = load(EDITION).problems.get(problem)
    for split, wanted in published.fingerprints.items() if published else ():
        if manifest.problem_digest == published.problem_digest and manifest.fingerprints[split] != wanted:
            found = f"found {split} fingerprint {manifest.fingerprints[split]}, wanted {wanted}"
            raise ValueError(f"{data / 'manifest.json'}: {found} as the rules publish it")


def write_system(submission: Path, args: argparse.Namespace, config: RunConfig) -> None:
    """Write the system description, unless there is one, which a person may have completed."""
    path = system_path(submission, args.system)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        accelerators = models_at_once(args) * args.nproc // args.nodes if config.device == "cuda" else None
        names = (args.system, args.org, args.division, args.status)
        fields = filled_in(HERE / "systems", args.system, describe_system(*names, args.data, args.nodes, accelerators))
        with replacing(path) as file:
            file.write_text(json.dumps(fields, indent=4) + "\n", encoding="utf-8")


def run_once(args: argparse.Namespace, log: Path, warm: Warm | None, more: Sequence[str] = ()) -> int:
    """Make one run, with more options. Return its exit code."""
    options = [*train_options(args, log), *more]
    if forked := warm.start(options) if warm else None:
        return exit_code(forked)
    return run_program([*program(HERE / "train.py", args.nproc), *options], environment(ROOT))


def run_alone(args: argparse.Namespace, log: Path, more: Sequence[str]) -> int:
    """Make one run in a process of its own, with more options. Return its exit code."""
    return run_once(args, log, None, more)


def register(args: argparse.Namespace, warm: Warm | None) -> int:
    """Measure one step, started as a run, and print what its log says to register. Return the exit code."""
    args.entry, args.settings = None, [*args.settings, "--steps", "1"]
    with tempfile.TemporaryDirectory(prefix="register-") as folder:
        log = Path(folder) / "result_0.txt"
        if code := run_once(args, log, warm):
            return code
        return subprocess.run([sys.executable, str(ROOT / "compliance" / "register.py"), str(log)]).returncode


def main(arguments: Sequence[str] | None = None) -> int:
    """Make data, runs and tree, for one system or for a study. Return the exit code."""
    args = parse(arguments)
    args.data = (args.data or ROOT / "data" / args.problem).resolve()
    if not args.study:
        return submit(args)
    try:
        args.workload = load_problem(args.problem, args.problems).workload
        with exit_on_signals():
            return study.run_study(args, submit, run_alone, check_settings, ranks)
    except (ValueError, OSError) as error:
        print(f"submit.py: {why(error)}", file=sys.stderr)
        return 2


def submit(args: argparse.Namespace) -> int:
    """Make data, runs and tree for one system. Return the exit code."""
    submission = args.out.resolve() / args.org
    for name in (args.org, args.system):
        if not re.fullmatch(r"[\w][\w.+-]*", name):
            print(f"submit.py: found {name!r}, wanted a name of letters, digits and . _ + -", file=sys.stderr)
            return 2
    try:
        problem = load_problem(args.problem, args.problems)
        benchmark = problem.workload
        args.runs = load(EDITION).benchmarks[benchmark].runs if args.runs is None else args.runs
        config = check_settings(args)
        if args.entry is not None:
            read_assigned(args.registry, args.entry, 0)
        if args.throughput:
            args.settings = [*args.settings, f"threads={config.threads}"]  # train.py doesn't know of the others
            home = set_path(submission, args.system, benchmark, WEAK)
            parts = at_once.shares(args.nproc, args.throughput, gpus() if config.device == "cuda" else 0)
        else:
            home, parts = None, [{}]
        place = (submission, args.system, benchmark, args.problem, args.runs, config)
        start = lambda log, more: run_once(args, log, warm, more)  # noqa: E731  of the process that is warm by then
        campaign = Campaign(*place, start, args.checkpoint, args.config, home)
        if args.aside is not None:
            place = campaign.put_aside(args.aside)
            print(f"result_{args.aside}: {f'now in {place}' if place else 'not there'}", file=sys.stderr)
            return 0
        makes = args.register or args.anew or not campaign.complete()
        published = None if args.problems else load(EDITION).problems.get(args.problem)
        if args.check:
            same_data(load_manifest(args.data, problem), args.problem, args.data)
        described = system_path(submission, args.system).exists()
        write_system(submission, args, config)
        if published and makes and refused(campaign, args, problem):
            if not described:  # what is refused leaves nothing behind
                system_path(submission, args.system).unlink()
            return 1 if args.check else 2
        runs = makes and args.runs
        with exit_on_signals(), warm_process(args.nproc, config) if runs else contextlib.nullcontext() as warm:
            if not args.check and generate(args):
                return 2
            if args.register:
                return register(args, warm)
            begins = args.anew or not any(found.over for found in campaign.standings())
            if args.check or (published and args.runs and begins):
                found = measure(campaign, EDITION)
                if isinstance(found, int):
                    how = f"was killed by signal {-found}" if found < 0 else f"ended with exit code {found}"
                    print(f"submit.py: a first step {how}; no run was made", file=sys.stderr)
                    return 2
                lines = [*plan(campaign, found, published, len(parts)), judged_by(EDITION, args.division)]
                report(found, lines, lambda line: print(line, file=sys.stderr))
                want_room(campaign, found)
                if args.check or found.wrong:
                    return 1 if args.check and found.wrong else 2 if found.wrong else 0
            if args.throughput and args.runs:
                begun = lambda log, more: begin(args.nproc, train_options(args, log), warm, more)  # noqa: E731
                return at_once.make(campaign, parts, begun, args.anew)
            return campaign.make(args.anew) if args.runs else 0
    except SystemExit as end:
        print("submit.py: interrupted; the same command goes on with what is missing", file=sys.stderr)
        raise end from None
    except (ValueError, OSError) as error:
        print(f"submit.py: {why(error)}", file=sys.stderr)
        return 2


def refused(campaign: Campaign, args: argparse.Namespace, problem: AnyProblem) -> bool:
    """Return whether the rules refuse the settings or the description, and print why, before anything runs."""
    names = Submission(args.org, args.system, args.division, args.status)
    found = foresee(campaign, names, build_task(problem, campaign.config), EDITION)
    wrong = [words for severity, words in found if severity == "error"]
    for words in wrong:
        print(f"error: {words}", file=sys.stderr)
    if wrong:
        print(judged_by(EDITION, args.division), file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
