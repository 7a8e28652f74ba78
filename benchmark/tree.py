"""The paths of the submission tree.

results/<edition>/<org>/systems/<system>.json
results/<edition>/<org>/source/<digest>/<path>                                       the files that runs loaded
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/result_<i>.txt
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/environment_<i>.json      what run i ran on
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/weights/result_<i>.safetensors    what run i learnt
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/ledger.jsonl      every start of a run in this set
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/receipts_<i>.jsonl        what a witness saw of it
results/<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/superseded/<time>/...   what was run again
results/<edition>/<org>/results/<system>/throughput/<benchmark>/result_<i>.txt       throughput-only logs, no runs
results/<edition>/<org>/results/<system>/tuning/<benchmark>/<campaign>/result_<i>.txt    trials of a campaign of tuning
results/<edition>/<org>/results/<system>/tuning/<benchmark>/<campaign>/campaign.json     what was frozen, and
results/<edition>/<org>/results/<system>/tuning/<benchmark>/<campaign>/confirmation/result_<i>.txt   runs at the winner

A folder of source has the files that logs name in their event `source`. Its name is the first 12 digits of `combine`
over all of its files. All benchmarks and systems of a submission share it. There is more than one such folder only if
runs loaded different bytes under the same path. The rest is the tree of MLPerf HPC, which keeps source elsewhere:

results/<edition>/<org>/benchmarks/<benchmark>/implementations/<implementation>/...
"""

import re
from pathlib import Path

from benchmark.run.files import environment_path

WEAK, THROUGHPUT, TUNING = "weak", "throughput", "tuning"
SCALINGS = ("strong", WEAK, THROUGHPUT, TUNING)
CONFIRMATION = "confirmation"  # in the folder of a campaign
SUPERSEDED = "superseded"  # in the folder of a set
SKIPPED = ("__pycache__",)
DIGITS = 12  # of a digest, in the name of a folder of source
ENVIRONMENT = re.compile(r"environment_[^/]*\.json\Z")
RECEIPTS = re.compile(r"receipts_[0-9]{1,9}\.jsonl\Z")


def system_path(submission: Path, system: str) -> Path:
    """Return the path of the system description."""
    return submission / "systems" / f"{system}.json"


def source_path(submission: Path, digest: str) -> Path:
    """Return the folder of the source whose `combine` is `digest`."""
    return submission / "source" / digest[:DIGITS]


def set_path(submission: Path, system: str, benchmark: str, scaling: str = "strong") -> Path:
    """Return the folder with the logs of one set of runs."""
    return submission / "results" / system / scaling / benchmark


def result_path(submission: Path, system: str, benchmark: str, run: int, scaling: str = "strong") -> Path:
    """Return the path of the log of run `run`, counted from 0."""
    return set_path(submission, system, benchmark, scaling) / f"result_{run}.txt"


def campaign_path(submission: Path, system: str, benchmark: str, campaign: str) -> Path:
    """Return the folder of a tuning campaign. Trials lie in it as runs do in a set's folder."""
    return set_path(submission, system, benchmark, TUNING) / campaign


def logs_in(submission: Path) -> list[Path]:
    """Return the logs of a submission's sets and campaigns, sorted."""
    patterns = ("*/*/*", f"*/{TUNING}/*/*", f"*/{TUNING}/*/*/{CONFIRMATION}")
    return sorted({log for where in patterns for log in submission.glob(f"results/{where}/result_*.txt")})


def environment_paths(log: Path) -> list[Path]:
    """Return the environment manifests of a log's run that exist."""
    found, resumed = [], 0
    while (path := environment_path(log, resumed)).exists() or not resumed:
        found += [path] if path.exists() else []
        resumed += 1
    return found


def source_files(folder: Path) -> list[Path]:
    """Return the files of an implementation, sorted by relative path. Caches and symbolic links are no source."""
    return sorted(
        p
        for p in folder.rglob("*")
        if p.is_file() and not p.is_symlink() and not any(part in SKIPPED for part in p.relative_to(folder).parts)
    )


def receipts_path(log: Path) -> Path:
    """Return the path of the receipts that the round's witness gave for a log's run."""
    return log.with_name(f"receipts_{log.stem.removeprefix('result_')}.jsonl")
