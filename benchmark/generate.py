"""Generate a problem's dataset: `python benchmark/generate.py --problem P --out DIR [--workers N]`.

Alone, with worker processes, or under any launcher (see benchmark/launch.py): sample ids are dealt out over
all workers of all ranks, and the bytes don't depend on who makes them. Start it again after an interruption:
finished files are kept. `--verify` re-reads and re-digests; `--stream` computes fingerprints without storing;
`--dry-run` only says what would be written. `--manifest` reads data that came from elsewhere, as MLPerf HPC's does,
and writes its manifest: a site does so once. Beside the manifest lies its description for catalogues, croissant.json;
`--manifest` also writes it for data that were generated without one. `--held-out SEED` makes other data of the same
definition, for reviewers.

Exit code: 0 done, 1 the dataset is wrong (--verify), 2 could not.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing

# isort: split
from tqdm import tqdm

from benchmark.atomic import sweep
from benchmark.croissant import croissant_path, faults, write_croissant
from benchmark.launch import Launch, detect_launch
from benchmark.manifest import (
    SPLITS,
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
from benchmark.problem import load_problem
from benchmark.workers import share, work
from benchmark.workload import AnyProblem, held_out, module_of

Task = tuple[str, int]  # split, sample


def tasks(problem: AnyProblem) -> list[Task]:
    """Every sample of the problem."""
    return [(split, sample) for split in SPLITS for sample in problem.split_samples(split)]


def make_one(root: Path, problem: AnyProblem, task: Task) -> None:
    """Generate and store one sample."""
    module_of(problem).make_sample(root, problem, *task)


def state_one(root: Path, problem: AnyProblem, task: Task) -> Entry:
    """What a stored sample's file states."""
    return module_of(problem).state_sample(root, problem, *task)


def stream_one(root: Path, problem: AnyProblem, task: Task) -> Entry:
    """The entry of one sample that is never stored."""
    return module_of(problem).stream_sample(problem, *task)


def verify_one(root: Path, problem: AnyProblem, task: Task) -> Entry | str:
    """The entry of one stored sample, every byte of it read, or a line that names its file and says what is wrong."""
    module = module_of(problem)
    try:
        found = module.measure_sample(root, problem, *task)
        stated = found  # where files state nothing
        if module.state_sample is not module.measure_sample:
            stated = module.state_sample(root, problem, *task)
    except ValueError as error:
        return str(error)
    if found != stated:
        path = module.sample_path(root, problem, *task)
        return f"{path}: found digest {found.digest}, wanted {stated.digest}, which the file states"
    return found


def refuse_full_disk(root: Path, needed: int) -> None:
    """Raises ValueError if the disk under `root` has less than `needed` bytes for us."""
    folder = root.absolute()
    while not folder.exists():
        folder = folder.parent
    available = shutil.disk_usage(folder).free
    if needed > available:
        raise ValueError(f"{root}: too little disk: {needed} bytes needed, {available} bytes available")


def generate(
    root: Path,
    problem: AnyProblem,
    workers: int = 1,
    launch: Launch | None = None,
    wanted: Sequence[Task] | None = None,
) -> Manifest | None:
    """Make the samples of this rank's share that are missing; the manifest if the dataset is then complete. With
    `wanted`, no others are made.

    Raises ValueError for a folder that holds another problem, too little disk, a worker that failed, or a sample that
    vanished.
    """
    launch = launch or detect_launch()
    sweep([manifest_path(root), croissant_path(root)])
    if manifest_path(root).exists():
        manifest = load_manifest(root, problem)
        if not missing(root, problem):
            return manifest
    wanted = tasks(problem) if wanted is None else wanted
    absent = set(missing(root, problem)).intersection(wanted)
    for task in [t for t in wanted if t not in absent][:1]:
        state_one(root, problem, task)  # one is enough: never mix two problems in a folder
    module = module_of(problem)
    refuse_full_disk(root, len(absent) * module.file_bytes(problem))
    mine = [t for t in share(tasks(problem), launch.rank, launch.world_size) if t in absent]
    sweep(module.sample_path(root, problem, *task) for task in mine)
    for _ in progress(work(make_one, root, problem, mine, workers), len(mine), "generate", launch):
        pass
    absent = missing(root, problem)
    if gone := sorted(set(absent).intersection(mine)):
        split, sample = gone[0]
        raise ValueError(f"{module.sample_path(root, problem, split, sample)}: gone since it was made")
    return None if absent else record(root, problem)


def record(root: Path, problem: AnyProblem, workers: int = 1) -> Manifest:
    """Write the manifest of samples that are all there, generated or not, and its description. Raises ValueError for a
    sample that is not."""
    absent = missing(root, problem)
    if absent:
        split, sample = absent[0]
        found = f"found {problem.samples - len(absent)} of {problem.samples} samples"
        raise ValueError(f"{root}: {found}; the first that is missing is sample {sample} of {split}")
    entries = work(state_one, root, problem, tasks(problem), workers)
    manifest = write_manifest(root, problem, progress(entries, problem.samples, "manifest", None))
    write_croissant(root, problem, manifest)
    return manifest


def verify(root: Path, problem: AnyProblem, workers: int = 1, launch: Launch | None = None) -> list[str]:
    """What is wrong with a dataset, one line a fault: every brick of this rank's share is read and digested.

    The manifest is held against the files' headers, which the bricks were held against. Raises ValueError if
    there is no manifest of this problem.
    """
    launch = launch or detect_launch()
    entries = {(e.split, e.sample): e for e in load_manifest(root, problem).entries}
    mine = share(tasks(problem), launch.rank, launch.world_size)
    faults = []
    for found in progress(work(verify_one, root, problem, mine, workers), len(mine), "verify", launch):
        if isinstance(found, str):
            faults.append(found)
        elif found != (entry := entries[found.split, found.sample]):
            path = module_of(problem).sample_path(root, problem, found.split, found.sample)
            faults.append(f"{path}: found digest {found.digest}, wanted {entry.digest}, which the manifest states")
    return faults


def stream(problem: AnyProblem, workers: int = 1) -> Manifest:
    """The manifest that the problem's dataset would have, without storing it."""
    entries = progress(work(stream_one, Path(), problem, tasks(problem), workers), problem.samples, "stream", None)
    return summarize(problem, list(entries))


def progress(items, total: int, what: str, launch: Launch | None):
    """The items, with a bar on rank 0's stderr if that is a terminal (tqdm's `disable=None`)."""
    return tqdm(items, total=total, desc=what, unit="sample", disable=True if launch and launch.rank else None)


def describe(problem: AnyProblem, manifest: Manifest) -> str:
    """What rules/<edition>/limits.yaml publishes of a dataset, as YAML."""
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
    """What would be written: files and bytes."""
    absent, size = len(missing(root, problem)), module_of(problem).file_bytes(problem)
    return (
        f"{problem.name}: {problem.samples} samples of {' x '.join(map(str, problem.shape))} voxels\n"
        f"to write: {absent} files of up to {size} bytes, {absent * size} bytes together, and manifest.json\n"
        f"already there: {problem.samples - absent} files in {root}"
    )


def run(options: argparse.Namespace) -> int:
    """The command. Raises ValueError or OSError for what the caller can mend."""
    problem, launch = load_problem(options.problem, options.problems), detect_launch()
    if options.held_out is not None:  # nobody trains on it
        problem, options.split = held_out(problem, options.held_out), "validation"
    keep_freed_memory()
    workers = options.workers or max(1, (os.cpu_count() or 1) // launch.local_world_size)
    if options.stream:
        print(describe(problem, stream(problem, workers)))
        return 0
    if options.out is None:
        raise ValueError("--out: wanted, except with --stream")
    if options.dry_run:
        print(dry_run(options.out, problem))
        return 0
    if options.verify:
        wrong = verify(options.out, problem, workers, launch)
        wrong += faults(options.out, problem) if launch.rank == 0 else []
        for line in wrong:
            print(line)
        if not wrong:
            verified = len(share(tasks(problem), launch.rank, launch.world_size))
            print(f"{options.out}: {verified} samples of {problem.name} verified")
        return 1 if wrong else 0
    if options.manifest:
        print(describe(problem, record(options.out, problem, workers)))
        return 0
    finished_before = manifest_path(options.out).exists()
    wanted = [task for task in tasks(problem) if options.split in (None, task[0])]
    manifest = generate(options.out, problem, workers, launch, wanted)
    if manifest and (launch.rank == 0 or not finished_before):  # of several ranks, the last to finish
        print(describe(problem, manifest))
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description="Generate a problem's dataset; again to resume.")
    parser.add_argument("--problem", required=True, help="a name in the problems.yaml of a workload")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--out", type=Path, help="folder of the dataset")
    parser.add_argument("--split", choices=SPLITS, help="make this split alone; a dataset of one has no manifest")
    parser.add_argument("--held-out", type=int, metavar="SEED", help="a validation split of fresh data of this seed")
    parser.add_argument("--workers", type=int, help="processes on this rank (default: its share of the cores)")
    parser.add_argument("--dry-run", action="store_true", help="print files and bytes, write nothing")
    parser.add_argument("--verify", action="store_true", help="re-read and re-digest a dataset")
    parser.add_argument("--manifest", action="store_true", help="write the manifest of data that is there already")
    parser.add_argument("--stream", action="store_true", help="print fingerprints without storing anything")
    options = parser.parse_args()
    others = [name for name in ("verify", "dry_run", "manifest", "stream") if getattr(options, name)]
    for name in ("split", "held_out") if others else ():
        if getattr(options, name) is not None:
            found = others[0].replace("_", "-")
            parser.error(f"--{name.replace('_', '-')}: found --{found} too, wanted one of them")
    if options.workers is not None and options.workers < 1:
        parser.error(f"--workers: found {options.workers}, wanted at least 1")
    try:
        code = run(options)
    except (ValueError, OSError) as error:
        print(printable(f"generate.py: {error}"), file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("generate.py: interrupted; start it again to resume", file=sys.stderr)
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
