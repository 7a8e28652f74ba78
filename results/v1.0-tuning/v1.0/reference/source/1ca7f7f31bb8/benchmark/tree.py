"""The submission tree: where things are.

results/<edition>/<org>/systems/<system>.json
results/<edition>/<org>/source/<digest>/<path>                                       the files that runs loaded
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/result_<i>.txt
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/environment_<i>.json      what run i ran on
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/weights/result_<i>.safetensors    what run i learnt
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/ledger.jsonl      every start of a run in this set
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/superseded/<time>/...   what was run again
results/<edition>/<org>/results/<system>/throughput/<benchmark>/result_<i>.txt       throughput-only logs, no runs
results/<edition>/<org>/results/<system>/tuning/<benchmark>/<campaign>/result_<i>.txt    trials of a campaign of tuning
results/<edition>/<org>/results/<system>/tuning/<benchmark>/<campaign>/campaign.json     what was frozen, and
results/<edition>/<org>/results/<system>/tuning/<benchmark>/<campaign>/confirmation/result_<i>.txt   runs at the winner

A folder of source has the paths and the bytes that logs name in their event `source`, and is named by the first 12
digits of `combine` over all of its files. All benchmarks and systems of a submission share it; there is more than one
if runs loaded different bytes under the same path. The rest is the tree of MLPerf HPC, which has source elsewhere:

results/<edition>/<org>/benchmarks/<benchmark>/implementations/<implementation>/...
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

THROUGHPUT, TUNING = "throughput", "tuning"
SCALINGS = ("strong", "weak", THROUGHPUT, TUNING)
CONFIRMATION = "confirmation"  # in the folder of a campaign
# In the folder of a set:
WEIGHTS, LEDGER, SUPERSEDED = "weights", "ledger.jsonl", "superseded"
SKIPPED = ("__pycache__",)
DIGITS = 12  # of a digest, in the name of a folder of source
ENVIRONMENT = re.compile(r"environment_[^/]*\.json\Z")


def system_path(submission: Path, system: str) -> Path:
    """The system description."""
    return submission / "systems" / f"{system}.json"


def source_path(submission: Path, digest: str) -> Path:
    """The folder with the files whose `combine` is `digest`."""
    return submission / "source" / digest[:DIGITS]


def set_path(submission: Path, system: str, benchmark: str, scaling: str = "strong") -> Path:
    """The folder with the logs of one set of runs."""
    return submission / "results" / system / scaling / benchmark


def result_path(submission: Path, system: str, benchmark: str, run: int, scaling: str = "strong") -> Path:
    """The log of run `run`, counted from 0."""
    return set_path(submission, system, benchmark, scaling) / f"result_{run}.txt"


def campaign_path(submission: Path, system: str, benchmark: str, campaign: str) -> Path:
    """The folder of a campaign of tuning: its trials lie in it as runs in a set's."""
    return set_path(submission, system, benchmark, TUNING) / campaign


def logs_in(submission: Path) -> list[Path]:
    """The logs of a submission's sets and campaigns."""
    patterns = ("*/*/*", f"*/{TUNING}/*/*", f"*/{TUNING}/*/*/{CONFIRMATION}")
    return sorted({log for where in patterns for log in submission.glob(f"results/{where}/result_*.txt")})


def weights_path(log: Path) -> Path:
    """The final weights of a log's run."""
    return log.parent / WEIGHTS / f"{log.stem}.safetensors"


def environment_path(log: Path, resumed: int = 0) -> Path:
    """The environment manifest of a log's run; of a run that was interrupted, since it went on for the `resumed`-th
    time."""
    number = log.stem.removeprefix("result_")
    return log.with_name(f"environment_{number}{f'_{resumed}' if resumed else ''}.json")


def environment_paths(log: Path) -> list[Path]:
    """The environment manifests of a log's run that are there."""
    found, resumed = [], 0
    while (path := environment_path(log, resumed)).exists() or not resumed:
        found += [path] if path.exists() else []
        resumed += 1
    return found


def source_files(folder: Path) -> list[Path]:
    """The files of an implementation, sorted by relative path; caches and symbolic links are not source."""
    return sorted(
        p
        for p in folder.rglob("*")
        if p.is_file() and not p.is_symlink() and not any(part in SKIPPED for part in p.relative_to(folder).parts)
    )


def combine(files: Iterable[tuple[str, str]]) -> str:
    """sha256 over files, each a relative POSIX path and a sha256 in hexadecimal, in any order: for each, by path, the
    path, a NUL, its sha256 and a newline. Any change of a name or a byte changes it."""
    total = hashlib.sha256()
    for name, digest in sorted(files):
        total.update(f"{name}\0{digest}\n".encode())
    return total.hexdigest()
