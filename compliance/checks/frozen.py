"""TREE13: a frozen round keeps the files with which it was frozen."""

from collections.abc import Iterator

from compliance.finding import Fault
from compliance.reading.edition import round_folder
from compliance.reading.files import SubmissionFiles
from compliance.reading.frozen import NAME, changes, read_frozen
from compliance.rule import rule

WRITTEN = "a list that results/freeze.py wrote"


@rule("TREE13", "submission")
def frozen_rounds_stay_as_they_were(files: SubmissionFiles) -> Iterator[Fault]:
    """A submission of a frozen round holds the files that were frozen, unchanged, and no others"""
    submission = files.submission
    folder = round_folder(submission, files.edition.name)
    if folder is None:
        return
    try:
        frozen = read_frozen(folder)
    except ValueError as error:
        yield Fault(1, str(error), WRITTEN, "Whether the submission is what was frozen can't be told")
        return
    if frozen is None:
        return
    prefix = f"{submission.path.resolve().relative_to(folder).as_posix()}/"
    own = {path.removeprefix(prefix): said for path, said in frozen.items() if path.startswith(prefix)}
    held = {"/".join(e.parts): e for e in submission.entries if e.kind == "file"}
    there = {path: (submission.path.joinpath(*e.parts), e.size) for path, e in held.items()}
    for path, what in changes(there, own):
        place = submission.place(*path.split("/")) if path in there else submission.name
        yield Fault(1, f"a file that was {what}" if path in there else f"no {path}", f"what {NAME} lists", path=place)
