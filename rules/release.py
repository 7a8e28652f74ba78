"""Print an entry for releases.yaml of an edition: the digest of each file that a run of the reference may load.

    python rules/release.py v1.0.0

Rule SRC07 lets closed runs load a release's files of benchmark/ and rules/, as well as the checker's own. The files of
implementations/ are the published implementations.
"""

import argparse
import sys
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing

# isort: split
import yaml

from benchmark.writing import put
from rules.current import current
from rules.edition import load
from rules.published import REPOSITORY, own_files

KINDS = (".py", ".yaml")  # code and configurations


def digests(repository: Path = REPOSITORY) -> dict[str, str]:
    """Return path in the repository -> sha256 of all published Python and YAML files."""
    return {path: digest for path, digest in own_files(repository).items() if path.endswith(KINDS)}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the release, such as v1.0.0")
    name = parser.parse_args(arguments).name
    if name in load(current()).releases:
        print(f"release.py: found {name!r} among the releases of {current()}, wanted a new name", file=sys.stderr)
        return 2
    try:
        put(yaml.safe_dump({name: digests()}, sort_keys=False))
    except OSError as error:
        print(f"release.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
