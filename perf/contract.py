"""Write the generated parts of docs/implementing.md, docs/settings.md and docs/tensors.md.

python perf/contract.py [--out DIR]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.writing import write_text
from perf.pages import contract, settings, tensors
from perf.pages.generated import filled
from perf.script import script
from rules.current import EDITION
from rules.edition import load

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, TENSORS, SETTINGS = DOCS / "implementing.md", DOCS / "tensors.md", DOCS / "settings.md"


def pages() -> dict[Path, str]:
    """Return the text of each page, as it follows from the code and the rules."""
    parts = {
        PAGE: contract.parts(load(EDITION)),
        TENSORS: tensors.parts(),
        SETTINGS: settings.parts(),
    }
    return {path: filled(path.read_text(encoding="utf-8"), each) for path, each in parts.items()}


@script
def main(arguments: Sequence[str] | None) -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=DOCS, help="default: docs")
    options = parser.parse_args(arguments)
    for path, text in pages().items():
        write_text(options.out / path.name, text)


if __name__ == "__main__":
    sys.exit(main())
