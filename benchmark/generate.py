"""Generate a problem's dataset: `python benchmark/generate.py --problem P --out DIR [--workers N]`.

It runs alone, with worker processes, or under any launcher (see benchmark/launch.py). Sample ids are dealt out over all
workers of all ranks, and the bytes do not depend on who makes them. After an interruption, start it again: complete
files are kept. The manifest, and croissant.json beside it, are written when all samples are there.

- `--verify` reads and digests a dataset again.
- `--stream` computes the fingerprints without storing anything.
- `--dry-run` says what would be written.
- `--manifest` writes manifest and croissant.json for data that are there already. A site does so once for MLPerf HPC's.
- `--held-out SEED` makes fresh data of the same definition, for reviewers.

Exit codes: 0 done, 1 the dataset is wrong (--verify), 2 it could not be made or read.
"""

import argparse
import itertools
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing

# isort: split
from tqdm import tqdm

from benchmark.atomic import sweep
from benchmark.croissant import croissant_path, faults, write_croissant
from benchmark.environment.system import existing
from benchmark.launch import Launch, cores_of_rank, detect_launch
from benchmark.manifest import (
    Entry,
    Manifest,
    load_manifest,
    manifest_path,
    missing,
    summarize,
    write_manifest,
)
from benchmark.memory import keep_freed_memory
from benchmark.printable import printable
from benchmark.problem import SPLITS, UNREACHED, load_problem
from benchmark.workers import TooLate, share, work
from benchmark.workload import AnyProblem, held_out, maker_of, module_of

Task = tuple[str, int]  # split, sample
Item = TypeVar("Item")


def tasks(problem: AnyProblem) -> list[Task]:
    """Return every sample of the problem."""
    return [(split, sample) for split in SPLITS for sample in problem.split_samples(split)]


def make_one(root: Path, problem: AnyProblem, task: Task) -> None:
    """Generate and store one sample."""
    maker_of(problem).make_sample(root, problem, *task)


def state_one(root: Path, problem: AnyProblem, task: Task) -> Entry:
    """Return the entry that a stored sample's file states."""
    entry: Entry = maker_of(problem).state_sample(root, problem, *task)
    return entry


def stream_one(root: Path, problem: AnyProblem, task: Task) -> Entry:
    """Return the entry of one sample without storing it."""
    entry: Entry = maker_of(problem).stream_sample(problem, *task)
    return entry


def verify_one(root: Path, problem: AnyProblem, task: Task) -> Entry | str:
    """Read every byte of one stored sample. Return its entry, or a line that names its file and the fault."""
    module = maker_of(problem)
    try:
        found: Entry = module.measure_sample(root, problem, *task)
        stated = found  # where files state nothing
        if module.state_sample is not module.measure_sample:
            stated = module.state_sample(root, problem, *task)
    except ValueError as error:
        return str(error)
    if found != stated:
        path = module_of(problem).sample_path(root, problem, *task)
        return f"{path}: found digest {found.digest}, wanted {stated.digest}, which the file states"
    return found


def refuse_full_disk(root: Path, needed: int) -> None:
    """Raise ValueError if the disk under `root` has fewer than `needed` free bytes."""
    available = shutil.disk_usage(existing(root)).free
    if needed > available:
        raise ValueError(f"{root}: too little disk: {needed} bytes needed, {available} bytes available")


def generate(
    root: Path,
    problem: AnyProblem,
    workers: int = 1,
    launch: Launch | None = None,
    wanted: Sequence[Task] | None = None,
) -> Manifest | None:
    """Make the missing samples of this rank's share, or only those of them that are `wanted`. Return the manifest if
    the dataset is complete then, else None.

    Raises ValueError for a folder with another problem's data, too little disk, a failed worker, or a sample that
    vanished.
    """
    launch = launch or detect_launch()
    sweep([manifest_path(root), croissant_path(root)])
    manifest = load_manifest(root, problem) if manifest_path(root).exists() else None
    absent = set(missing(root, problem))
    wanted = tasks(problem) if wanted is None else wanted
    for task in [t for t in wanted if t not in absent][:1]:
        state_one(root, problem, task)  # one is enough to see that the folder holds this problem, as it is written now
    if manifest and not absent:
        return manifest
    absent = absent.intersection(wanted)
    module = module_of(problem)
    refuse_full_disk(root, len(absent) * module.file_bytes(problem))
    mine = [t for t in share(tasks(problem), launch.rank, launch.world_size) if t in absent]
    sweep(module.sample_path(root, problem, *task) for task in mine)
    for _ in progress(work(make_one, root, problem, mine, workers), len(mine), "generate", launch):
        pass
    left = missing(root, problem)
    if gone := sorted(set(left).intersection(mine)):
        split, sample = gone[0]
        raise ValueError(f"{module.sample_path(root, problem, split, sample)}: gone since it was made")
    return None if left else record(root, problem)


def record(root: Path, problem: AnyProblem, workers: int = 1, seconds: float | None = None) -> Manifest:
    """Write manifest and croissant.json of a complete dataset, generated or not, and return the manifest. Raises
    ValueError if a sample is missing, and TooLate if one takes longer than so many `seconds`."""
    absent = missing(root, problem)
    if absent:
        split, sample = absent[0]
        found = f"found {problem.samples - len(absent)} of {problem.samples} samples"
        raise ValueError(f"{root}: {found}; the first that is missing is sample {sample} of {split}")
    entries = work(state_one, root, problem, tasks(problem), workers, seconds)
    manifest = write_manifest(root, problem, progress(entries, problem.samples, "manifest", None))
    write_croissant(root, problem, manifest)
    return manifest


def verify(
    root: Path, problem: AnyProblem, workers: int = 1, launch: Launch | None = None, seconds: float | None = None
) -> Iterator[str]:
    """Read and digest every brick of this rank's share. Yield the dataset's faults as they are found, one line each.

    The bricks are compared with the headers of their files, and the headers with the manifest. Raises ValueError if
    there is no manifest of this problem, and TooLate if a sample takes longer than so many `seconds`.
    """
    launch = launch or detect_launch()
    entries = {(e.split, e.sample): e for e in load_manifest(root, problem).entries}
    mine = share(tasks(problem), launch.rank, launch.world_size)
    for found in progress(work(verify_one, root, problem, mine, workers, seconds), len(mine), "verify", launch):
        if isinstance(found, str):
            yield found
        elif found != (entry := entries[found.split, found.sample]):
            path = module_of(problem).sample_path(root, problem, found.split, found.sample)
            yield f"{path}: found digest {found.digest}, wanted {entry.digest}, which the manifest states"


def stream(problem: AnyProblem, workers: int = 1) -> Manifest:
    """Return the manifest that the problem's dataset would have, without storing anything."""
    entries = progress(work(stream_one, Path(), problem, tasks(problem), workers), problem.samples, "stream", None)
    return summarize(problem, list(entries))


def progress(items: Iterable[Item], total: int, what: str, launch: Launch | None) -> Iterable[Item]:
    """Return the items, with a progress bar on rank 0's stderr if that is a terminal (tqdm's `disable=None`)."""
    hidden = True if launch and launch.rank else None
    shown: Iterable[Item] = tqdm(items, total=total, desc=what, unit="sample", disable=hidden)
    return shown


def describe(problem: AnyProblem, manifest: Manifest) -> str:
    """Return the entry of a dataset for rules/<edition>/limits.yaml, as YAML."""
    lines = [
        f"  {problem.name}:",
        f"    benchmark: {problem.workload}",
        f"    target: {problem.target}",
        f"    train_samples: {problem.train_samples}",
        f"    eval_samples: {problem.validation_samples}",
        f"    data_seed: {problem.data_seed}",
        f"    problem_digest: {manifest.problem_digest}",
        "    fingerprints:",
    ]
    lines += [f"      {split}: {manifest.fingerprints[split]}" for split in SPLITS]
    if any(manifest.class_counts.values()):
        lines += ["    class_counts:"]
        lines += [f"      {split}: {list(manifest.class_counts[split])}" for split in SPLITS]
    return "\n".join(lines)


def dry_run(root: Path, problem: AnyProblem) -> str:
    """Return how many files and bytes would be written, in words."""
    absent, size = len(missing(root, problem)), module_of(problem).file_bytes(problem)
    return (
        f"{problem.name}: {problem.samples} samples of {' x '.join(map(str, problem.shape))} voxels\n"
        f"to write: {absent} files of up to {size} bytes, {absent * size} bytes together, and manifest.json\n"
        f"already there: {problem.samples - absent} files in {printable(str(root))}"
    )


def run(options: argparse.Namespace) -> int:
    """Do what the command line asks for and return the exit code. Raises ValueError or OSError, which `main` prints."""
    problem, launch = load_problem(options.problem, options.problems), detect_launch()
    if options.held_out is not None:  # nobody trains on held-out data
        problem, options.split = held_out(problem, options.held_out), "validation"
    keep_freed_memory()
    workers = options.workers or cores_of_rank(launch)
    if options.stream:
        print(describe(problem, stream(problem, workers)))
        return 0
    if options.out is None:
        raise ValueError("--out: wanted, except with --stream")
    if options.dry_run:
        print(dry_run(options.out, problem))
        return 0
    if options.verify:
        wrong = verify(options.out, problem, workers, launch, options.timeout)
        beside = faults(options.out, problem) if launch.rank == 0 else []
        in_order = True
        for line in itertools.chain(wrong, beside):
            print(printable(line), flush=True)
            in_order = False
        if in_order:
            verified = len(share(tasks(problem), launch.rank, launch.world_size))
            print(printable(f"{options.out}: {verified} samples of {problem.name} verified"))
        return 0 if in_order else 1
    if options.manifest:
        print(describe(problem, record(options.out, problem, workers, options.timeout)))
        return 0
    finished_before = manifest_path(options.out).exists()
    wanted = [task for task in tasks(problem) if options.split in (None, task[0])]
    manifest = generate(options.out, problem, workers, launch, wanted)
    if manifest and (launch.rank == 0 or not finished_before):  # of several ranks, the last to finish
        print(describe(problem, manifest))
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description="Generate a problem's dataset. Start it again to resume.")
    parser.add_argument(
        "--problem",
        required=True,
        help=f"a name in the problems.yaml of a workload; {UNREACHED}",
    )
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--out", type=Path, help="folder of the dataset")
    parser.add_argument("--split", choices=SPLITS, help="make this split alone; both are needed for a manifest")
    parser.add_argument("--held-out", type=int, metavar="SEED", help="make a validation split of fresh data")
    parser.add_argument("--workers", type=int, help="processes on this rank (default: its share of the cores)")
    parser.add_argument("--dry-run", action="store_true", help="print files and bytes, write nothing")
    parser.add_argument("--verify", action="store_true", help="re-read and re-digest a dataset")
    parser.add_argument("--manifest", action="store_true", help="write the manifest of data that is there already")
    parser.add_argument("--stream", action="store_true", help="print fingerprints without storing anything")
    parser.add_argument(
        "--timeout", type=float, default=600.0, metavar="SECONDS", help="for reading a sample (default: %(default)g)"
    )
    options = parser.parse_args()
    others = [name for name in ("verify", "dry_run", "manifest", "stream") if getattr(options, name)]
    for name in ("split", "held_out") if others else ():
        if getattr(options, name) is not None:
            found = others[0].replace("_", "-")
            parser.error(f"--{name.replace('_', '-')}: found --{found} too, wanted one of them")
    if options.held_out is not None and options.split == "train":
        parser.error("--split: found train with --held-out, wanted validation: nobody trains on held-out data")
    if options.workers is not None and options.workers < 1:
        parser.error(f"--workers: found {options.workers}, wanted at least 1")
    if not options.timeout > 0:
        parser.error(f"--timeout: found {options.timeout:g}, wanted more than 0")
    try:
        code = run(options)
    except TooLate as error:
        split, sample = error.task
        late = (
            f"sample {sample} of {split} not read within {options.timeout:g} s: it is damaged, or --timeout too short"
        )
        print(printable(f"generate.py: {options.out}: {late}"), file=sys.stderr)
        code = 2
    except (ValueError, OSError) as error:
        print(printable(f"generate.py: {error}"), file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("generate.py: interrupted; start it again to resume", file=sys.stderr)
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
