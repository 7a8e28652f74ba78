"""What the checks of a submission look at: its files, read within limits and never executed."""

import hashlib
import json
import os
import stat
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.log import open_regular
from compliance.reading.registry import RoundRegistry
from compliance.reading.run import Run
from compliance.reading.source import Folder, depth_of, fitting, sound
from compliance.reading.tree import Entry, Submission
from compliance.reading.values import is_number
from compliance.source.seeds import Python, read_python
from rules.edition import Edition

LARGEST = 2 << 20  # bytes of a file that are read as text
LARGEST_ALL = 128 << 20  # of all files of source together
LARGEST_PYTHON = 4 << 20  # of all distinct files of Python together
TOO_MUCH = Python(problem=f"beyond {LARGEST_PYTHON} bytes of Python in all, too much to be looked at")


@dataclass(frozen=True)
class Text:
    """A text file of a submission. `problem` says why there's no text. `sha256` is of its bytes, "" if they can
    not be read."""

    parts: tuple[str, ...]
    text: str
    problem: str = ""
    sha256: str = ""

    @property
    def name(self) -> str:
        return self.parts[-1]


@dataclass(frozen=True)
class Description:
    """A system description: systems/<system>.json."""

    parts: tuple[str, ...]
    data: dict[str, Any] | None
    text: str
    problem: str = ""
    line: int = 1

    def line_of(self, name: str) -> int:
        """The line of a field, or 1."""
        at = self.text.find(json.dumps(name))
        return self.text.count("\n", 0, at) + 1 if at >= 0 else 1


@dataclass(frozen=True)
class SubmissionFiles:
    """A submission with the facts of its logs, and its files."""

    submission: Submission
    runs: tuple[Run, ...]
    edition: Edition
    registry: RoundRegistry | None = None

    @cached_property
    def source(self) -> tuple[Text, ...]:
        """The files below source/ and benchmarks/. The text of equal ones is kept once."""
        texts, kept, room = [], {}, LARGEST_ALL
        for entry in self.submission.entries:
            if entry.kind == "file" and entry.parts[0] in ("source", "benchmarks"):
                text = read_text(self.submission.path, entry, room)
                room -= min(entry.size, LARGEST, room)
                texts.append(replace(text, text=kept.setdefault(text.sha256, text.text)))
        return tuple(texts)

    @cached_property
    def python(self) -> dict[str, Python]:
        """What each distinct file of Python fixes, by sha256."""
        found, room = {}, LARGEST_PYTHON
        for text in self.source:
            if text.name.endswith(".py") and text.text and text.sha256 not in found:
                room -= len(text.text)
                found[text.sha256] = read_python(text.text) if room >= 0 else TOO_MUCH
        return found

    @cached_property
    def folders(self) -> tuple[Folder, ...]:
        """The folders of source."""
        held: dict[tuple[str, ...], dict[str, str]] = {}
        for text in self.source:
            if depth := depth_of(text.parts):
                held.setdefault(text.parts[:depth], {})["/".join(text.parts[depth:])] = text.sha256
        return tuple(Folder(parts, files) for parts, files in sorted(held.items()))

    @cached_property
    def loaded(self) -> tuple[tuple[Run, dict[str, str], Folder | None], ...]:
        """(run, its files, the folder that fits them best) of every run that logs its source; of runs of a benchmark
        with the same files in the same set, the first."""
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
        found = {}
        for entry in self.submission.entries:
            if len(entry.parts) == 2 and entry.parts[0] == "systems" and entry.parts[1].endswith(".json"):
                found[entry.parts[1][:-5]] = read_description(self.submission.path, entry)
        return found


def read_text(root: Path, entry: Entry, room: int = LARGEST) -> Text:
    """A file's text, or why there's none: binary, too large, unreadable. Links aren't followed."""
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
    digest = hashlib.sha256(data).hexdigest()
    if b"\0" in data:
        return Text(entry.parts, "", "binary", digest)
    try:
        return Text(entry.parts, data.decode(), "", digest)
    except UnicodeDecodeError:
        return Text(entry.parts, data.decode(errors="replace"), "not UTF-8", digest)


def read_description(root: Path, entry: Entry) -> Description:
    """A system description, or what is wrong with it."""
    if entry.kind != "file":
        return Description(entry.parts, None, "", f"a {entry.kind}")
    text = read_text(root, entry)
    if text.problem:
        return Description(entry.parts, None, "", text.problem)
    try:
        data = json.loads(text.text)
    except json.JSONDecodeError as error:
        return Description(entry.parts, None, text.text, f"no JSON: {error.msg}", error.lineno)
    except (ValueError, RecursionError) as error:
        return Description(entry.parts, None, text.text, f"no JSON: {error!s:.80}")
    if type(data) is not dict:
        return Description(entry.parts, None, text.text, f"a JSON {type(data).__name__}")
    return Description(entry.parts, data, text.text)


def description_of(home: Path, system: str) -> Description | None:
    """The description of a system of the submission in the folder `home`; None where there is no such file."""
    if not system or not system.isprintable() or system in (".", ".."):
        return None
    parts = ("systems", f"{system}.json")
    path = home.joinpath(*parts)
    try:
        mode = os.lstat(path)
    except (OSError, ValueError):
        return None
    kind = "file" if stat.S_ISREG(mode.st_mode) else "link" if stat.S_ISLNK(mode.st_mode) else "special"
    return read_description(home, Entry(parts, kind, mode.st_size))


def number_of(value: object) -> float | None:
    """A number of a system description, where MLPerf HPC writes numbers as text; None of anything else."""
    if is_number(value):
        return value
    try:
        number = float(value) if type(value) is str else None
    except ValueError:
        return None
    return number if is_number(number) else None
