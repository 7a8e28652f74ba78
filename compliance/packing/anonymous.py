"""A submission without names, which is judged as the one with them.

Texts are replaced (names.py), and so are digests that follow from them, in the order in which they do: files of source
and weights, then the folders of source and the digests over them, then launch ledgers line by line, each chained to the
one before, and with them the logs, which state the line of their start. Files of source that are the published ones
stay, byte for byte. What can't be looked into (anything but text and weights) is refused.
"""

import hashlib
import re
import secrets
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from benchmark.log import Event, read_log
from benchmark.tree import DIGITS, LEDGER, SUPERSEDED, combine
from compliance.packing.key import Key
from compliance.packing.manifest import Manifest
from compliance.packing.names import Names, Spot, users
from compliance.reading.digest import sha256_of
from compliance.reading.source import SHARED, depth_of, sound
from compliance.reading.tree import LOG
from compliance.reading.weights import LARGEST_HEADER, LENGTH
from compliance.source.reference import is_published
from rules.edition import Edition

SOURCES = ("source", "benchmarks")
WEIGHTS = ".safetensors"
DIGEST = re.compile(rb"[0-9a-f]{64}")
ENDED = re.compile(rb'"log": ?"([0-9a-f]{64})"')  # the digest of a log, in a ledger


@dataclass
class Work:
    """A submission that is being made anonymous: `old` its folder, `new` the one that is written. `digests`: what
    stands for a digest, `files`: path in `new` -> (path in `old`, what was replaced)."""

    old: Path
    new: Path
    edition: Edition
    names: Names
    digests: dict[str, str] = field(default_factory=dict)
    sizes: dict[bytes, tuple[str, str]] = field(default_factory=dict)  # digest of a file -> its bytes, and those now
    files: dict[str, tuple[str, tuple[Spot, ...]]] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)  # of source

    def is_kept(self, path: str, digest: str) -> bool:
        """Whether a file is one of the published source, byte for byte."""
        return is_published(tuple(path.split("/")), digest, self.edition.limits.releases)

    def place(self, path: str) -> str:
        """Where a file lies in the anonymous package."""
        parts = path.split("/")
        if parts[0] in SOURCES and (deep := depth_of(tuple(parts))):
            return f"{self.folders[path_of(parts, deep)]}/{self.masked_path('/'.join(parts[deep:]))}"
        if parts[0] == "systems" and len(parts) == 2:
            return f"systems/{self.names.of(PurePosixPath(path).stem)}{PurePosixPath(path).suffix}"
        return "/".join(self.names.of(part) if part not in ("results", SUPERSEDED, LEDGER) else part for part in parts)

    def masked_path(self, path: str) -> str:
        """A path of source as logs name it."""
        return self.names.mask(path.encode(), True)[0].decode()

    def put(self, path: str, data: bytes, spots: Iterable[Spot]) -> None:
        """Write a file. Raises ValueError for one that is there already."""
        after = self.place(path)
        if after in self.files:
            raise ValueError(f"{path}: found {after} for {self.files[after][0]}, too, wanted names that differ")
        place = self.new / after
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        self.files[after] = (path, tuple(spots))

    def changed(self, old: bytes, new: bytes) -> None:
        """A text became another one, and its digest another one."""
        if old != new:
            self.digests[sha256(old)] = sha256(new)
            self.sizes[sha256(old).encode()] = (str(len(old)), str(len(new)))

    def text(self, path: str) -> bytes:
        """A file of text. Raises ValueError for anything else."""
        data = (self.old / path).read_bytes()
        try:
            data.decode()
        except UnicodeDecodeError:
            data += b"\0"
        if b"\0" in data:
            raise ValueError(f"{path}: found no plain text, wanted some: nobody can tell which names are in it")
        return data

    def mask(self, path: str, data: bytes) -> tuple[bytes, list[Spot]]:
        """A file's text without names."""
        return self.names.mask(data, path.split("/")[0] in SOURCES, self.digests)

    def mask_log(self, data: bytes) -> tuple[bytes, list[Spot]]:
        """A log without names, line by line: where one names a file by its digest, its bytes are those it has now."""
        made, spots, size = [], [], 0
        for line in data.splitlines(keepends=True):
            counts = dict(self.sizes[digest] for digest in DIGEST.findall(line) if digest in self.sizes)
            masked, found = self.names.mask(line, False, self.digests | counts if counts else self.digests)
            spots += [(size + at, length, old) for at, length, old in found]
            size += len(masked)
            made.append(masked)
        return b"".join(made), spots


def anonymised(old: Path, new: Path, manifest: Manifest, edition: Edition, names: Names) -> Key:
    """Writes the anonymous submission into the folder `new`; the key. Raises ValueError for files that can't be made
    so, OSError."""
    work = Work(old, new, edition, names)
    digests = {file.path: file.sha256 for file in manifest.files}
    logs = [path for path in digests if path.startswith("results/") and LOG.match(path.rpartition("/")[2])]
    ledgers = [path for path in digests if path.startswith("results/") and path.endswith(f"/{LEDGER}")]
    source = [path for path in digests if path.split("/")[0] in SOURCES]
    weights = [path for path in digests if path.endswith(WEIGHTS)]
    others = [path for path in digests if path not in {*logs, *ledgers, *source, *weights}]
    kept = {path for path in source if work.is_kept(path, digests[path])}
    for path in digests:
        if path not in kept and path not in weights:
            users(names, work.text(path))
    made = {
        path: ((old / path).read_bytes(), ()) if path in kept else work.mask(path, work.text(path)) for path in source
    }
    for path, (data, _) in made.items():
        work.changed((old / path).read_bytes(), data)
    name_folders(work, source, digests)
    for path, (data, spots) in made.items():
        work.put(path, data, spots)
    for path in weights:
        weigh(work, path)
    for path in others:
        data = work.text(path)
        masked, spots = work.mask(path, data)
        work.changed(data, masked)
        work.put(path, masked, spots)
    for path in logs:
        combined(work, path)
    for path in ledgers:
        chain(work, path, [log for log in logs if is_beside(log, path)])
    for path in logs:
        work.put(path, *work.mask_log(work.text(path)))
    return Key(secrets.token_hex(32), manifest, {**names.given, **names.paths}, dict(sorted(work.files.items())))


def name_folders(work: Work, source: list[str], digests: dict[str, str]) -> None:
    """The folders of source are named for what is in them."""
    held: dict[str, list[tuple[str, str]]] = {}
    for path in source:
        parts = path.split("/")
        if deep := depth_of(tuple(parts)):
            name = work.masked_path("/".join(parts[deep:]))
            digest = work.digests.get(digests[path], digests[path])
            held.setdefault(path_of(parts, deep), []).append((name, digest))
    for folder, files in held.items():
        if folder.split("/")[0] == SHARED:
            work.folders[folder] = f"{SHARED}/{combine(files)[:DIGITS]}"
        else:
            work.folders[folder] = "/".join(work.names.of(part) for part in folder.split("/"))


def combined(work: Work, path: str) -> None:
    """The digest over the files that a log names, which becomes another one where theirs or their paths do."""
    event = next((e for e in read_log(work.old / path) if type(e) is Event and e.key == "source"), None)
    files = sound(event.metadata.get("files")) if event and type(event.metadata) is dict else {}
    if files and event.value == combine(files.items()):
        new = ((work.masked_path(name), work.digests.get(digest, digest)) for name, digest in files.items())
        work.digests[event.value] = combine(new)


def weigh(work: Work, path: str) -> None:
    """Weights: the names of tensors are text, the rest are numbers."""
    after = work.place(path)
    with open(work.old / path, "rb") as file:
        length = file.read(LENGTH)
        header = file.read(min(int.from_bytes(length, "little"), LARGEST_HEADER))
        masked, _ = work.names.mask(header, False)
        if masked == header:
            work.put(path, b"", ())
            shutil.copyfile(work.old / path, work.new / after)
            return
        masked += b" " * (-len(masked) % 8)
        begin = len(masked).to_bytes(LENGTH, "little") + masked
        work.put(path, begin, [(0, len(begin), length + header)])
        with open(work.new / after, "ab") as out:
            shutil.copyfileobj(file, out)
    before, now = work.old / path, work.new / after
    digest = sha256_of(before)
    work.digests[digest] = sha256_of(now)
    work.sizes[digest.encode()] = (str(before.stat().st_size), str(now.stat().st_size))


def chain(work: Work, path: str, logs: list[str]) -> None:
    """A launch ledger, chained anew."""
    data = work.text(path)
    ends = prefixes(work, logs, {found.decode() for found in ENDED.findall(data)})
    made, spots, size = [], [], 0
    for line in data.splitlines(keepends=True):
        for digest in ENDED.findall(line):
            if place := ends.get(digest.decode()):
                log, length = place
                text = work.text(log)[:length]
                work.changed(text, work.mask_log(text)[0])
        masked, replaced = work.mask(path, line)
        spots += [(size + at, length, old) for at, length, old in replaced]
        size += len(masked)
        made.append(masked)
        work.changed(line.rstrip(b"\n"), masked.rstrip(b"\n"))
    work.changed(data, b"".join(made))
    work.put(path, b"".join(made), spots)


def prefixes(work: Work, logs: list[str], wanted: set[str]) -> dict[str, tuple[str, int]]:
    """Those of the digests that are of a log up to the end of one of its lines -> the log, and bytes up to there."""
    found = {}
    for path in logs if wanted else ():
        total, size = hashlib.sha256(), 0
        for line in work.text(path).splitlines(keepends=True):
            total.update(line)
            size += len(line)
            if (digest := total.hexdigest()) in wanted:
                found.setdefault(digest, (path, size))
    return found


def is_beside(log: str, ledger: str) -> bool:
    """Whether a log is of a ledger's set, or was made again in it."""
    home = ledger.rpartition("/")[0]
    return log.rpartition("/")[0] == home or log.startswith(f"{home}/{SUPERSEDED}/")


def path_of(parts: list[str], deep: int) -> str:
    """The folder of source that a file is in."""
    return "/".join(parts[:deep])


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
