"""Write a submission into a package, with its names or without, if it passes the check."""

import os
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmark.atomic import replacing
from benchmark.ledger import read_ledger
from benchmark.log import open_regular
from benchmark.run.files import LEDGER
from compliance.finding import counted, errors
from compliance.packing.anonymous import anonymised
from compliance.packing.archive import write
from compliance.packing.manifest import Manifest, files_at, manifest_of
from compliance.packing.names import Names, gather
from compliance.reading.discovery import discover
from compliance.reading.tree import Submission
from compliance.verdict import Verdict
from rules.current import ROOT
from rules.edition import load

PENDING = ("REG", "WIT")  # families not judged without names: the registry of the round, and receipts, have them
SHOWN = 10  # findings that are listed
Judge = Callable[[Path, str | None], Verdict]  # judges a submission by this edition, or by its folder's


class Refused(Exception):
    """The submission fails the check; the text, of one line for each finding, says why."""


@dataclass(frozen=True)
class Packed:
    """What was packed: its manifest, the verdict, the heads of its ledgers by path, and the names that were hidden."""

    manifest: Manifest
    verdict: Verdict
    heads: dict[str, str]
    names: Names | None = None


def pack(path: Path, out: Path, judge: Judge, edition: str | None = None) -> Packed:
    """Write the package of a submission. Raises Refused if it fails the check, ValueError, OSError."""
    submission, verdict, manifest = ready(path, (out,), judge, edition)
    save(out, manifest, submission.path)
    return Packed(manifest, verdict, heads(manifest, submission.path))


def pack_anonymous(
    path: Path,
    out: Path,
    key_file: Path,
    hide: list[str],
    judge: Judge,
    edition: str | None = None,
    rules: Path = ROOT,
) -> Packed:
    """Write the package of a submission without its names, and its key. Raises Refused if the submission is not in
    order, ValueError if its verdict differs without names, OSError."""
    submission, verdict, manifest = ready(path, (out, key_file), judge, edition)
    names = gather(submission.path, (file.path for file in manifest.files), hide)
    with tempfile.TemporaryDirectory(prefix="anonymous-") as scratch:
        folder = Path(scratch) / manifest.edition / names.of(submission.org)
        key = anonymised(submission.path, folder, manifest, load(manifest.edition, rules), names)
        again = judge(folder, manifest.edition)
        same_verdict(verdict, again)
        hidden = Manifest(folder.name, manifest.edition, files_at(folder, key.files), key.digest)
        with replacing(key_file) as file:
            os.chmod(file, 0o600)  # only its owner can read it
            file.write_bytes(key.data)
        try:
            save(out, hidden, folder)
        except BaseException:
            key_file.unlink()
            raise
        return Packed(hidden, again, heads(hidden, folder), names)


def ready(
    path: Path, places: tuple[Path, ...], judge: Judge, edition: str | None
) -> tuple[Submission, Verdict, Manifest]:
    """Judge a submission; return it, the verdict and its manifest. The manifest is made first, so that what is packed
    is what was judged. Raises as `pack`."""
    submission = one(path)
    for place in places:
        if place.resolve().is_relative_to(submission.path.resolve()):
            raise ValueError(f"{place}: found a place in the submission, wanted one outside")
        if place.exists():
            raise ValueError(f"{place}: found something there, wanted nothing: nothing is written over")
    manifest = manifest_of(submission, "unknown")
    verdict = in_order(submission.path, judge(submission.path, edition))
    return submission, verdict, replace(manifest, edition=verdict.submissions[0].edition)


def one(path: Path) -> Submission:
    """Return the submission in a folder. Raises ValueError for anything else."""
    found = discover([str(path)])
    for _, reason in found.missed:
        raise ValueError(f"{path}: {reason}")
    if len(found.submissions) != 1 or found.submissions[0].path != path:
        held = f"{len(found.submissions)} submissions below it" if found.submissions else "no submission"
        raise ValueError(f"{path}: found {held}, wanted one: results/<edition>/<org>")
    return found.submissions[0]


def in_order(path: Path, verdict: Verdict) -> Verdict:
    """Return the verdict on a submission. Raises Refused if it fails the check or has no runs, ValueError if it could
    not be judged."""
    for _, reason in verdict.missed:
        raise ValueError(f"{path}: could not be checked: {reason}")
    if wrong := errors(verdict.findings):
        lines = [f.text() for f in wrong[:SHOWN]] + [f"and {len(wrong) - SHOWN} more"] * (len(wrong) > SHOWN)
        found = f"{path}: found {counted(len(wrong), 'error')}, wanted none; nothing was packed"
        raise Refused("\n".join([found, *lines]))
    if not verdict.looked:
        raise Refused(f"{path}: found no runs, wanted some")
    return verdict


def same_verdict(before: Verdict, after: Verdict) -> None:
    """Raise ValueError unless the anonymous submission gets the same findings as the one with names."""
    was, is_ = (
        Counter((f.code, f.severity) for f in verdict.findings if not f.code.startswith(PENDING))
        for verdict in (before, after)
    )
    if differ := sorted((was - is_) | (is_ - was)):
        told = ", ".join(f"{code} {is_[code, level]} times instead of {was[code, level]}" for code, level in differ)
        wanted = "the same verdict: a name may be a word that the rules know"
        raise ValueError(f"without names: found {told}, wanted {wanted}")
    for _, reason in after.missed:
        raise ValueError(f"without names: could not be checked: {reason}")


def heads(manifest: Manifest, folder: Path) -> dict[str, str]:
    """Return the heads of the ledgers in a folder of these files, by path."""
    paths = [file.path for file in manifest.files if file.path.rpartition("/")[2] == LEDGER]
    return {path: read_ledger(folder / path).head for path in paths}


def save(path: Path, manifest: Manifest, folder: Path) -> None:
    """Write a package completely or not at all. Raises ValueError if `path` exists."""
    with replacing(path) as file:
        with open(file, "wb") as out:
            write(out, manifest, lambda name: open_regular(folder / name))
        if path.exists():
            raise ValueError(f"{path}: found something there, wanted nothing: nothing is written over")
