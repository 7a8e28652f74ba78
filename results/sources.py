"""Comparing the source of sets of runs with the published reference, and with each other, file by file."""

from collections.abc import Sequence
from dataclasses import dataclass

from compliance.finding import counted
from compliance.output.difference import MOST_LINES, WIDEST, differing
from compliance.reading.discovery import discover
from compliance.reading.files import SubmissionFiles, Text
from compliance.reading.published import published_path, published_text
from compliance.reading.tree import place_of
from results.statistics.result import Result
from results.tables.formatting import cut
from rules.edition import load

MOST_CHANGES = 20  # changed files that a difference lists
REFERENCE = "the published reference"


@dataclass(frozen=True)
class Source:
    """The files that a set's runs loaded, by their path in the reference: `implementations/<name>` counts as
    `implementations/pytorch`. `published` are the paths of those that equal the reference's, byte for byte."""

    files: dict[str, Text]
    published: frozenset[str]


@dataclass(frozen=True)
class Change:
    """A file that differs: a summary ("changed <path>: +3 -1") and the first lines of the unified diff."""

    words: str
    lines: tuple[str, ...] = ()
    more: int = 0  # lines that are not shown


@dataclass(frozen=True)
class Difference:
    """One set's source compared with another set's, or with the reference's."""

    of: str
    against: str
    same: int  # files that are equal
    changes: tuple[Change, ...]
    more: int  # changed files that are not listed

    @property
    def title(self) -> str:
        """The two sources that are compared, and how many files are the same."""
        return f"{self.of} against {self.against}: {self.same} files the same, {len(self.changes) + self.more} not"


def source_of(r: Result) -> tuple[Source | None, str]:
    """(source of a set, why it can't be compared)."""
    home = place_of(r.judged.folder).home
    found = discover([str(home)]).submissions
    if len(found) != 1:
        return None, "no source: the set was given without its submission"
    runs = [run for run in r.runs if run.source]
    files = SubmissionFiles(found[0], tuple(runs), load(r.judged.edition))
    if not files.source:
        return None, "no source: its submission holds none"
    held = counted(len(files.source), "file")
    if not runs:
        return None, f"its submission holds {held} of source, but its logs don't say which of them its runs loaded"
    source = _source(files)
    return source, "" if source else f"none of its submission's {held} of source is one that its logs name"


def _source(files: SubmissionFiles) -> Source | None:
    held: dict[str, Text] = {}
    for _, logged, folder in files.loaded:
        texts = {"/".join(t.parts[len(folder.parts) :]): t for t in files.gathered[folder.parts]} if folder else {}
        for path in logged:
            inside = folder.path_of(path) if folder else None
            if inside is not None and (text := texts.get(inside)) is not None:
                held.setdefault(published_path(text.parts), text)
    published = frozenset(path for path, text in held.items() if text.parts in files.published)
    return Source(held, published) if held else None


def source_differences(results: Sequence[tuple[str, Result]]) -> tuple[list[str], list[Difference]]:
    """(why sets have no source to compare, differences), from (letter, result) of each set. Every source is compared
    with the reference, and every later one with the first set's."""
    sources = {letter: source_of(r) for letter, r in results}
    known = {letter: source for letter, (source, _) in sources.items() if source}
    found = [against_reference(letter, source) for letter, source in known.items()]
    first = results[0][0]
    if first in known:
        found += [between(letter, source, first, known[first]) for letter, source in known.items() if letter != first]
    return [f"{letter}: {why}" for letter, (_, why) in sources.items() if why], found


def against_reference(letter: str, source: Source) -> Difference:
    """The files that a set changed in, or added to, the published reference."""
    others = sorted(source.files.keys() - source.published)
    changes = tuple(_change(path, published_text(path), source.files[path]) for path in others[:MOST_CHANGES])
    return Difference(letter, REFERENCE, len(source.published), changes, len(others) - len(changes))


def between(letter: str, source: Source, first: str, base: Source) -> Difference:
    """The files in which a set's source differs from the first set's."""
    both = {path: (source.files.get(path), base.files.get(path)) for path in sorted({*source.files, *base.files})}
    others = [(path, *pair) for path, pair in both.items() if len({text and text.sha256 for text in pair}) > 1]
    changes = tuple(_between(*other, first) for other in others[:MOST_CHANGES])
    return Difference(letter, first, len(both) - len(others), changes, len(others) - len(changes))


def _between(path: str, text: Text | None, before: Text | None, first: str) -> Change:
    if text is None:
        return Change(f"only in {first}: {path}")
    if before is not None and before.problem:
        return Change(f"changed {path}: {before.problem} in {first}")
    return _change(path, None if before is None else before.text, text)


def _change(path: str, before: str | None, text: Text) -> Change:
    counts, lines = differing(before, text)
    shown = tuple(cut(line, WIDEST) for line in lines[:MOST_LINES])
    words = f"{'added' if before is None else 'changed'} {path}: {counts}"
    return Change(words, shown, len(lines) - len(shown))
