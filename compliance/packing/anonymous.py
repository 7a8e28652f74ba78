"""Make a submission anonymous, so that it gets the same verdict as the one with names.

Names in texts are replaced (names.py), and so are the digests that depend on these texts, in the order of dependence:
files of source and weights; the folders of source and the digests over them; launch ledgers line by line, since each
line is chained to the one before; and logs, which state the line of their start. Files of the published source stay as
they are, byte for byte. Files other than text and weights are refused, since names in them can't be found.
"""

import hashlib
import re
import secrets
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from benchmark.atomic import naming
from benchmark.log import Event, read_log
from benchmark.run.files import LEDGER
from benchmark.source import combine
from benchmark.tree import DIGITS, SUPERSEDED
from compliance.packing.key import Key
from compliance.packing.manifest import Manifest
from compliance.packing.names import Names, Spot, users
from compliance.reading.digest import sha256_of
from compliance.reading.published import published_path
from compliance.reading.source import SHARED, depth_of, sound
from compliance.reading.tree import LOG
from compliance.reading.weights import LARGEST_HEADER, LENGTH
from rules.edition import Edition
from rules.published import is_published

SOURCES = ("source", "benchmarks")
WEIGHTS = ".safetensors"
DIGEST = re.compile(rb"[0-9a-f]{64}")
ENDED = re.compile(rb'"log": ?"([0-9a-f]{64})"')  # the digest of a log, in a ledger


@dataclass
class Work:
    """A submission that is being made anonymous. `old` is its folder, `new` the one that is written. `digests`: digest
    in `old` -> digest in `new`. `files`: path in `new` -> (path in `old`, what was replaced)."""

    old: Path
    new: Path
    names: Names
    digests: dict[str, str] = field(default_factory=dict)
    sizes: dict[bytes, tuple[str, str]] = field(default_factory=dict)  # digest of a file -> its bytes before and after
    files: dict[str, tuple[str, tuple[Spot, ...]]] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)  # of source

    def place(self, path: str) -> str:
        """Return the path of a file in the anonymous package."""
        parts = path.split("/")
        if parts[0] in SOURCES and (deep := depth_of(tuple(parts))):
            return f"{self.folders['/'.join(parts[:deep])]}/{self.masked_path('/'.join(parts[deep:]))}"
        if parts[0] == "systems" and len(parts) == 2:
            return f"systems/{self.names.of(PurePosixPath(path).stem)}{PurePosixPath(path).suffix}"
        return "/".join(self.names.of(part) if part not in ("results", SUPERSEDED, LEDGER) else part for part in parts)

    def masked_path(self, path: str) -> str:
        """Return a path of source, as logs give it, without names."""
        return self.names.mask(path.encode(), True)[0].decode()

    def put(self, path: str, data: bytes, spots: Iterable[Spot]) -> None:
        """Write a file. Raises ValueError if there is one at its new path."""
        after = self.place(path)
        if after in self.files:
            raise ValueError(f"{path}: found {after} also for {self.files[after][0]}, wanted names that differ")
        place = self.new / after
        place.parent.mkdir(parents=True, exist_ok=True)
        with naming(place):
            place.write_bytes(data)
        self.files[after] = (path, tuple(spots))

    def changed(self, old: bytes, new: bytes) -> None:
        """Record that a text was replaced, and so its digest and bytes."""
        if old != new:
            self.digests[sha256(old)] = sha256(new)
            self.sizes[sha256(old).encode()] = (str(len(old)), str(len(new)))

    def text(self, path: str) -> bytes:
        """Read a file of text. Raises ValueError for anything else."""
        data = (self.old / path).read_bytes()
        try:
            data.decode()
        except UnicodeDecodeError:
            data += b"\0"
        if b"\0" in data:
            raise ValueError(f"{path}: found no plain text, wanted it: names in other files can't be found")
        return data

    def mask(self, path: str, data: bytes) -> tuple[bytes, list[Spot]]:
        """Return a file's text without names, and what was replaced."""
        return self.names.mask(data, path.split("/")[0] in SOURCES, self.digests)

    def mask_log(self, data: bytes) -> tuple[bytes, list[Spot]]:
        """Return a log without names, and what was replaced. A line with a file's digest also gets its new size."""
        lines = []
        for line in data.splitlines(keepends=True):
            counts = dict(self.sizes[digest] for digest in DIGEST.findall(line) if digest in self.sizes)
            lines.append(self.names.mask(line, False, self.digests | counts if counts else self.digests))
        return joined(lines)


def anonymised(old: Path, new: Path, manifest: Manifest, edition: Edition, names: Names) -> Key:
    """Write the anonymous submission into the folder `new`; return the key. Raises ValueError for files that can't be
    made anonymous, OSError."""
    work = Work(old, new, names)
    digests = {file.path: file.sha256 for file in manifest.files}
    logs = [path for path in digests if path.startswith("results/") and LOG.match(path.rpartition("/")[2])]
    ledgers = [path for path in digests if path.startswith("results/") and path.endswith(f"/{LEDGER}")]
    source = [path for path in digests if path.split("/")[0] in SOURCES]
    weights = [path for path in digests if path.endswith(WEIGHTS)]
    others = [path for path in digests if path not in {*logs, *ledgers, *source, *weights}]
    releases = edition.releases
    kept = {p for p in source if is_published(published_path(tuple(p.split("/"))), digests[p], releases)}
    for path in digests:
        if path not in kept and path not in weights:
            users(names, work.text(path))
    made = {path: work.mask(path, work.text(path)) for path in source if path not in kept}
    for path, (data, _) in made.items():
        work.changed(work.text(path), data)
    name_folders(work, source, digests)
    for path in source:
        work.put(path, *(made[path] if path in made else ((old / path).read_bytes(), ())))
    for path in weights:
        weigh(work, path)
    for path in others:
        masked, spots = work.mask(path, work.text(path))
        work.changed(work.text(path), masked)
        work.put(path, masked, spots)
    for path in logs:
        combined(work, path)
    for path in ledgers:
        chain(work, path, [log for log in logs if is_beside(log, path)])
    for path in logs:
        work.put(path, *work.mask_log(work.text(path)))
    return Key(secrets.token_hex(32), manifest, {**names.given, **names.paths}, dict(sorted(work.files.items())))


def name_folders(work: Work, source: list[str], digests: dict[str, str]) -> None:
    """Name the folders of source for their new content."""
    held: dict[str, list[tuple[str, str]]] = {}
    for path in source:
        parts = path.split("/")
        if deep := depth_of(tuple(parts)):
            name = work.masked_path("/".join(parts[deep:]))
            digest = work.digests.get(digests[path], digests[path])
            held.setdefault("/".join(parts[:deep]), []).append((name, digest))
    for folder, files in held.items():
        if folder.split("/")[0] == SHARED:
            work.folders[folder] = f"{SHARED}/{combine(files)[:DIGITS]}"
        else:
            work.folders[folder] = "/".join(work.names.of(part) for part in folder.split("/"))


def combined(work: Work, path: str) -> None:
    """Record the new digest over the files that a log names, which depends on their digests and paths."""
    event = next((e for e in read_log(work.old / path) if type(e) is Event and e.key == "source"), None)
    if event is None or type(event.metadata) is not dict:
        return
    files = sound(event.metadata.get("files"))
    if files and event.value == combine(files.items()):
        new = ((work.masked_path(name), work.digests.get(digest, digest)) for name, digest in files.items())
        work.digests[event.value] = combine(new)


def weigh(work: Work, path: str) -> None:
    """Write a file of weights, with names in its header replaced."""
    after = work.place(path)
    with open(work.old / path, "rb") as file:
        length = file.read(LENGTH)
        header = file.read(min(int.from_bytes(length, "little"), LARGEST_HEADER))
        masked, _ = work.names.mask(header, False)
        masked += b" " * (-len(masked) % 8)
        begin = len(masked).to_bytes(LENGTH, "little") + masked
        work.put(path, begin, [(0, len(begin), length + header)])
        with naming(work.new / after), open(work.new / after, "ab") as out:
            shutil.copyfileobj(file, out)
    before, now = work.old / path, work.new / after
    digest = sha256_of(before)
    work.digests[digest] = sha256_of(now)
    work.sizes[digest.encode()] = (str(before.stat().st_size), str(now.stat().st_size))


def chain(work: Work, path: str, logs: list[str]) -> None:
    """Write a launch ledger with names replaced, and its lines chained again."""
    data = work.text(path)
    ends = prefixes(work, logs, {found.decode() for found in ENDED.findall(data)})
    lines = []
    for line in data.splitlines(keepends=True):
        for digest in ENDED.findall(line):
            if place := ends.get(digest.decode()):
                log, length = place
                text = work.text(log)[:length]
                work.changed(text, work.mask_log(text)[0])
        lines.append(work.mask(path, line))
        work.changed(line.rstrip(b"\n"), lines[-1][0].rstrip(b"\n"))
    masked, spots = joined(lines)
    work.changed(data, masked)
    work.put(path, masked, spots)


def prefixes(work: Work, logs: list[str], wanted: set[str]) -> dict[str, tuple[str, int]]:
    """Return digest -> (log, bytes) for each wanted digest of the first bytes of a log, up to the end of a line."""
    found: dict[str, tuple[str, int]] = {}
    for path in logs if wanted else ():
        total, size = hashlib.sha256(), 0
        for line in work.text(path).splitlines(keepends=True):
            total.update(line)
            size += len(line)
            if (digest := total.hexdigest()) in wanted:
                found.setdefault(digest, (path, size))
    return found


def joined(lines: Iterable[tuple[bytes, list[Spot]]]) -> tuple[bytes, list[Spot]]:
    """Return a text whose lines are masked, and what was replaced."""
    made, spots, size = [], [], 0
    for line, found in lines:
        spots += [(size + at, length, old) for at, length, old in found]
        size += len(line)
        made.append(line)
    return b"".join(made), spots


def is_beside(log: str, ledger: str) -> bool:
    """Return whether a log, also a superseded one, is of a ledger's set."""
    home = ledger.rpartition("/")[0]
    return log.rpartition("/")[0] == home or log.startswith(f"{home}/{SUPERSEDED}/")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
