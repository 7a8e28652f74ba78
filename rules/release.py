"""Print an entry for `releases` in limits.yaml: the digest of each file that a run of the reference may load.

    python rules/release.py v1.0.0

Rule SRC07 lets closed runs load a release's files of benchmark/ and rules/, as well as the checker's own. The files of
implementations/pytorch are the published reference.
"""

import argparse
import hashlib
import sys
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing

# isort: split
import yaml

from rules.edition import current, load

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDERS = ("benchmark", "rules", "implementations/pytorch")
PACKAGE = "implementations/__init__.py"
KINDS = (".py", ".yaml")  # code and configurations


def digests(repository: Path = REPOSITORY) -> dict[str, str]:
    """Return path in the repository -> sha256, of PACKAGE and of all Python and YAML files below FOLDERS."""
    found = (path for folder in FOLDERS for path in (repository / folder).rglob("*"))
    files = sorted(p for p in (*found, repository / PACKAGE) if p.suffix in KINDS and p.is_file())
    return {p.relative_to(repository).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the release, such as v1.0.0")
    name = parser.parse_args(arguments).name
    if name in load(current()).limits.releases:
        print(f"release.py: found {name!r} among the releases of {current()}, wanted a new name", file=sys.stderr)
        return 2
    print(yaml.safe_dump({"releases": {name: digests()}}, sort_keys=False), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
