"""Names that tell whose a submission is: of organisation, systems, hosts, users, implementations; and what stands for
them in an anonymous package.

A name is found wherever it is a part of a text, in capitals or not, unless the published source has it, too ("box",
"reference"): such a word is replaced where it stands alone in logs, descriptions and other texts, and left in source,
where it tells nothing. Absolute paths are replaced as a whole, but for those of the operating system.
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
from compliance.source.reference import ROOT, own_files

HOST = re.compile(r"(?i)(^|_)(host|hostname|node|nodename|nodelist|fqdn)s?$")  # keys of JSON whose values are hosts
USER = re.compile(r"(?i)^(user(_?name)?|logname|login)$")
PLAIN = re.compile(r"[\w][\w.+-]*")
HOME = re.compile(rb"/(?:home|users)/(?:[a-z]/)?([\w.+-]+)", re.IGNORECASE)
MAIL = rb"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
SYSTEMS = rb"(?:proc|sys|dev|usr|bin|sbin|lib|lib64|etc)/"  # folders that every machine has
PATH = rb"(?<![\w.:/<~*)\]}-])/(?!" + SYSTEMS + rb")[\w.+@-]+(?:/[\w.+@%=,-]+)+"
DIGEST = rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])"
NEVER = {"", "pytorch", "localhost", "none", "unknown", "cpu", "cuda"}  # tell nothing
END = -1  # of a name, among the bytes of others
DEEP = 8  # levels of JSON in which hosts and users are looked for
Spot = tuple[int, int, bytes]  # where something was replaced: offset and bytes there now, and what it was


@dataclass
class Names:
    """Which names there are and what stands for each. `token` is of this package alone."""

    token: str = field(default_factory=lambda: secrets.token_hex(4))
    given: dict[str, str] = field(default_factory=dict)  # name -> pseudonym
    folded: dict[str, str] = field(default_factory=dict)  # the same, however a name is spelt
    numbers: Counter[str] = field(default_factory=Counter)  # of pseudonyms, by kind
    loose: set[str] = field(default_factory=set)  # names that are found as a part of any word
    paths: dict[str, str] = field(default_factory=dict)  # absolute paths and addresses of mail -> pseudonym
    implementations: set[str] = field(default_factory=set)
    compiled: dict[tuple, re.Pattern[bytes]] = field(default_factory=dict)

    def add(self, kind: str, name: Any, same_as: str = "", loose: bool = False) -> None:
        """A name of this kind; `same_as` is another one of the same thing. What is no name is left out."""
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
        """What stands for a name of a folder: its pseudonym, or itself with names in it replaced."""
        return self.given.get(name) or self.mask(name.encode(), True)[0].decode()

    def kept(self) -> list[str]:
        """The names that are words of the published source, and are left in source."""
        return sorted(set(self.given) - self.loose - self.implementations)

    def pattern(self, source: bool) -> re.Pattern[bytes]:
        """What is looked for in a text; in source without words that the published one has."""
        key = (source, len(self.given), len(self.loose), len(self.implementations))
        if key not in self.compiled:
            self.compiled[key] = self.compile(source)
        return self.compiled[key]

    def compile(self, source: bool) -> re.Pattern[bytes]:
        """The same, made."""
        loose, implementations = any_of(self.loose), any_of(self.implementations)
        strict = any_of(self.given.keys() - self.loose) if not source else b""
        parts = [b"(?P<number>" + DIGEST + b'|(?<="bytes": )[0-9]+)', b"(?P<place>" + PATH + b")"]
        parts += [] if source else [b"(?P<mail>" + MAIL + b")"]
        parts += [rb"(?<=implementations[/.])" + implementations + rb"(?![\w+-])"] if implementations else []
        parts += [loose] if loose else []
        parts += [rb"(?<![\w.+/@-])" + strict + rb"(?![\w+/@-]|\.\w)"] if strict else []
        return re.compile(b"|".join(parts), re.IGNORECASE)

    def mask(self, data: bytes, source: bool, numbers: dict[str, str] | None = None) -> tuple[bytes, list[Spot]]:
        """A text without names, and where something was replaced. `numbers`: what stands for digests and for bytes."""
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
    """A name as it stands in texts, and, where that differs, in JSON."""
    return tuple(dict.fromkeys((name, json.dumps(name)[1:-1])))


def any_of(names: Iterable[str]) -> bytes:
    """A pattern for any of some names, the longest that fits, whatever their number: a tree of their letters."""
    tree: dict = {}
    for word in sorted({text.encode().lower() for name in names for text in spellings(name)}):
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[END] = {}

    def pattern(node: dict) -> bytes:
        options = [re.escape(bytes([letter])) + pattern(below) for letter, below in node.items() if letter != END]
        if not options:
            return b""
        return b"(?:" + b"|".join(options) + b")" + b"?" * (END in node)

    return pattern(tree)


@cache
def published() -> str:
    """The text of the published files, without capitals."""
    texts = (ROOT / path for path in own_files() if path.endswith((".py", ".yaml")))
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in texts).casefold()


def gather(home: Path, paths: Iterable[str], hide: Iterable[str] = ()) -> Names:
    """The names that a submission tells: by its folders, its descriptions, its logs and other JSON beside them. `hide`
    are names that no program knows for one. Raises OSError."""
    names = Names()
    names.add("org", home.name)
    for name in hide:
        names.add("name", name, loose=True)
    for path in sorted(paths):
        parts = path.split("/")
        if parts[0] == "systems" and len(parts) == 2 and path.endswith(".json"):
            names.add("sys", parts[1].removesuffix(".json"))
            described(names, home, path)
        elif parts[0] == "results":
            if len(parts) > 2:
                names.add("sys", parts[1])
            if path.endswith(".txt"):  # logs, and those of instruments
                logged(names, home, path)
            elif path.endswith(".json"):
                searched(names, read_json(home / path))
        elif "implementations" in parts[:-1]:
            implementation(names, path)
    return names


def described(names: Names, home: Path, path: str) -> None:
    """The names in a system description."""
    found = read_json(home / path)
    if type(found) is dict:
        names.add("org", found.get("submitter"), same_as=home.name)
        names.add("sys", found.get("system_name"), same_as=path.split("/")[1].removesuffix(".json"))


def logged(names: Names, home: Path, path: str) -> None:
    """The names in a log."""
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
    """The name of the implementation that a file of source is of."""
    _, _, below = (
        path.rpartition("implementations/")
        if path.startswith("implementations/")
        else path.partition("/implementations/")
    )
    name, slash, _ = below.partition("/")
    if slash and name.casefold() not in NEVER:
        names.add("impl", name)
        names.implementations.add(name)


def searched(names: Names, value: Any, depth: int = DEEP) -> None:
    """The hosts and users that a value of JSON names."""
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
    """The names of hosts in a value: n01.example.org, or a list as Slurm writes it, n[01-04,7]."""
    for word in re.split(r"[\s,]+(?![^\[]*\])", text):
        stem = word.partition("[")[0]
        if PLAIN.fullmatch(stem) and re.search("[a-zA-Z]", stem):
            yield stem
            yield stem.partition(".")[0]


def users(names: Names, data: bytes) -> None:
    """The users whose home folders a text names."""
    for match in HOME.finditer(data):
        names.add("user", match[1].decode(errors="replace"))


def read_json(path: Path) -> Any:
    """What a small file of JSON says; None of anything else."""
    try:
        return json.loads(path.read_bytes()) if path.stat().st_size < 1 << 24 else None
    except (ValueError, RecursionError):
        return None
