"""CODE: places in the submitted source that a person must read, and code that is hidden from people."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from compliance.checks.seeds import fixed_seeds, logged_seeds
from compliance.finding import Fault
from compliance.reading.files import LARGEST_PYTHON, SubmissionFiles, Text
from compliance.rule import rule
from compliance.source.content import unread
from compliance.source.reference import published_path
from compliance.source.seeds import settings
from compliance.source.trace import untraced
from compliance.source.uses import use_of_name, uses_of_script

PLACES = 5  # places of a kind in a file that are listed; the others are counted
FILES = 100  # files whose places are listed
MOST_TRACED = 16 * LARGEST_PYTHON  # characters of Python, in all folders, in which seeds are traced
Places = list[tuple[int, str, str]]  # line, kind, what is there
SEEDED, LOOKED = "the logged seed, or what follows from it alone", "a reviewer who has looked at it"


@rule("CODE01", "submission")
def source_is_plain_text(files: SubmissionFiles) -> Iterator[Fault]:
    """Source is text in UTF-8, as people see it: nothing compiled, packed, pickled or disguised"""
    places = ((text, [(1, "", text.alien)] if text.alien else []) for text in files.source)
    return _told(files, places, "text in UTF-8")


@rule("CODE02", "submission", severity="review")
def generators_follow_the_logged_seed(files: SubmissionFiles) -> Iterator[Fault]:
    """Every random generator in the source is seeded with the seed that the run logs"""
    return _told(files, _unseeded(files), SEEDED)


@rule("CODE03", "submission", severity="review")
def source_only_trains(files: SubmissionFiles) -> Iterator[Fault]:
    """The source starts and fetches nothing, runs no text as code, loads no weights, and changes no clock or module"""
    return _told(files, _uses(files), LOOKED)


@rule("CODE04", "submission", severity="review")
def source_can_be_followed(files: SubmissionFiles) -> Iterator[Fault]:
    """Source is Python that a program can follow: nothing in another language, nothing too large"""
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
        for text in texts:
            places = found.get(text.parts, [])
            if python := files.python.get(text.sha256):
                places = [*places, *python.seeders]
            else:
                places = [(n, f"seed {seed}") for n, seed in settings(text.name, text.text) if seed not in logged]
            yield text, [(line, "", what) for line, what in places if line not in fixed[text.parts]]


def _of_project(files: SubmissionFiles, text: Text) -> bool:
    """Return whether a file is one of this project's `benchmark`, as it was published. Own code is not called there by
    name, and what is logged there is known."""
    return text.parts in files.published and published_path(text.parts).startswith("benchmark/")


def _uses(files: SubmissionFiles) -> Iterator[tuple[Text, Places]]:
    for text in files.source:
        python = files.python.get(text.sha256)
        uses = python.uses if python else uses_of_script(text.name, text.text)
        named = use_of_name(text.parts)
        yield text, [(1, "", named)] * bool(named) + [(line, f"{kind}: ", what) for line, kind, what in uses]


def _unread(files: SubmissionFiles) -> Iterator[tuple[Text, Places]]:
    for text in files.source:
        python = files.python.get(text.sha256)
        what = unread(text.name, text.text, text.problem)
        if python and python.large:
            what = f"{len(text.text)} characters of Python, too large to be parsed"
        yield text, [(1, "", what)] if what and not text.alien else []


def _told(files: SubmissionFiles, found: Iterable[tuple[Text, Places]], wanted: str) -> Iterator[Fault]:
    """Yield the first places of each kind in each file that is not the reference's, and the number of the others."""
    told = more = 0
    for text, places in found:
        if not places or text.parts in files.published:
            continue
        told += 1
        if told > FILES:
            more += len(places)
            continue
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
    if more:
        yield Fault(1, f"... and {more} more in {told - FILES} files", wanted)
