"""Find the names that identify a submitter (organisation, systems, hosts, users, implementations), and replace them by
pseudonyms.

A name is replaced wherever it is part of a text, in upper or lower case. Words that the published source has as well
("box", "reference") are replaced only where they stand alone in logs, descriptions and other texts, and stay in source,
where they identify nobody. Absolute paths are replaced as a whole, except for those of the operating system.
"""

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmark.log import Event, read_log
from compliance.reading.devices import NUMBER
from rules.published import REPOSITORY, own_files

HOST = re.compile(r"(?i)(^|_)(host|hostname|node|nodename|nodelist|fqdn)s?$")  # keys of JSON whose values are hosts
USER = re.compile(r"(?i)^(user(_?name)?|logname|login)$")
PLAIN = re.compile(r"[\w][\w.+-]*")
HOME = re.compile(rb"/(?:home|users)/(?:[a-z]/)?([\w.+-]+)", re.IGNORECASE)
MAIL = rb"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
SYSTEMS = rb"(?:proc|sys|dev|usr|bin|sbin|lib|lib64|etc)/"  # folders of every operating system
PATH = rb"(?<![\w.:/<~*)\]}-])/(?!" + SYSTEMS + rb")[\w.+@-]+(?:/[\w.+@%=,-]+)+"
IMPLEMENTATION = re.compile(r"(?<![^/])implementations/([^/]+)(?=/)")
DIGEST = rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])"
NEVER = {"", "pytorch", "localhost", "none", "unknown", "cpu", "cuda"}  # identify nobody
END = -1  # marks the end of a name in a tree of letters
Tree = dict[int, "Tree"]
DEEP = 8  # levels of JSON that are searched for hosts and users
Spot = tuple[int, int, bytes]  # a replaced place: offset and length in the new text, the old bytes


@dataclass
class Names:
    """The names of a submission and their pseudonyms. `token` is random, and in all pseudonyms of one package."""

    token: str = field(default_factory=lambda: secrets.token_hex(4))
    given: dict[str, str] = field(default_factory=dict)  # name -> pseudonym
    folded: dict[str, str] = field(default_factory=dict)  # spelling in lower case -> pseudonym
    numbers: Counter[str] = field(default_factory=Counter)  # of pseudonyms, by kind
    loose: set[str] = field(default_factory=set)  # names that are replaced also within words
    paths: dict[str, str] = field(default_factory=dict)  # absolute path or mail address -> pseudonym
    implementations: set[str] = field(default_factory=set)
    compiled: dict[tuple[int, ...], re.Pattern[bytes]] = field(default_factory=dict)

    def add(self, kind: str, name: Any, same_as: str = "", loose: bool = False) -> None:
        """Add a name of this kind. `same_as` is another name of the same thing, whose pseudonym it shares. Anything but
        a name is ignored."""
        if type(name) is not str or name.strip().casefold() in NEVER or not name.isprintable():
            return
        name = name.strip()
        if name not in self.given:
            known = self.folded.get(name.casefold()) or self.given.get(same_as)
            self.numbers[kind] += not known
            self.given[name] = known or f"{kind}{self.token}n{self.numbers[kind]}"
            self.folded.update({text.casefold(): self.given[name] for text in spellings(name)})
        if loose or (len(name) > 3 and not re.fullmatch(r"[0-9a-f]+", name) and name.casefold() not in published()):
            self.loose.add(name)

    def of(self, name: str) -> str:
        """Return what replaces a folder's name: its pseudonym, or itself with names in it replaced."""
        return self.given.get(name) or self.mask(name.encode(), True)[0].decode()

    def kept(self) -> list[str]:
        """Return the names that stay in source, since they are words of the published source."""
        return sorted(set(self.given) - self.loose - self.implementations)

    def pattern(self, source: bool) -> re.Pattern[bytes]:
        """Return the compiled pattern of all that is replaced in a text, or in `source`, where words of the published
        source stay."""
        key = (source, len(self.given), len(self.loose), len(self.implementations))
        if key in self.compiled:
            return self.compiled[key]
        loose, implementations = any_of(self.loose), any_of(self.implementations)
        strict = any_of(self.given.keys() - self.loose) if not source else b""
        parts = [b"(?P<number>" + DIGEST + b'|(?<="bytes": )[0-9]+)', b"(?P<place>" + PATH + b")"]
        parts += [] if source else [b"(?P<mail>" + MAIL + b")"]
        parts += [rb"(?<=implementations[/.])" + implementations + rb"(?![\w+-])"] if implementations else []
        parts += [loose] if loose else []
        parts += [rb"(?<![\w.+/@-])" + strict + rb"(?![\w+/@-]|\.\w)"] if strict else []
        return self.compiled.setdefault(key, re.compile(b"|".join(parts), re.IGNORECASE))

    def mask(self, data: bytes, source: bool, numbers: dict[str, str] | None = None) -> tuple[bytes, list[Spot]]:
        """Return a text without names, and the replaced places. `numbers` maps digests and sizes to new ones."""
        made, spots, end, size = [], [], 0, 0
        for match in self.pattern(source).finditer(data):
            old = match[0].decode(errors="surrogateescape")
            if match["number"]:
                new = (numbers or {}).get(old, old)
            elif match["place"] or (not source and match["mail"]):
                new = self.paths.setdefault(old, f"/hidden/path{len(self.paths) + 1}")
            else:
                new = self.folded[old.casefold()]
            if new != old:
                made += [data[end : match.start()], new.encode()]
                size += match.start() - end
                spots.append((size, len(new), match[0]))
                size, end = size + len(new), match.end()
        return b"".join([*made, data[end:]]), spots


def spellings(name: str) -> tuple[str, ...]:
    """Return the spellings of a name in text and, if that differs, in JSON."""
    return tuple(dict.fromkeys((name, json.dumps(name)[1:-1])))


def any_of(names: Iterable[str]) -> bytes:
    """Return a pattern for any of the names, the longest that matches. It is a tree of letters, which stays fast for
    many names."""
    tree: Tree = {}
    for word in sorted({text.encode().lower() for name in names for text in spellings(name)}):
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[END] = {}

    def pattern(node: Tree) -> bytes:
        options = [re.escape(bytes([letter])) + pattern(below) for letter, below in node.items() if letter != END]
        if not options:
            return b""
        return b"(?:" + b"|".join(options) + b")" + b"?" * (END in node)

    return pattern(tree)


@cache
def published() -> str:
    """Return the text of all published files in lower case."""
    texts = (REPOSITORY / path for path in own_files() if path.endswith((".py", ".yaml")))
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in texts).casefold()


def gather(home: Path, paths: Iterable[str], hide: Iterable[str] = ()) -> Names:
    """Return the names in a submission's folders, descriptions, logs, and other JSON beside them. `hide` adds names
    that no program can recognise. Raises OSError."""
    names = Names()
    names.add("org", home.name)
    for name in hide:
        names.add("name", name, loose=True)
    for path in sorted(paths):
        parts = path.split("/")
        if parts[0] == "systems" and len(parts) == 2 and path.endswith(".json"):
            system, found = parts[1].removesuffix(".json"), read_json(home / path)
            names.add("sys", system)
            if type(found) is dict:
                names.add("org", found.get("submitter"), same_as=home.name)
                names.add("sys", found.get("system_name"), same_as=system)
        elif parts[0] == "results":
            if len(parts) > 2:
                names.add("sys", parts[1])
            if path.endswith(".txt"):  # logs, and those of instruments
                logged(names, home, path)
            elif path.endswith(".json"):
                searched(names, read_json(home / path))
        else:
            implementation(names, path)
    return names


def logged(names: Names, home: Path, path: str) -> None:
    """Add the names in a log."""
    for event in read_log(home / path):
        if type(event) is not Event:
            continue
        searched(names, {"value": event.value, "metadata": event.metadata})
        if event.key == "submission_org":
            names.add("org", event.value, same_as=home.name)
        elif event.key == "submission_platform":
            names.add("sys", event.value, same_as=path.split("/")[1])
        elif event.key == "source" and type(event.metadata) is dict and type(event.metadata.get("files")) is dict:
            for file in event.metadata["files"]:
                implementation(names, file)
        elif event.key == "devices":
            for group in event.value if type(event.value) is list else ():
                for uuid in group.get("uuids", ()) if type(group) is dict else ():
                    names.add("uuid", uuid)


def implementation(names: Names, path: str) -> None:
    """Add the name of the implementation to which a file of source belongs."""
    for name in IMPLEMENTATION.findall(path):
        if name.casefold() not in NEVER:
            names.add("impl", name)
            names.implementations.add(name)


def searched(names: Names, value: Any, depth: int = DEEP) -> None:
    """Add the hosts and users in a value of JSON."""
    if type(value) is dict and depth:
        for key, inner in value.items():
            told = [inner] if type(inner) is str else inner if type(inner) is list else ()
            for text in told:
                if type(text) is str and HOST.search(key):
                    for name in hosts(text):
                        names.add("host", name)
                elif type(text) is str and USER.match(key):
                    names.add("user", text)
            searched(names, inner, depth - 1)
    elif type(value) is list and depth:
        for inner in value:
            searched(names, inner, depth - 1)


def hosts(text: str) -> Iterator[str]:
    """Yield the host names in a value: n01.example.org, or a list in Slurm's form, n[01-04,7]."""
    for word in re.split(r"[\s,]+(?![^\[]*\])", text):
        stem = word.partition("[")[0]
        if PLAIN.fullmatch(stem) and re.search("[a-zA-Z]", stem) and not NUMBER.fullmatch(stem):
            yield stem
            yield stem.partition(".")[0]


def users(names: Names, data: bytes) -> None:
    """Add the users whose home folders a text names."""
    for match in HOME.finditer(data):
        names.add("user", match[1].decode(errors="replace"))


def read_json(path: Path) -> Any:
    """Return the value of a small file of JSON, None for anything else."""
    try:
        return json.loads(path.read_bytes()) if path.stat().st_size < 1 << 24 else None
    except (ValueError, RecursionError):
        return None
