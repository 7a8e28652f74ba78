"""CODE: places in the submitted source that a person must read, and code that is hidden from people."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from compliance.families.seeds import fixed_seeds, logged_seeds
from compliance.finding import Fault, counted
from compliance.reading.files import LARGEST_PYTHON, SubmissionFiles, Text
from compliance.reading.published import SENSITIVE, kept, published_path, published_text, same_program
from compliance.rule import rule
from compliance.source.content import has_more_numbers, unread
from compliance.source.python import LINES, Python, read_python
from compliance.source.seeds import settings
from compliance.source.trace import untraced
from compliance.source.uses import TELLS, use_of_name, uses_of_script

MOST_TRACED = 16 * LARGEST_PYTHON  # characters of Python, in all folders, in which seeds are traced
Places = list[tuple[int, str]]  # line, what is there
P = TypeVar("P", bound=tuple[int, *tuple[str, ...]])  # of a place
READ = "a reason in sw_notes, for a reviewer, who sees the change with check.py --diff"
SEEDED, LOOKED = "the logged seed, or what follows from it alone", "none, or a reason in sw_notes, for a reviewer"


@rule("CODE01", "submission")
def source_is_plain_text(files: SubmissionFiles) -> Iterator[Fault]:
    for text in _own(files, files.source):
        if text.alien:
            yield files.submission.fault(text.parts, text.alien, "text in UTF-8")


@rule("CODE02", "submission", severity="review")
def generators_follow_the_logged_seed(files: SubmissionFiles) -> Iterator[Fault]:
    logged, room = logged_seeds(files), MOST_TRACED
    for texts in files.gathered.values():
        read = [(text, files.python[text.sha256]) for text in texts if text.sha256 in files.python]
        room -= sum(len(text.text) for text, _ in read)
        if room < 0:
            what = "more source in all folders than seeds are followed in"
            yield from (files.submission.fault(text.parts, what, SEEDED) for text in _own(files, texts)[:1])
            continue
        fixed = {text.parts: {line for line, _ in found} for text, found in fixed_seeds(files, texts)}
        read = [(text, python) for text, python in read if not _of_project(files, text)]
        found = dict(zip((t.parts for t, _ in read), untraced([p.flow for _, p in read]), strict=True))
        known = _known(files, [text for text, _ in read], found)
        for text in _own(files, texts):
            places = [place for place in found.get(text.parts, []) if place not in known.get(text.parts, ())]
            if text.sha256 not in files.python:
                places = [(n, f"seed {seed}") for n, seed in settings(text.name, text.text) if seed not in logged]
            for line, what in places:
                if line not in fixed[text.parts]:
                    yield files.submission.fault(text.parts, what, SEEDED, line)


@rule("CODE03", "submission", severity="review")
def source_only_trains(files: SubmissionFiles) -> Iterator[Fault]:
    for text in _own(files, files.source):
        if named := use_of_name(text.parts):
            yield files.submission.fault(text.parts, named, LOOKED)
        python = files.python.get(text.sha256)
        uses = python.uses if python else uses_of_script(text.name, text.text)
        before = published_of(text) if uses else None
        if before is None or not _edited(before, text.text):  # own code reads the environment to find its ranks
            uses = [use for use in uses if use[1] != TELLS]
        if before is not None:
            stayed = _stayed(text, uses, _python(before).uses if python else uses_of_script(text.name, before))
            uses = [use for use in uses if use not in stayed]
        for line, kind, what in uses:
            yield files.submission.fault(text.parts, f"{kind}: {what}", LOOKED, line)


@rule("CODE04", "submission", severity="review")
def source_can_be_followed(files: SubmissionFiles) -> Iterator[Fault]:
    most = files.edition.limits.source_numbers
    for text in _own(files, files.source):
        python = files.python.get(text.sha256)
        what = unread(text.name, text.text, text.problem)
        if python and python.large:
            what = f"{len(text.text)} characters of Python, too large to be parsed"
        elif not what and most is not None and has_more_numbers(text.text, most):
            what = f"more than {most} numbers"
        if what and not text.alien:
            yield files.submission.fault(text.parts, what, LOOKED)


@rule("CODE05", "submission", severity="review", after=("SRC03",))
def the_mathematics_is_the_references(files: SubmissionFiles) -> Iterator[Fault]:
    named = any("SRC07" in run.codes for run in files.runs)  # which names the files of the benchmark
    for text in _own(files, files.source):
        path = published_path(text.parts)
        before = published_of(text) if SENSITIVE.fullmatch(path) else None
        if before is None or (named and path.startswith("benchmark/")) or same_program(before, text.text):
            continue
        theirs, ours = LINES.split(text.text), LINES.split(before)
        lines = kept(ours, theirs)
        first = next((n for n in range(1, len(theirs)) if n not in lines), 1)
        changed, gone = counted(len(theirs) - len(lines), "line"), len(ours) - len(lines)
        found = f"{changed} changed or added, {gone} of the reference's gone"
        yield files.submission.fault(text.parts, found, READ, first)


def _own(files: SubmissionFiles, texts: Iterable[Text]) -> list[Text]:
    """Return the files among some that are not the reference's."""
    return [text for text in texts if text.parts not in files.published]


def _of_project(files: SubmissionFiles, text: Text) -> bool:
    """Return whether a file is one of this project's `benchmark`, as it was published. Own code is not called there by
    name, and what is logged there is known."""
    return text.parts in files.published and published_path(text.parts).startswith("benchmark/")


def _known(
    files: SubmissionFiles, texts: list[Text], found: Mapping[tuple[str, ...], Places]
) -> dict[tuple[str, ...], set[tuple[int, str]]]:
    """Return, of each changed file, the places on lines of the reference's that its own tree has as well: there, a
    person has looked at them."""
    changed = [t for t in _own(files, texts) if found[t.parts] and published_of(t) is not None]
    if not changed:
        return {}
    own = {t.parts: _python(text) for t in texts if (text := published_of(t)) is not None}
    there = dict(zip(own, untraced([python.flow for python in own.values()]), strict=True))
    return {text.parts: _stayed(text, found[text.parts], there[text.parts]) for text in changed}


def _stayed(text: Text, found: Iterable[P], there: Iterable[P]) -> set[P]:
    """Return the places of a changed file that are on lines of the reference's, and are places there as well. The line
    comes first in a place."""
    own, lines = set(there), kept(LINES.split(published_of(text) or ""), LINES.split(text.text))
    return {place for place in found if place[0] in lines and (lines[place[0]], *place[1:]) in own}


def _edited(before: str, text: str) -> bool:
    """Return whether a file has most lines of the reference's."""
    lines = LINES.split(before)
    return 2 * len(kept(lines, LINES.split(text))) >= len(lines)


def published_of(text: Text) -> str | None:
    """Return the text of the published file with which a file is compared, None without one."""
    return published_text(published_path(text.parts)) if text.text else None


@functools.lru_cache(maxsize=1000)
def _python(text: str) -> Python:
    return read_python(text)
