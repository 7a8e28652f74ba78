"""Read and write manifest.json, the content of a complete dataset. The process that makes the last sample writes it."""

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark import fingerprint
from benchmark.atomic import replacing
from benchmark.config import shallow
from benchmark.log import open_regular
from benchmark.printable import printable, reason
from benchmark.problem import SPLITS
from benchmark.workload import AnyProblem, module_of

DIGEST = re.compile(r"[0-9a-f]{64}")
MOST_BYTES = 64 << 10, 1 << 10  # of a manifest: beside its samples, and for each sample


@dataclass(frozen=True)
class Entry:
    """A sample: its split; its digest in hexadecimal, which is its summand of the split's fingerprint; and its voxels
    by class, background first. `class_counts` is () where a workload has no classes."""

    sample: int
    split: str
    digest: str
    class_counts: tuple[int, ...]


@dataclass(frozen=True)
class Manifest:
    """The manifest of a complete dataset. `fingerprints` and `class_counts` are by split."""

    problem: dict[str, Any]
    problem_digest: str
    entries: tuple[Entry, ...]  # in order of sample id
    fingerprints: dict[str, str]
    class_counts: dict[str, tuple[int, ...]]


def manifest_path(root: Path) -> Path:
    return Path(root) / "manifest.json"


def summarize(problem: AnyProblem, entries: list[Entry]) -> Manifest:
    """Return the manifest of a problem's samples. Raises ValueError unless each sample is there once, in its split."""
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
    """Return (split, sample) of every file that is not there. The folders are listed; no file is opened."""
    absent, sample_path = [], module_of(problem).sample_path
    for split in SPLITS:
        wanted = [(split, s, sample_path(root, problem, split, s)) for s in problem.split_samples(split)]
        folders = {path.parent for *_, path in wanted}
        names = {folder / name for folder in folders if folder.is_dir() for name in os.listdir(folder)}
        absent += [(split, s) for split, s, path in wanted if path not in names]
    return absent


def write_manifest(root: Path, problem: AnyProblem, entries: Iterable[Entry]) -> Manifest:
    """Write the manifest of a problem's samples, atomically, and return it. Several processes may do so at once."""
    manifest = summarize(problem, list(entries))
    with replacing(manifest_path(root)) as temporary:
        temporary.write_text(to_json(manifest), encoding="utf-8")
    return manifest


def to_json(manifest: Manifest) -> str:
    """Return the text of manifest.json, which has a line for each sample."""
    samples = [
        json.dumps({"id": e.sample, "split": e.split, "digest": e.digest, "class_counts": e.class_counts})
        for e in manifest.entries
    ]
    return json.dumps(head_of(manifest), indent=1)[:-2] + ',\n "samples": [\n  ' + ",\n  ".join(samples) + "\n ]\n}\n"


def head_of(manifest: Manifest) -> dict[str, Any]:
    """Return what manifest.json says beside the samples, as plain values."""
    return {
        "problem": manifest.problem,
        "problem_digest": manifest.problem_digest,
        "fingerprints": manifest.fingerprints,
        "class_counts": {split: list(counts) for split, counts in manifest.class_counts.items()},
    }


def load_manifest(root: Path, problem: AnyProblem) -> Manifest:
    """Return the manifest of a complete dataset of this problem.

    Raises ValueError, in one line, for a manifest that is missing, unreadable, of another problem, contradictory, or
    has other fields.
    """
    path = manifest_path(root)
    try:
        found = read_json(path, MOST_BYTES[0] + MOST_BYTES[1] * problem.samples)
    except FileNotFoundError:
        raise ValueError(f"{path}: no manifest: {advice(Path(root), problem)}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: cannot be read: {reason(error)}") from None
    try:
        if found["problem_digest"] != problem.digest():
            name = found["problem"].get("name")
            raise ValueError(
                f"found problem {name!r:.80} with digest {found['problem_digest']!r:.80}, "
                f"wanted {problem.name!r} with digest {problem.digest()}"
            )
        manifest = summarize(problem, [entry_of(e, at) for at, e in enumerate(found.pop("samples"))])
        for name, wanted in head_of(manifest).items():
            if json.dumps(found.pop(name), sort_keys=True) != json.dumps(wanted, sort_keys=True):  # 1.0 is not 1
                raise ValueError(f"{name}: not what follows from the problem and its samples")
        if found:
            raise ValueError(f"found {', '.join(map(repr, found)):.80}, wanted no more than a manifest holds")
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(printable(f"{path}: not a manifest of ours: {error!r:.200}")) from None
    except ValueError as error:
        raise ValueError(printable(f"{path}: {error}")) from None
    return manifest


def advice(root: Path, problem: AnyProblem) -> str:
    """Return what a folder without a manifest holds, and how to fix it: another path, a new or a finished dataset."""
    generate = f"python benchmark/generate.py --problem {problem.name} --out {root}"
    if not root.is_dir():
        return f"found no folder {root}, wanted a dataset: correct the path, or make one there: {generate}"
    if not any((root / split).is_dir() for split in SPLITS):
        return f"found no {' or '.join(SPLITS)} in {root}, wanted a dataset: correct the path, or make one: {generate}"
    try:
        there = problem.samples - len(missing(root, problem))
    except OSError as error:
        return f"cannot be read: {error}"
    if there < problem.samples:
        return f"found {there} of {problem.samples} samples, wanted all: go on with it: {generate}"
    return f"found all {there} samples, wanted their manifest, too: {generate} --manifest"


def entry_of(fields: Any, at: int) -> Entry:
    """Return the entry of sample number `at`, counted from 0, of manifest.json. Raises ValueError for anything but an
    id, a split, a digest and class counts."""
    if type(fields) is not dict or fields.keys() != {"id", "split", "digest", "class_counts"}:
        raise ValueError(f"samples[{at}]: found {fields!r:.80}, wanted id, split, digest and class_counts")
    sample, split, digest, counts = (fields[name] for name in ("id", "split", "digest", "class_counts"))
    sound = {
        "id": type(sample) is int,
        "split": split in SPLITS,
        "digest": type(digest) is str and bool(DIGEST.fullmatch(digest)),
        "class_counts": type(counts) is list and all(type(n) is int and 0 <= n < 1 << 62 for n in counts),
    }
    for name, is_sound in sound.items():
        if not is_sound:
            wanted = {"id": "an integer", "split": " or ".join(SPLITS), "digest": "64 hexadecimal digits"}
            raise ValueError(
                f"samples[{at}].{name}: found {fields[name]!r:.80}, wanted {wanted.get(name, 'integers from 0 on')}"
            )
    return Entry(sample, split, digest, tuple(counts))


def read_json(path: Path, most: int) -> Any:
    """Return the JSON in a regular file of at most `most` bytes. Raises OSError, and ValueError for anything else, for
    a larger file, and for an object that names a field twice."""
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"found more than {most} bytes, wanted a manifest")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("found a name twice in one object, wanted each once")
        return dict(pairs)

    return json.loads(data.decode(), object_pairs_hook=once)
