"""Pack a submission into one file to hand in; verify and unpack such a file.

    python compliance/package.py results/v1.0/acme --out build/acme.tar.gz
    python compliance/package.py results/v1.0/acme --out build/blind.tar.gz --anonymous --key build/blind.key
    python compliance/package.py --verify build/acme.tar.gz
    python compliance/package.py --unpack build/acme.tar.gz --to build/unpacked/v1.0
    python compliance/package.py --restore build/blind.tar.gz --key build/blind.key --to build/unpacked/v1.0

The submission is judged first, and packed only if it passes. The same files give the same package. Nothing is
written over. Exit codes: 0 done, 1 the submission or the package fails the check, 2 it could not be done.
"""

import argparse
import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.engine import judge
from compliance.packing.archive import unpack, verify
from compliance.packing.key import read_key, restored
from compliance.packing.manifest import Manifest, Unsound
from compliance.packing.pack import PENDING, Packed, Refused, pack, pack_anonymous
from compliance.reading.digest import sha256_of
from compliance.reading.rounds import names_entry
from compliance.safe import put, tell
from compliance.verdict import Verdict
from rules.current import ROOT

ACTIONS = {  # each action with the options that it needs
    "submission": ("out",),
    "verify": (),
    "unpack": ("to",),
    "restore": ("key", "to"),
}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    file: dict[str, Any] = {"type": Path, "metavar": "FILE"}
    parser.add_argument("submission", nargs="?", type=Path, help="a submission to pack: results/<edition>/<org>")
    parser.add_argument("--out", **file, help="the package to write, such as build/acme.tar.gz")
    parser.add_argument("--rules", metavar="EDITION", help="judge by this edition, whatever the folders say")
    parser.add_argument("--anonymous", action="store_true", help="pack without names, for blind review; with --key")
    parser.add_argument("--key", **file, help="what restores an anonymous package: keep it to yourself")
    parser.add_argument("--hide", metavar="NAME", action="append", default=[], help="another name to hide everywhere")
    parser.add_argument("--verify", **file, help="say whether a package is whole, and what it is")
    parser.add_argument("--unpack", **file, help="unpack a package; with --to")
    parser.add_argument("--restore", **file, help="unpack an anonymous package with its names; with --key and --to")
    parser.add_argument("--to", type=Path, metavar="DIR", help="the folder in which the submission's folder will be")
    args = parser.parse_args(arguments)
    given = [name for name in ACTIONS if getattr(args, name) is not None]
    if len(given) != 1:
        parser.error("wanted a submission, or one of --verify, --unpack and --restore")
    if not args.anonymous and (args.hide or (args.key and args.submission)):
        parser.error("--key, --hide: found no --anonymous, wanted it as well")
    for name in (*ACTIONS[given[0]], *(["key"] if args.anonymous else [])):
        if getattr(args, name) is None:
            parser.error(f"found no --{name}, wanted it as well")
    return args


def main(arguments: Sequence[str] | None = None, rules: Path = ROOT) -> int:
    """Do what the command line says; return the exit code. `rules` is the folder of the editions."""
    args = parse(arguments)
    try:
        put("".join(f"{line}\n" for line in act(args, rules)))
    except Unsound as error:
        tell(f"package.py: {args.verify or args.unpack or args.restore or args.submission}: {error}")
        return 1
    except Refused as error:
        for line in f"package.py: {error}".splitlines():
            tell(line)
        return 1
    except (ValueError, OSError) as error:
        tell(f"package.py: {why(error)}")
        return 2
    return 0


def act(args: argparse.Namespace, rules: Path) -> list[str]:
    """Do what the command line says; return the lines to print. Raises Unsound, Refused, ValueError, OSError."""
    if args.verify:
        return contents(args.verify, verify(args.verify))
    if args.unpack:
        return unpacked(unpack(args.unpack, args.to))
    if args.restore:
        key = read_key(args.key)
        return unpacked(unpack(args.restore, args.to, restored(key, str(args.key))))

    def judged(path: Path, edition: str | None) -> Verdict:
        return judge([path], edition, rules=rules)

    if args.anonymous:
        packed = pack_anonymous(args.submission, args.out, args.key, args.hide, judged, args.rules, rules)
        return [*told(args.out, packed), *hidden(args.key, packed)]
    return list(told(args.out, pack(args.submission, args.out, judged, args.rules)))


def why(error: Exception) -> str:
    """Return an error as one line."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename2 or error.filename}: {error.strerror}"
    return str(error).partition("\n")[0]


def contents(path: Path, manifest: Manifest) -> list[str]:
    """Return lines on a package: submission, size, edition and digests."""
    size = f"{sum(file.size for file in manifest.files) / 1e6:.1f} MB"
    lines = [f"{path}: {manifest.submission}, {len(manifest.files)} files of {size}, rules {manifest.edition}"]
    lines += [f"sha256 of the package: {sha256_of(path)}", f"sha256 of its manifest: {manifest.digest}"]
    return [*lines, *([f"anonymous; sha256 of its key: {manifest.key}"] if manifest.key else [])]


def told(path: Path, packed: Packed) -> Iterator[str]:
    """Yield lines on what was packed, the line for the organisers, and the next command."""
    counts = Counter(finding.severity for finding in packed.verdict.findings)
    yield from contents(path, packed.manifest)
    yield f"{packed.verdict.looked} logs, passed, {counts['warning']} warnings and {counts['review']} reviews to read"
    yield f"for the organisers: {json.dumps(line_of(path, packed), sort_keys=True)}"
    verify = f"python compliance/package.py --verify {shlex.quote(str(path))}"
    yield f"next: {verify}; hand it in with the line for the organisers"


def line_of(path: Path, packed: Packed) -> dict[str, Any]:
    """Return what organisers record of a package: digests, the heads of its ledgers, its entries in the registry."""
    manifest, sets = packed.manifest, packed.verdict.submissions[0].sets
    line: dict[str, Any] = {"submission": manifest.submission, "edition": manifest.edition}
    line |= {"package": sha256_of(path), "manifest": manifest.digest, "ledgers": packed.heads}
    if manifest.key:
        return {**line, "key": manifest.key}
    origins = [log.run.origin for s in sets for log in s.logs if names_entry(log.run)]
    entries = {origin.entry for origin in origins if origin and origin.entry is not None}
    return {**line, "entries": sorted(entries)}


def hidden(key: Path, packed: Packed) -> Iterator[str]:
    """Yield lines on what an anonymous package hides, and what it does not hide."""
    yield f"key: {key}; it restores the names: keep a copy, and give it to nobody before they are disclosed"
    yield f"not judged before: {', '.join(PENDING)}, and the heads of ledgers that were sent beforehand"
    if packed.names and (kept := packed.names.kept()):
        yield f"words of the published source, left in source: {', '.join(kept)} (--hide NAME hides one there, too)"
    if any(names_entry(log.run) for s in packed.verdict.submissions[0].sets for log in s.logs):
        yield "seeds come from the registry: who has it can tell whose they are"
    yield "hardware, times and figures are as they were; look into the package before you send it"


def unpacked(folder: Path) -> list[str]:
    """Return lines on where the submission lies, and the next command."""
    return [str(folder), f"next: python compliance/check.py {shlex.quote(str(folder))}"]


if __name__ == "__main__":
    sys.exit(main())
