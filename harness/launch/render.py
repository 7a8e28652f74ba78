"""Write the script of a job that makes the runs of a submission on a cluster: for Slurm, Flux, PBS or plain MPI.

    python harness/launch/render.py slurm --problem scale9 --org acme --system box --nodes 8 \\
        --layout 4,2,2,4 --output job.sh

The rules say how many runs there are, and logs go to their place in the submission tree. A layout that does not fit is
refused at once. Settings of train.py go at the end, its options after a lone --. Exit codes: 0 written, 2 a wrong
command.
"""

import argparse
import dataclasses
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing

# isort: split
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmark.problem import UNREACHED
from benchmark.source import ROOT
from benchmark.writing import put, write_text
from harness.container import RUNTIMES
from harness.implementation import DEFAULT, Description
from harness.launcher import Launcher
from harness.options import Setup, add_options, setup_of
from harness.processes import Share
from harness.rehearsal import rehearse, same_network
from rules.current import EDITION
from rules.edition import load

HERE = Path(__file__).resolve().parent
LAUNCHERS = {"slurm": "slurm.sh.j2", "flux": "flux.sh.j2", "pbs": "pbs.sh.j2", "mpi": "mpi.sh.j2"}
ARRAYS, MPI = ("slurm", "pbs"), ("openmpi", "mpich", "pals")
WARNING = 120  # seconds before a job's time limit in which a run can write the end of its log


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher", choices=LAUNCHERS, help="what starts jobs and ranks")
    parser.add_argument("--problem", required=True, help=f"smoke, scale9, cosmoflow, ...; {UNREACHED}")
    parser.add_argument("--nodes", type=int, required=True, help="nodes of the job")
    parser.add_argument("--ranks-per-node", type=int, default=8, help="one for each GPU (default: 8)")
    parser.add_argument("--cores-per-rank", type=int, default=12, help="default: 12")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--layout", help="ranks by data,depth,height,width (default: all by data, if each has a part)")
    add_options(parser)
    parser.add_argument("--out", type=Path, default=Path("results") / EDITION, help=f"default: results/{EDITION}")
    parser.add_argument("--stage", type=Path, help="folder on each node's own disk to copy the data to, on the clock")
    parser.add_argument("--checkpoint", type=Path, help="folder for checkpoints, from which the same job resumes")
    parser.add_argument("--runs", type=int, help="how many runs (default: what the rules ask for)")
    parser.add_argument("--memory", type=float, metavar="GIB", help="of a rank: rehearse them, refuse what cannot fit")
    parser.add_argument("--hours", type=float, default=12.0, help="the job's time limit (default: 12)")
    parser.add_argument("--array", action="store_true", help="a job for each run, one at a time (Slurm, PBS)")
    parser.add_argument("--container", default="", help="image: a file, or what the runtime takes for one")
    parser.add_argument("--runtime", default="apptainer", choices=RUNTIMES, help="default: apptainer")
    parser.add_argument("--mpi", default="openmpi", choices=MPI, help="whose mpiexec it is (PBS, MPI)")
    parser.add_argument("--directive", action="append", default=[], help="another one, such as --directive=-Aproject")
    parser.add_argument("--rank-option", action="append", default=[], help="another word for what starts ranks")
    parser.add_argument("--gres", action="store_true", help="ask Slurm for --gres=gpu:N, not for --gpus-per-node=N")
    parser.add_argument("--output", type=Path, help="file to write (default: the screen)")
    parser.add_argument("settings", nargs="*", metavar="field=value", help="passed on to train.py")
    parser.set_defaults(entry=None, registry=None)  # of submit.py, which the job gives in its own words
    args = parser.parse_intermixed_args(arguments)
    if Path.cwd() != ROOT:  # where the job looks for relative paths
        for name in ("data", "problems", "config", "out", "stage", "checkpoint"):
            if (path := getattr(args, name)) and path != parser.get_default(name):
                setattr(args, name, path.absolute())
        if Path(args.container).is_file():
            args.container = str(Path(args.container).absolute())
    return args


def values(args: argparse.Namespace, words: Sequence[str]) -> dict[str, Any]:
    """Return the values for the templates. `words` is the command. Raises ValueError for a job that cannot run."""
    check(args, words)
    setup = setup_of(args, Launcher())
    problem = setup.definition
    known = load(EDITION).benchmarks.get(problem.workload)
    if known is None:
        raise ValueError(f"--problem: the rules {EDITION} know no benchmark {problem.workload}")
    ranks, gpus = args.nodes * args.ranks_per_node, args.ranks_per_node if args.device == "cuda" else 0
    seconds = round(3600 * args.hours)
    described = None if args.container else refuse(setup, ranks, args.ranks_per_node)
    if args.memory is not None:
        if described is None:  # what runs in a container cannot be asked here
            raise ValueError("--memory: found ranks that cannot be described here, wanted no --container")
        fit(described, args)
    return {
        **vars(args),
        "root": ROOT,
        "command": shlex.join(["python", "harness/launch/render.py", *words]),
        "benchmark": problem.workload,
        "runs": args.runs or known.runs,
        "name": args.problem if args.problem.startswith(problem.workload) else f"{problem.workload}-{args.problem}",
        "ranks": ranks,
        "gpus": gpus,
        "data": args.data or Path("data") / args.problem,
        "stage": args.stage or "",
        "checkpoint": args.checkpoint or "",
        "minutes": seconds // 60,
        "hours_minutes": f"{seconds // 3600:02}:{seconds // 60 % 60:02}:00",
        "limit": seconds - WARNING,
        "words": "".join(f" {shlex.quote(word)}" for word in args.rank_option),
        "options": options(args),
    }


def options(args: argparse.Namespace) -> list[str]:
    """Return the options of submit.py that the job's variables do not change."""
    names = ["implementation", "problem", "problems", "config", "org", "system", "division", "status", "out", "layout"]
    names += ["runtime"] if args.container else []
    given = [word for name in names if (value := getattr(args, name)) for word in (f"--{name}", str(value))]
    return [*given, f"device={args.device}", *args.settings]


def check(args: argparse.Namespace, words: Sequence[str]) -> None:
    """Raise ValueError for options that contradict each other, or that no job can have."""
    for name in ("nodes", "ranks_per_node", "cores_per_rank", "runs"):
        if (number := getattr(args, name)) is not None and number < 1:
            raise ValueError(f"--{name.replace('_', '-')}: found {number}, wanted 1 or more")
    if not 0.1 <= args.hours <= 10_000:
        raise ValueError(f"--hours: found {args.hours:g}, wanted 0.1 to 10000")
    if args.gres and args.launcher != "slurm":
        raise ValueError(f"--gres: found {args.launcher}, wanted slurm")
    if args.array and args.launcher not in ARRAYS:
        raise ValueError(f"--array: {args.launcher} has no job arrays, wanted {' or '.join(ARRAYS)}")
    if args.container and args.runtime == "pyxis" and args.launcher != "slurm":
        raise ValueError(f"--runtime: found pyxis with {args.launcher}, wanted slurm, whose srun it belongs to")
    for word in words:
        if not word.isprintable():
            raise ValueError(f"found {word!r}, wanted words on one line")


def refuse(setup: Setup, ranks: int, per_node: int) -> Description | None:
    """Return what rank 0 of the job says of its run, as if on processors; None if the implementation can't. Raise
    ValueError for a layout or settings that every run would refuse."""
    place = {"RANK": 0, "WORLD_SIZE": ranks, "LOCAL_RANK": 0, "LOCAL_WORLD_SIZE": per_node}
    share = Share(variables={name: str(value) for name, value in place.items()})
    described = dataclasses.replace(setup, settings=(*setup.settings, "device=cpu")).describe(share)
    samples = described.settings.get("batch_size") if described else None
    if described and isinstance(samples, int) and described.layout[0] > samples:
        shown = ",".join(map(str, described.layout))
        raise ValueError(f"--layout: found {shown}, wanted a part of the batch of {samples} for each replica")
    return described


def fit(described: Description, args: argparse.Namespace) -> None:
    """Raise ValueError where a rehearsal of the ranks says that they cannot run, or cannot be made. On GPUs runs have
    bfloat16 unless a setting says otherwise."""
    if not same_network(described, ROOT / "implementations" / DEFAULT):
        raise ValueError("--memory: found another network than the reference's, wanted that, which can be rehearsed")
    if args.device == "cuda" and not any(word.startswith("precision=") for word in args.settings):
        described = dataclasses.replace(described, settings={**described.settings, "precision": "bfloat16"})
    code, said = rehearse(described, args.memory)
    if code:
        raise ValueError(f"--memory: found ranks that cannot run so, wanted others: {said[0]}")


def render(args: argparse.Namespace, words: Sequence[str]) -> str:
    """Return the script. Raises ValueError for a job that cannot run."""
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # no HTML: `q` quotes for the shell
    )
    templates.filters["q"] = lambda value: shlex.quote(str(value))
    return templates.get_template(LAUNCHERS[args.launcher]).render(values(args, words))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the script. Return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    args = parse(words)
    try:
        script = render(args, words)
        if args.output:
            write_text(args.output, script, executable=True)
        else:
            put(script)
    except (ValueError, OSError) as error:
        print(f"render.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
