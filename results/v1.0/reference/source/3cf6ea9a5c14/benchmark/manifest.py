"""manifest.json: what a finished dataset holds. Written once every sample is there, by whoever finds it so."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark import fingerprint
from benchmark.atomic import replacing
from benchmark.config import shallow
from benchmark.workload import AnyProblem, module_of

SPLITS = ("train", "validation")


@dataclass(frozen=True)
class Entry:
    """One sample: its split, its summand of the split's fingerprint in hexadecimal, and its voxels by class, background
    first; () where a workload has no classes."""

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


def summarize(problem: AnyProblem, entries: list[Entry]) -> Manifest:
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


def missing(root: Path, problem: AnyProblem) -> list[tuple[str, int]]:
    """(split, sample) of the files that are not there, by listing the folders: no file is opened."""
    absent, sample_path = [], module_of(problem).sample_path
    for split in SPLITS:
        folder = Path(root) / split
        names = set(os.listdir(folder)) if folder.is_dir() else set()
        wanted = [(split, s, sample_path(root, problem, split, s).name) for s in problem.split_samples(split)]
        absent += [(split, s) for split, s, name in wanted if name not in names]
    return absent


def write_manifest(root: Path, problem: AnyProblem, entries: Iterable[Entry]) -> Manifest:
    """Write the manifest of a problem's samples, atomically; several processes may do so at once."""
    manifest = summarize(problem, list(entries))
    with replacing(manifest_path(root)) as temporary:
        temporary.write_text(to_json(manifest), encoding="utf-8")
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


def load_manifest(root: Path, problem: AnyProblem) -> Manifest:
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
