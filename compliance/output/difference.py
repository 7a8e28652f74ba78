"""Compare the source of a submission with the published reference, file by file, for reviewers (`check.py --diff`).

Each file is compared with the checker's own at the same path; `implementations/<name>` is compared with
`implementations/pytorch`. Nothing is executed. The output is bounded and has no control characters.
"""

import difflib
from collections.abc import Iterator
from itertools import islice

from compliance.reading.discovery import discover
from compliance.reading.files import SubmissionFiles, Text
from compliance.reading.published import SENSITIVE, published_path, published_text
from compliance.reading.source import Folder
from compliance.reading.tree import Submission
from compliance.safe import printable
from rules.current import current
from rules.edition import load
from rules.published import own_files
from rules.release import KINDS

MOST_COMPARED = 3000  # lines of a file: the time of a comparison grows with their square
MOST_LINES = 400  # shown of a file's difference
MOST_SHOWN = 5000  # lines shown of a submission
WIDEST = 300  # characters of a line


def difference(path: str) -> str:
    """Return the differences of the submissions at or below a path. Raises ValueError if there is none."""
    found = discover([path])
    if not found.submissions:
        why = "; ".join(reason for _, reason in found.missed) or "no submission in it"
        raise ValueError(f"{path}: found {why}, wanted a submission, with its source")
    return "".join(f"{shown(line)}\n" for submission in found.submissions for line in _of(submission))


def shown(line: str) -> str:
    """Return a line without control characters, cut to WIDEST."""
    line = printable(line.expandtabs(4))
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 3]}..."


def _of(submission: Submission) -> Iterator[str]:
    files = SubmissionFiles(submission, (), load(current()))
    if not files.folders:
        yield f"{submission.name}: no source"
    lines = (line for folder in files.folders for line in _folder(files, folder))
    yield from islice(lines, MOST_SHOWN)
    if next(lines, None) is not None:
        yield f"... and more than {MOST_SHOWN} lines in all"


def _folder(files: SubmissionFiles, folder: Folder) -> Iterator[str]:
    """Yield a heading for a folder, and the changed and added files line by line, those first in which few lines change
    the mathematics or the clock."""
    texts = files.gathered[folder.parts]
    others = [text for text in texts if text.parts not in files.published]
    added = sum(published_path(text.parts) not in own_files() for text in others)
    absent = {path for path in own_files() if path.endswith(KINDS)} - {published_path(text.parts) for text in texts}
    yield (
        f"{files.submission.place(*folder.parts)}: {len(texts)} files, {len(texts) - len(others)} unchanged, "
        f"{len(others) - added} changed, {added} added; {len(absent)} of the reference's are not in it"
    )
    for text in sorted(others, key=lambda text: SENSITIVE.fullmatch(published_path(text.parts)) is None):
        known, path = published_path(text.parts), "/".join(text.parts[len(folder.parts) :])
        own = published_text(known)
        known = "" if own is None else known
        counts, lines = differing(own, text)
        against = f" against {known}" if known and known != path else ""
        yield f"{'changed' if known else 'added'} {path}{against}: {counts}"
        yield from lines[:MOST_LINES]
        if len(lines) > MOST_LINES:
            yield f"... and {len(lines) - MOST_LINES} more lines"


def differing(published: str | None, text: Text) -> tuple[str, list[str]]:
    """Return (how many lines were added and removed, or why that is unknown; the lines of a unified diff).

    `published` is the text of the reference's file, None if it has none.
    """
    if text.problem:
        return text.disguise or text.problem, []
    theirs, ours = text.text.splitlines(), (published or "").splitlines()
    if max(len(theirs), len(ours)) > MOST_COMPARED:
        return f"{len(theirs)} lines, too many to be compared", []
    lines = list(difflib.unified_diff(ours, theirs, "the reference", "the submission", lineterm=""))[2:]
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"+{added} -{removed}{f', {text.disguise}' if text.disguise else ''}", lines
