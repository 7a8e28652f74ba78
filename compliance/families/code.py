"""CODE: places in the submitted source that a person must read, and code that is hidden from people."""

import functools
from collections import defaultdict
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

PLACES = 5  # places of a kind in a file that are listed; the others are counted
FILES = 100  # files whose places are listed
MOST_TRACED = 16 * LARGEST_PYTHON  # characters of Python, in all folders, in which seeds are traced
Places = list[tuple[int, str, str]]  # line, kind, what is there
Seedings = list[tuple[int, str]]  # line, what is there
Kept = dict[tuple[str, ...], set[tuple[int, str]]]  # of files: places that are the reference's own
P = TypeVar("P", bound=tuple[int, *tuple[str, ...]])  # of a place
READ = "a reason in sw_notes, for a reviewer, who sees the change with check.py --diff"
SEEDED, LOOKED = "the logged seed, or what follows from it alone", "none, or a reason in sw_notes, for a reviewer"


@rule("CODE01", "submission")
def source_is_plain_text(files: SubmissionFiles) -> Iterator[Fault]:
    places = ((text, [(1, "", text.alien)] if text.alien else []) for text in files.source)
    return _told(files, places, "text in UTF-8")


@rule("CODE02", "submission", severity="review")
def generators_follow_the_logged_seed(files: SubmissionFiles) -> Iterator[Fault]:
    return _told(files, _unseeded(files), SEEDED)


@rule("CODE03", "submission", severity="review")
def source_only_trains(files: SubmissionFiles) -> Iterator[Fault]:
    return _told(files, _uses(files), LOOKED)


@rule("CODE04", "submission", severity="review")
def source_can_be_followed(files: SubmissionFiles) -> Iterator[Fault]:
    return _told(files, _unread(files), LOOKED)


def _unseeded(files: SubmissionFiles) -> Iterator[tuple[Text, Places]]:
    logged, room = logged_seeds(files), MOST_TRACED
    for texts in files.gathered.values():
        fixed = {text.parts: {line for line, _ in found} for text, found in fixed_seeds(files, texts)}
        read = [(text, files.python[text.sha256]) for text in texts if text.sha256 in files.python]
        room -= sum(len(text.text) for text, _ in read)
        if room < 0:
            own = [text for text in texts if text.parts not in files.published]
            yield from ((text, [(1, "", "more source in all folders than seeds are followed in")]) for text in own[:1])
            continue
        read = [(text, python) for text, python in read if not _of_project(files, text)]
        found = dict(zip((t.parts for t, _ in read), untraced([p.flow for _, p in read]), strict=True))
        known = _known(files, [text for text, _ in read], found)
        for text in texts:
            places = [place for place in found.get(text.parts, []) if place not in known.get(text.parts, ())]
            if python := files.python.get(text.sha256):
                places = [*places, *python.seeders]
            else:
                places = [(n, f"seed {seed}") for n, seed in settings(text.name, text.text) if seed not in logged]
            yield text, [(line, "", what) for line, what in places if line not in fixed[text.parts]]


def _known(files: SubmissionFiles, texts: list[Text], found: Mapping[tuple[str, ...], Seedings]) -> Kept:
    """Return, of each changed file, the places on lines of the reference's that its own tree has as well: there, a
    person has looked at them."""
    changed = [t for t in texts if found[t.parts] and t.parts not in files.published and published_of(t) is not None]
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


def published_of(text: Text) -> str | None:
    """Return the text of the published file with which a file is compared, None without one."""
    return published_text(published_path(text.parts)) if text.text else None


@functools.lru_cache(maxsize=1000)
def _python(text: str) -> Python:
    return read_python(text)


@rule("CODE05", "submission", severity="review", after=("SRC03",))
def the_mathematics_is_the_references(files: SubmissionFiles) -> Iterator[Fault]:
    return _told(files, _edits(files), READ)


def _edits(files: SubmissionFiles) -> Iterator[tuple[Text, Places]]:
    named = any("SRC07" in run.codes for run in files.runs)  # which names the files of the benchmark
    for text in files.source:
        path = published_path(text.parts)
        before = published_of(text) if SENSITIVE.fullmatch(path) else None
        if before is None or text.parts in files.published or (named and path.startswith("benchmark/")):
            continue
        if not same_program(before, text.text):
            theirs, ours = LINES.split(text.text), LINES.split(before)
            lines = kept(ours, theirs)
            first = next((n for n in range(1, len(theirs)) if n not in lines), 1)
            changed, gone = counted(len(theirs) - len(lines), "line"), len(ours) - len(lines)
            yield text, [(first, "", f"{changed} changed or added, {gone} of the reference's gone")]


def _of_project(files: SubmissionFiles, text: Text) -> bool:
    """Return whether a file is one of this project's `benchmark`, as it was published. Own code is not called there by
    name, and what is logged there is known."""
    return text.parts in files.published and published_path(text.parts).startswith("benchmark/")


def _uses(files: SubmissionFiles) -> Iterator[tuple[Text, Places]]:
    for text in files.source:
        python = files.python.get(text.sha256)
        uses = python.uses if python else uses_of_script(text.name, text.text)
        own = published_of(text) if uses and text.parts not in files.published else None
        if own is None or not _edited(own, text.text):  # own code reads the environment to find its ranks
            uses = [use for use in uses if use[1] != TELLS]
        if own is not None:
            stayed = _stayed(text, uses, _python(own).uses if python else uses_of_script(text.name, own))
            uses = [use for use in uses if use not in stayed]
        named = use_of_name(text.parts)
        yield text, [(1, "", named)] * bool(named) + [(line, f"{kind}: ", what) for line, kind, what in uses]


def _edited(own: str, text: str) -> bool:
    """Return whether a file has most lines of the reference's."""
    before = LINES.split(own)
    return 2 * len(kept(before, LINES.split(text))) >= len(before)


def _unread(files: SubmissionFiles) -> Iterator[tuple[Text, Places]]:
    most = files.edition.limits.source_numbers
    for text in files.source:
        python = files.python.get(text.sha256)
        what = unread(text.name, text.text, text.problem)
        if python and python.large:
            what = f"{len(text.text)} characters of Python, too large to be parsed"
        elif not what and most is not None and text.parts not in files.published and has_more_numbers(text.text, most):
            what = f"more than {most} numbers"
        yield text, [(1, "", what)] if what and not text.alien else []


def _told(files: SubmissionFiles, found: Iterable[tuple[Text, Places]], wanted: str) -> Iterator[Fault]:
    """Yield the first places of each kind in each file that is not the reference's, and the number of the others."""
    others = [(text, places) for text, places in found if places and text.parts not in files.published]
    for text, places in others[:FILES]:
        kinds: dict[str, Places] = defaultdict(list)
        for place in places:
            kinds[place[1]].append(place)
        path = files.submission.place(*text.parts)
        for kind, lines in kinds.items():
            for line, _, what in lines[:PLACES]:
                yield Fault(line, f"{kind}{what}", wanted, path=path)
            if len(lines) > PLACES:
                rest = f"{kind}... and {len(lines) - PLACES} more in this file, {len(lines)} in all"
                yield Fault(lines[PLACES][0], rest, wanted, path=path)
    if more := sum(len(places) for _, places in others[FILES:]):
        yield Fault(1, f"{more} more from here on", wanted)
