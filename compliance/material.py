"""What the checks of a submission look at: its files, read within limits and never executed."""

import json
import os
import re
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.log import open_regular
from compliance.discover import Entry, Submission
from compliance.facts import Facts
from rules.edition import Edition

LARGEST = 2 << 20  # bytes of a file that are read as text
LARGEST_ALL = 128 << 20
DOCUMENT = re.compile(r"(?i)(^(readme|license|notice)|\.(md|rst|txt|pdf)$)")


@dataclass(frozen=True)
class Text:
    """A text file of a submission. `problem` says why there's no text."""

    parts: tuple[str, ...]
    text: str
    problem: str = ""

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
class Material:
    """A submission with the facts of its logs, and its files."""

    submission: Submission
    runs: tuple[Facts, ...]
    edition: Edition

    @cached_property
    def source(self) -> tuple[Text, ...]:
        """The text files below benchmarks/."""
        texts, room = [], LARGEST_ALL
        for entry in self.submission.under("benchmarks"):
            if entry.kind != "file":
                continue
            text = read_text(self.submission.path, entry, room)
            room -= len(text.text)
            texts.append(text)
        return tuple(texts)

    @cached_property
    def descriptions(self) -> dict[str, Description]:
        """The system descriptions by system name."""
        found = {}
        for entry in self.submission.entries:
            if len(entry.parts) == 2 and entry.parts[0] == "systems" and entry.parts[1].endswith(".json"):
                found[entry.parts[1][:-5]] = read_description(self.submission.path, entry)
        return found

    def implementations(self, benchmark: str) -> list[tuple[str, ...]]:
        """The folders of a benchmark's implementations that hold more than documents."""
        root = ("benchmarks", benchmark, "implementations")
        files = [e for e in self.submission.under(*root) if e.kind == "file" and len(e.parts) > 4]
        held = {e.parts[:4] for e in files if not DOCUMENT.search(e.parts[-1])}
        return sorted(held)


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
    if b"\0" in data:
        return Text(entry.parts, "", "binary")
    try:
        return Text(entry.parts, data.decode())
    except UnicodeDecodeError:
        return Text(entry.parts, data.decode(errors="replace"), "not UTF-8")


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
