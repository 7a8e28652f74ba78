"""Make an edition for the next round: `python rules/new.py v1.1 --from v1.0`.

The new edition equals the old one until its limits.yaml is edited. It is based on the old one or, if that is based on
another edition itself, on the same one with the same changes. It becomes the current edition, which runs log and
`make run` uses. Submissions of older rounds are judged as before. An edition with the line `draft: true` becomes the
current one when that line is removed.

`--from v1.1` makes one that requires receipts of a witness (docs/witness.md).
"""

import argparse
import sys
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing

# isort: split
import yaml

from benchmark.config import read_yaml
from benchmark.writing import write_text
from rules.current import OURS, ROOT, editions, version
from rules.edition import load

HEAD = "# {name}: {source}, and what differs. What a field means: rules/limits.py; how bases work: rules/README.md.\n"


def make(name: str, source: str, root: Path = ROOT) -> Path:
    """Write <root>/<name>/limits.yaml; return its path. Raises ValueError unless the name is newer than all
    editions, and for a source that is unknown or of MLPerf HPC."""
    newest = max((known for known in editions(root) if OURS.fullmatch(known)), key=version)
    major, minor = version(name)
    if name != f"v{major}.{minor}":
        raise ValueError(f"found the name {name}, wanted v{major}.{minor}")
    if (major, minor) <= version(newest):
        raise ValueError(f"found the name {name}, wanted one after {newest}")
    if source in editions(root) and not OURS.fullmatch(source):
        raise ValueError(f"found {source}, wanted an edition of this project's rounds, such as {newest}: runs log it")
    limits = load(source, root).limits
    values = read_yaml(root / source / "limits.yaml") if limits.based_on else {"based_on": source}
    values.pop("draft", None)
    title = limits.title.replace(source, name) if source in limits.title else f"{limits.title} {name}"
    head = {"based_on": values.pop("based_on"), "title": title}
    path = root / name / "limits.yaml"
    text = yaml.safe_dump({**head, **{k: v for k, v in values.items() if k != "title"}}, sort_keys=False, width=120)
    path.parent.mkdir()
    try:
        write_text(path, HEAD.format(name=name, source=source) + text)
    except OSError:
        path.parent.rmdir()  # which would be the current edition
        raise
    return path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ours = ", ".join(filter(OURS.fullmatch, editions()))
    parser.add_argument("name", help="of the edition, such as v1.1")
    parser.add_argument("--from", dest="source", required=True, metavar="EDITION", help=ours)
    args = parser.parse_args(arguments)
    try:
        path = make(args.name, args.source)
    except (ValueError, OSError) as error:
        print(f"new.py: {error}", file=sys.stderr)
        return 2
    print(f"wrote {path}: edit it where the rounds differ; submissions go to results/{args.name}/<org>")
    return 0


if __name__ == "__main__":
    sys.exit(main())
