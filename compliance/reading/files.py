"""The files of a submission, for its checks: read within limits and never executed."""

import functools
import hashlib
import json
import os
import stat
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.log import open_regular
from benchmark.printable import reason
from compliance.reading.published import published_path
from compliance.reading.rounds import RoundRegistry
from compliance.reading.run import Run
from compliance.reading.source import DOCUMENT, Folder, depth_of, fitting, sound
from compliance.reading.tree import Entry, Submission, kind_of
from compliance.reading.values import grouped, is_number
from compliance.source.content import disguised, foreign
from compliance.source.python import LARGEST as LARGEST_PARSED
from compliance.source.python import Python, read_python
from rules.edition import Edition
from rules.published import is_published, origin

LARGEST = 2 << 20  # bytes of a file that are read as text
LARGEST_ALL = 128 << 20  # bytes of all files of source
LARGEST_PYTHON = 2 << 20  # characters of all distinct files of Python that are parsed


_read_once = functools.lru_cache(maxsize=1000)(read_python)  # for the reference's files: most submissions hold them


@dataclass(frozen=True)
class Text:
    """A text file of a submission. `problem` says why there is no text. `sha256` is that of its bytes, "" if they can't
    be read. `disguise` says why a program would read the bytes differently from a reviewer, "" if it would not."""

    parts: tuple[str, ...]
    text: str
    problem: str = ""
    sha256: str = ""
    disguise: str = ""

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def alien(self) -> str:
        """Why a file may not be in source: its kind, or its disguise; "" if it may."""
        return foreign(self.parts) or self.disguise


@dataclass(frozen=True)
class Description:
    """A system description: systems/<system>.json. `twice`: a field that an object in it has twice."""

    parts: tuple[str, ...]
    data: dict[str, Any] | None
    text: str
    problem: str = ""
    line: int = 1
    twice: str = ""

    def line_of(self, name: str) -> int:
        """Return the line of a field, 1 if it is not there."""
        at = self.text.find(json.dumps(name))
        return self.text.count("\n", 0, at) + 1 if at >= 0 else 1


@dataclass(frozen=True)
class SubmissionFiles:
    """A submission with its runs and files. Each property is read once."""

    submission: Submission
    runs: tuple[Run, ...]
    edition: Edition
    registry: RoundRegistry | None = None

    @cached_property
    def source(self) -> tuple[Text, ...]:
        """The files below source/ and benchmarks/. Equal files share one text."""
        texts: list[Text] = []
        kept: dict[str, str] = {}
        room = LARGEST_ALL
        for entry in self.submission.entries:
            if entry.kind == "file" and entry.parts[0] in ("source", "benchmarks"):
                text = read_text(self.submission.path, entry, room)
                room -= min(entry.size, LARGEST, room)
                texts.append(replace(text, text=kept.setdefault(text.sha256, text.text)))
        return tuple(texts)

    @cached_property
    def python(self) -> dict[str, Python]:
        """Each distinct file of Python, by sha256. The reference's files come first, so that the limit never excludes
        them; files beyond the limit are not parsed."""
        found, room = {}, LARGEST_PYTHON
        for text in sorted(self.source, key=lambda text: text.parts not in self.published):
            if text.name.endswith(".py") and text.text and text.sha256 not in found:
                known = text.parts in self.published and len(text.text) <= min(LARGEST_PARSED, room)
                python = _read_once(text.text) if known else read_python(text.text, min(LARGEST_PARSED, room))
                found[text.sha256] = python
                room -= 0 if python.large else len(text.text)
        return found

    @cached_property
    def published(self) -> frozenset[tuple[str, ...]]:
        """The files of source that are the reference's, byte for byte."""
        releases = self.edition.releases
        return frozenset(t.parts for t in self.source if is_published(published_path(t.parts), t.sha256, releases))

    @cached_property
    def origin(self) -> str:
        """The verdict's words on whether all source is the reference's; "" without source."""
        files = [text for text in self.source if depth_of(text.parts) and not DOCUMENT.search(text.name)]
        pairs = ((published_path(text.parts), text.sha256) for text in files)
        return origin(pairs, self.edition.releases).words

    @cached_property
    def gathered(self) -> dict[tuple[str, ...], tuple[Text, ...]]:
        """The files by their folder of source; those in none are under the first part of their path."""
        held = grouped(self.source, lambda text: text.parts[: depth_of(text.parts) or 1])
        return {parts: tuple(texts) for parts, texts in held.items()}

    @cached_property
    def folders(self) -> tuple[Folder, ...]:
        """The folders of source."""
        held = sorted((parts, texts) for parts, texts in self.gathered.items() if len(parts) > 1)
        return tuple(Folder(p, {"/".join(t.parts[len(p) :]): t.sha256 for t in texts}) for p, texts in held)

    @cached_property
    def loaded(self) -> tuple[tuple[Run, dict[str, str], Folder | None], ...]:
        """(run, its files, the folder that fits them best) of the runs that log their source. Of runs of one set with
        equal files, only the first."""
        seen, found, best = set(), [], {}
        for run in self.runs:
            files = sound(run.source)
            key = (run.benchmark, frozenset(files.items()))
            if files and (run.set_path, key) not in seen:
                seen.add((run.set_path, key))
                if key not in best:
                    best[key] = fitting(files, (f for f in self.folders if f.may_hold(run.benchmark)))
                found.append((run, files, best[key]))
        return tuple(found)

    @cached_property
    def descriptions(self) -> dict[str, Description]:
        """The system descriptions by system name."""
        inside = (entry for entry in self.submission.entries if entry.parts[:-1] == ("systems",))
        held = {entry.parts[1].removesuffix(".json"): entry for entry in inside if entry.parts[1].endswith(".json")}
        return {name: read_description(self.submission.path, entry) for name, entry in held.items()}


def read_text(root: Path, entry: Entry, room: int = LARGEST) -> Text:
    """Read a file's text, or why there is none: binary, too large, unreadable. No link is followed."""
    if entry.size > min(LARGEST, room):
        return Text(entry.parts, "", f"{entry.size} bytes, too large to be looked at")
    path = root.joinpath(*entry.parts)
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):
            return Text(entry.parts, "", "a symbolic link")
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        return Text(entry.parts, "", f"cannot be read: {error.strerror or error}")
    if len(data) > LARGEST:
        return Text(entry.parts, "", f"more than {LARGEST} bytes, too large to be looked at")
    digest, disguise = hashlib.sha256(data).hexdigest(), disguised(entry.parts[-1], data)
    if b"\0" in data:
        return Text(entry.parts, "", "binary", digest, disguise)
    try:
        return Text(entry.parts, data.decode(), "", digest, disguise)
    except UnicodeDecodeError:
        return Text(entry.parts, data.decode(errors="replace"), "not UTF-8", digest, disguise)


def read_description(root: Path, entry: Entry) -> Description:
    """Read a system description, or what is wrong with it."""
    if entry.kind != "file":
        return Description(entry.parts, None, "", f"a {entry.kind}")
    text = read_text(root, entry)
    if text.problem:
        return Description(entry.parts, None, "", text.problem)
    twice: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                twice.append(name)
            found[name] = value
        return found

    try:
        data = json.loads(text.text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        return Description(entry.parts, None, text.text, f"no JSON: {error.msg}", error.lineno)
    except (ValueError, RecursionError) as error:
        return Description(entry.parts, None, text.text, f"no JSON: {reason(error):.80}")
    if type(data) is not dict:
        return Description(entry.parts, None, text.text, f"a JSON {type(data).__name__}")
    return Description(entry.parts, data, text.text, twice=next(iter(twice), ""))


def description_of(home: Path, system: str) -> Description | None:
    """Return the description of a system of the submission in the folder `home`; None if there is no such file."""
    if not system or not system.isprintable() or system in (".", ".."):
        return None
    parts = ("systems", f"{system}.json")
    path = home.joinpath(*parts)
    return read_description(home, Entry(parts, *kind_of(path))) if os.path.lexists(path) else None


def number_of(value: object) -> float | None:
    """Return a number of a system description, which MLPerf HPC writes as text; None for anything else."""
    if is_number(value):
        return value
    try:
        number = float(value) if type(value) is str else None
    except ValueError:
        return None
    return number if is_number(number) else None
