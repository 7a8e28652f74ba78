"""The submission tree of MLPerf HPC: where things are.

results/<edition>/<org>/systems/<system>.json
results/<edition>/<org>/benchmarks/<benchmark>/implementations/<implementation>/...
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/result_<i>.txt
results/<edition>/<org>/results/<system>/throughput/<benchmark>/result_<i>.txt       throughput-only logs, no runs
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

THROUGHPUT = "throughput"
SCALINGS = ("strong", "weak", THROUGHPUT)
SKIPPED = ("__pycache__",)


def system_path(submission: Path, system: str) -> Path:
    """The system description."""
    return submission / "systems" / f"{system}.json"


def implementation_path(submission: Path, benchmark: str, implementation: str) -> Path:
    """The folder with the source that ran."""
    return submission / "benchmarks" / benchmark / "implementations" / implementation


def set_path(submission: Path, system: str, benchmark: str, scaling: str = "strong") -> Path:
    """The folder with the logs of one set of runs."""
    return submission / "results" / system / scaling / benchmark


def result_path(submission: Path, system: str, benchmark: str, run: int, scaling: str = "strong") -> Path:
    """The log of run `run`, counted from 0."""
    return set_path(submission, system, benchmark, scaling) / f"result_{run}.txt"


def source_files(folder: Path) -> list[Path]:
    """The files of an implementation, sorted by relative path; caches and symbolic links are not source."""
    return sorted(
        p
        for p in folder.rglob("*")
        if p.is_file() and not p.is_symlink() and not any(part in SKIPPED for part in p.relative_to(folder).parts)
    )


def source_digest(folder: Path) -> str:
    """sha256 over an implementation's files: for each, in order of relative POSIX path, the path, a NUL, the
    sha256 of its bytes in hexadecimal and a newline. Any change of a name or a byte changes it."""
    files = source_files(folder)
    return combine((p.relative_to(folder).as_posix(), hashlib.sha256(p.read_bytes()).hexdigest()) for p in files)


def combine(files: Iterable[tuple[str, str]]) -> str:
    """The digest of (relative POSIX path, sha256 in hexadecimal) of an implementation's files, in any order."""
    total = hashlib.sha256()
    for name, digest in sorted(files):
        total.update(f"{name}\0{digest}\n".encode())
    return total.hexdigest()
