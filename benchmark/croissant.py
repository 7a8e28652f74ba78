"""Describe a dataset for catalogues and loaders: croissant.json, Croissant's JSON-LD, beside the dataset's manifest
(https://docs.mlcommons.org/croissant/docs/croissant-spec.html, version 1.0).

A dataset may have 10^5 files, so there is no entry for each. Its digests form a chain instead. croissant.json has the
sha256 of manifest.json and the fingerprint of each split. manifest.json has the digest of each sample, and a split's
fingerprint is the sum of these (benchmark/fingerprint.py). A run logs that fingerprint of what it read. Files beside
the samples have their sha256. `faults` checks all of this but the samples, which the caller checks against the
manifest.

Training never reads croissant.json, and a dataset without it is complete.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from dataclasses import field as default
from pathlib import Path
from typing import Any

from benchmark.atomic import replacing
from benchmark.config import build, read_yaml
from benchmark.log import open_regular
from benchmark.manifest import Manifest, load_manifest, manifest_path, read_json
from benchmark.printable import printable, reason
from benchmark.problem import SPLITS
from benchmark.workload import HERE, AnyProblem

MOST_BYTES = 64 << 10  # of croissant.json, which doesn't grow with the samples
CONFORMS = "http://mlcommons.org/croissant/1.0"
VERSION = "1.0.0"  # of the data's definition
TERMS = (
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes "
    "isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace "
    "samplingRate separator source subField transform"
)


@dataclass(frozen=True)
class Words:
    """The part of a description that cannot be computed."""

    title: str
    sample: str  # what a file holds
    cite: str
    published: str = ""  # the day, ISO 8601; "" where the publisher states none
    url: str = ""  # where published data come from
    license: str = ""  # its address; "" where the publisher states none


@dataclass(frozen=True)
class Wording:
    """The content of dataset.yaml. `files` are patterns of samples' names; `beside` are the other files; `folders` are
    those of each split, where they are not the one of its name."""

    files: tuple[str, ...]
    format: str
    beside: tuple[str, ...]
    generated: Words
    published: Words | None = None
    folders: dict[str, tuple[str, ...]] = default(default_factory=dict)


def croissant_path(root: Path) -> Path:
    return Path(root) / "croissant.json"


def write_croissant(root: Path, problem: AnyProblem, manifest: Manifest) -> None:
    """Write the description of a finished dataset, atomically. Raises OSError."""
    text = json.dumps(description(root, problem, manifest), indent=1) + "\n"
    with replacing(croissant_path(root)) as temporary:
        temporary.write_text(text, encoding="utf-8")


def description(root: Path, problem: AnyProblem, manifest: Manifest) -> dict[str, Any]:
    """Return the content of croissant.json. Raises OSError for a file of the dataset that cannot be read."""
    path = HERE / problem.workload / "dataset.yaml"
    wording = build(Wording, read_yaml(path), f"{problem.workload}/{path.name}")
    words = wording.generated if generated(problem) or not wording.published else wording.published
    made = f"python benchmark/generate.py --problem {problem.name} --out DIR"
    origin = f" Every bit follows from the problem's definition: {made}." if generated(problem) else ""
    stated = {"license": words.license, "datePublished": words.published}
    return {
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        "name": problem.name,
        "description": f"{words.title}. {words.sample}{origin}",
        "url": words.url or f"urn:sha256:{manifest.problem_digest}",
        **{name: found for name, found in stated.items() if found},
        "version": VERSION,
        "citeAs": words.cite,
        "distribution": [
            *(file_object(root, name, wording.format) for name in wording.beside),
            file_object(root, manifest_path(root).name, "application/json"),
            *(file_set(split, wording) for split in SPLITS),
        ],
        "recordSet": [splits(problem, manifest), samples()],
    }


def generated(problem: AnyProblem) -> bool:
    """Return whether the problem's data follow from its definition. Real data have no seed."""
    return bool(problem.data_seed)


def context() -> dict[str, Any]:
    """Return Croissant's context: the names of its own vocabulary. All others are schema.org's."""
    own: dict[str, Any] = {name: f"cr:{name}" for name in TERMS.split()}
    own |= {name: {"@id": f"cr:{name}", "@type": "@json"} for name in ("data", "examples")}
    own |= {"conformsTo": "dct:conformsTo", "dataType": {"@id": "cr:dataType", "@type": "@vocab"}}
    prefixes = {
        "sc": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "dct": "http://purl.org/dc/terms/",
    }
    prefixes["rai"] = "http://mlcommons.org/croissant/RAI/"
    return {"@language": "en", "@vocab": "https://schema.org/", **prefixes, **own}


def file_object(root: Path, name: str, form: str) -> dict[str, Any]:
    """Return the entry of a single file with its digest."""
    digest, size = sha256_of(Path(root) / name)
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{size} B",
        "encodingFormat": form,
        "sha256": digest,
    }


def file_set(split: str, wording: Wording) -> dict[str, Any]:
    """Return the entry of a split's sample files."""
    return {
        "@type": "cr:FileSet",
        "@id": f"{split}-files",
        "name": f"{split}-files",
        "description": f"One file a sample of the split {split!r}; manifest.json has their digests",
        "encodingFormat": wording.format,
        "includes": [f"{at}/{name}" for at in wording.folders.get(split, (split,)) for name in wording.files],
    }


def splits(problem: AnyProblem, manifest: Manifest) -> dict[str, Any]:
    """Return the record set of the splits: how many samples each has, and its fingerprint."""
    columns = {"name": "sc:Text", "samples": "sc:Integer", "fingerprint": "sc:Text"}
    rows = ((s, len(problem.split_samples(s)), manifest.fingerprints[s]) for s in SPLITS)
    return {
        "@type": "cr:RecordSet",
        "@id": "splits",
        "name": "splits",
        "dataType": "cr:Split",
        "description": "The fingerprint is the sum, mod 2^256, of the samples' digests in manifest.json",
        "key": {"@id": "splits/name"},
        "field": [field("splits", name, kind) for name, kind in columns.items()],
        "data": [dict(zip((f"splits/{name}" for name in columns), row, strict=True)) for row in rows],
    }


def samples() -> dict[str, Any]:
    """Return the record set of the samples, as manifest.json lists them."""
    fields = [
        field("samples", name, kind) | {"source": source(name)}
        for name, kind in (("id", "sc:Integer"), ("split", "sc:Text"), ("digest", "sc:Text"))
    ]
    fields[1]["references"] = {"field": {"@id": "splits/name"}}
    return {"@type": "cr:RecordSet", "@id": "samples", "name": "samples", "field": fields}


def field(record_set: str, name: str, kind: str) -> dict[str, Any]:
    return {"@type": "cr:Field", "@id": f"{record_set}/{name}", "name": name, "dataType": kind}


def source(name: str) -> dict[str, Any]:
    """Return where in manifest.json a field of the samples is."""
    return {"fileObject": {"@id": "manifest.json"}, "extract": {"jsonPath": f"$.samples[*].{name}"}}


def faults(root: Path, problem: AnyProblem) -> list[str]:
    """Return the faults of the digests in croissant.json, one line each; none where the file is absent.

    Words are not compared, so that a description stays valid when they change. Raises ValueError if there is no
    manifest of this problem.
    """
    path = croissant_path(root)
    if not os.path.lexists(path):  # a link to nowhere is a description that can't be read
        return []
    wanted = digests(description(root, problem, load_manifest(root, problem)))
    try:
        found = digests(read_json(path, MOST_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        return [printable(f"{path}: cannot be read as a description: {reason(error):.200}")]
    except (KeyError, TypeError, AttributeError) as error:
        return [printable(f"{path}: found another structure than that of this dataset: {error!r:.200}")]
    return [
        printable(f"{path}: {name}: found {found.get(name, 'nothing')!s:.80}, wanted {digest}")
        for name, digest in wanted.items()
        if found.get(name) != digest
    ]


def digests(described: dict[str, Any]) -> dict[str, Any]:
    """Return the digests in a description, by what they belong to: the files' sha256 and the splits' fingerprints.
    Raises KeyError, TypeError or AttributeError for a description of another structure."""
    files = {f"sha256 of {f['@id']}": f["sha256"] for f in described["distribution"] if "sha256" in f}
    rows = {r["@id"]: r for r in described["recordSet"]}["splits"]["data"]
    return files | {f"fingerprint of {row['splits/name']}": row["splits/fingerprint"] for row in rows}


def sha256_of(path: Path) -> tuple[str, int]:
    """Return the sha256 of a regular file, and its size in bytes. Raises OSError."""
    with open_regular(path) as file:
        digest = hashlib.file_digest(file, "sha256")  # type: ignore[arg-type]  # the stub wants a class of io
        return digest.hexdigest(), file.tell()
