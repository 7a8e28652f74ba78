"""manifest.json: what a finished dataset holds. Written once every sample is there, by whoever finds it so."""

import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark import fingerprint
from benchmark.config import shallow
from benchmark.problem import Problem
from benchmark.store import Header, read_header, sample_path, sync

SPLITS = ("train", "validation")


@dataclass(frozen=True)
class Entry:
    """One sample: its split, the sum of its bricks' sha256 and its voxels by class, background first."""

    sample: int
    split: str
    digest: str
    class_counts: tuple[int, ...]


@dataclass(frozen=True)
class Manifest:
    """A finished dataset. `fingerprints` and `class_counts` are by split."""

    problem: dict[str, Any]
    problem_digest: str
    entries: tuple[Entry, ...]  # in order of sample id
    fingerprints: dict[str, str]
    class_counts: dict[str, tuple[int, ...]]


def manifest_path(root: Path) -> Path:
    return Path(root) / "manifest.json"


def summarize(problem: Problem, entries: list[Entry]) -> Manifest:
    """The manifest of a problem's samples. Raises ValueError unless each sample is there once, in its split."""
    entries = sorted(entries, key=lambda e: e.sample)
    wanted = [(sample, split) for split in SPLITS for sample in problem.split_samples(split)]
    if [(e.sample, e.split) for e in entries] != wanted:
        raise ValueError(
            f"found {len(entries)} entries, wanted samples 0..{problem.samples - 1}, each once in its split"
        )
    digests = {s: [fingerprint.from_hex(e.digest) for e in entries if e.split == s] for s in SPLITS}
    counts = {s: zip(*(e.class_counts for e in entries if e.split == s), strict=True) for s in SPLITS}
    return Manifest(
        problem=shallow(problem),
        problem_digest=problem.digest(),
        entries=tuple(entries),
        fingerprints={s: fingerprint.to_hex(fingerprint.add(*digests[s])) for s in SPLITS},
        class_counts={s: tuple(map(sum, counts[s])) for s in SPLITS},
    )


def missing(root: Path, problem: Problem) -> list[tuple[str, int]]:
    """(split, sample) of the files that are not there, by listing the folders: no file is opened."""
    absent = []
    for split in SPLITS:
        folder = Path(root) / split
        names = set(os.listdir(folder)) if folder.is_dir() else set()
        absent += [(split, s) for s in problem.split_samples(split) if sample_path(root, split, s).name not in names]
    return absent


def checked_header(root: Path, problem: Problem, split: str, sample: int) -> Header:
    """The header of a sample's file. Raises ValueError naming the file if it belongs to another problem."""
    path = sample_path(root, split, sample)
    header = read_header(path)
    if header.problem != problem.digest():
        raise ValueError(
            f"{path}: made for problem digest {header.problem}, wanted {problem.digest()} ({problem.name})"
        )
    return header


def write_manifest(root: Path, problem: Problem) -> Manifest:
    """Compile the manifest from the files' headers and write it, atomically.

    Several processes may do so at once: they write the same bytes. Raises ValueError if a file is missing or wrong.
    """
    entries = []
    for split in SPLITS:
        for sample in problem.split_samples(split):
            header = checked_header(root, problem, split, sample)
            entries.append(Entry(sample, split, header.digest, header.class_counts))
    manifest = summarize(problem, entries)
    path = manifest_path(root)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(to_json(manifest))
        sync(temporary)
        os.replace(temporary, path)
        sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return manifest


def to_json(manifest: Manifest) -> str:
    """The text of manifest.json: one line a sample."""
    samples = [
        json.dumps({"id": e.sample, "split": e.split, "digest": e.digest, "class_counts": e.class_counts})
        for e in manifest.entries
    ]
    head = json.dumps(
        {
            "problem": manifest.problem,
            "problem_digest": manifest.problem_digest,
            "fingerprints": manifest.fingerprints,
            "class_counts": manifest.class_counts,
        },
        indent=1,
    )
    return head[:-2] + ',\n "samples": [\n  ' + ",\n  ".join(samples) + "\n ]\n}\n"


def load_manifest(root: Path, problem: Problem) -> Manifest:
    """The manifest of a finished dataset of this problem.

    Raises ValueError, one line, if it is missing, unreadable, of another problem or contradicts itself.
    """
    path = manifest_path(root)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        state = "is not a finished dataset" if Path(root).is_dir() else "does not exist"
        hint = f"run: python benchmark/generate.py --problem {problem.name} --out {root}"
        raise ValueError(f"{path}: no manifest: {root} {state}; {hint}") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None
    try:
        if found["problem_digest"] != problem.digest():
            name = found["problem"].get("name")
            raise ValueError(
                f"found problem {name!r} with digest {found['problem_digest']}, "
                f"wanted {problem.name!r} with digest {problem.digest()}"
            )
        entries = [Entry(e["id"], e["split"], e["digest"], tuple(e["class_counts"])) for e in found["samples"]]
        manifest = summarize(problem, entries)
        if found["fingerprints"] != manifest.fingerprints:
            raise ValueError("the fingerprints are not the sums of the samples' digests")
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not a manifest of ours: {error!r}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return manifest
