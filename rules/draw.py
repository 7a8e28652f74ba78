"""Draw the seeds of what entrants register: append an entry to the registry of a round.

    python compliance/register.py LOG > line.json                      # the entrant
    python rules/draw.py results/v1.0/registry.yaml < line.json        # the organisers
    python rules/draw.py results/v1.0/registry.yaml --verify [DIGEST]  # anybody

The nonce has 32 random bytes from the operating system. The file is replaced as a whole, so that it never holds half an
entry; its folder has the name of the edition. Draw on one machine: two that share the folder may not wait for each
other. --verify checks the registry and, given the digest of an earlier entry, whether that entry is still there. Exit
codes: 0 drawn, or whole; 1 damaged; 2 could not read, draw or print.
"""

import argparse
import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.atomic import replacing
from benchmark.writing import put
from rules.edition import load
from rules.registry import (
    FIRST,
    LARGEST,
    LONGEST,
    NAME,
    Damaged,
    Registry,
    Request,
    Wrong,
    now,
    parse_request,
    read_registry,
)

MOST = 100  # requests in one call


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw or verify; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("registry", type=Path, help=f"<edition>/{NAME}, which is made if it is not there")
    parser.add_argument("--verify", nargs="?", const=FIRST, metavar="DIGEST", help="check the registry, draw nothing")
    args = parser.parse_args(arguments)
    try:
        edition = edition_of(args.registry)
        if args.verify is not None:
            if not args.registry.is_file():
                raise ValueError(f"{args.registry}: found no file, wanted a registry")
            registry = read_registry(args.registry, edition)
            if args.verify not in (FIRST, *(entry.digest for entry in registry.entries)):
                wanted = "one: the registry was rewritten or cut"
                raise Damaged(args.registry, 1, f"no entry with the digest {args.verify:.80}", wanted)
        else:
            sent = requests(sys.stdin.buffer.read(MOST * LONGEST + 1))
            registry = draw(args.registry, edition, sent)
            put("".join(f"entry {entry.entry}: {entry.title}\n" for entry in registry.entries[-len(sent) :]))
        put(f"{args.registry}: {len(registry.entries)} entries, head {registry.head}\n")
        return 0
    except (ValueError, OSError) as error:
        print(f"draw.py: {error}", file=sys.stderr)
        return 1 if args.verify is not None and isinstance(error, Damaged) else 2


def edition_of(path: Path) -> str:
    """Return the edition of a registry, by the name of its folder. Raises ValueError if there is no such edition, or it
    has no registry."""
    name = path.resolve().parent.name
    if path.name != NAME:
        raise ValueError(f"found {path.name!r}, wanted {NAME} in the folder of a round")
    if load(name).limits.registry == "none":
        raise ValueError(f"{path}: found a round of {name}, which has no registry, wanted an edition that has one")
    return name


def requests(data: bytes) -> list[Request]:
    """Parse what entrants sent, one request a line. Raises ValueError for a malformed line, and for no line."""
    lines = [line for line in data.decode(errors="replace").splitlines() if line.strip()]
    if not 1 <= len(lines) <= MOST:
        wanted = f"1 to {MOST} of compliance/register.py"
        raise ValueError(f"found {len(lines)} lines on standard input, wanted {wanted}")
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(parse_request(line))
        except Wrong as wrong:
            raise ValueError(f"line {number}: {wrong}") from None
    return found


def draw(path: Path, edition: str, sent: Sequence[Request]) -> Registry:
    """Append an entry for each request to the registry, all or none; return the registry.

    Raises Damaged for a damaged registry, Wrong for a request that has an entry already, OSError if the file can't be
    written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with alone(path.parent):
        registry = read_registry(path, edition) if os.path.lexists(path) else Registry(edition)
        for request in sent:
            registry.draw(request, now(), os.urandom(32).hex())
        if len(registry.text) > LARGEST:
            raise Wrong(f"{len(registry.text)} bytes with the new entries", f"at most {LARGEST}", f"{path}: ")
        with replacing(path) as temporary:
            temporary.write_text(registry.text, encoding="ascii")
    return registry


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock a folder, so that one process of this machine at a time draws in it; others wait."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as error:
            raise OSError(f"{folder}: cannot be locked ({error.strerror}), wanted a local disk") from None
        yield
    finally:
        os.close(handle)


if __name__ == "__main__":
    sys.exit(main())
