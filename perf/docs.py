"""Collect the pages of the documentation site for MkDocs. `make docs` runs both.

    python perf/docs.py --out build/docs        # build/docs/mkdocs.yml and build/docs/pages/

The pages are the Markdown files of the repository that the navigation in docs/site/mkdocs.yml names, at the same paths.
The pages of rules and commands are generated. A link to any other file leads to a copy that browsers show
as text.
"""

import argparse
import posixpath
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.config import read_yaml
from benchmark.writing import copy_file, write_text
from perf.pages import rules, scripts
from perf.pages.text import for_python_markdown, relinked
from perf.script import script

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "site"
PICTURES = (".png", ".svg")
GENERATED = "reference/"
ELSEWHERE = ("https://", "http://", "mailto:", "#")


def pages_of(nav: Any) -> list[str]:
    """The paths of a navigation, in order."""
    if isinstance(nav, str):
        return [nav]
    return [path for entry in (nav.values() if isinstance(nav, Mapping) else nav) for path in pages_of(entry)]


def listed() -> list[str]:
    """The pages that the navigation names."""
    return pages_of(read_yaml(SITE / "mkdocs.yml")["nav"])


def generated(page: str) -> str:
    """The Markdown of a generated page. Raises ValueError if nothing generates it."""
    kind, _, name = page.removeprefix(GENERATED).removesuffix(".md").rpartition("/")
    match kind, name:
        case "commands", folder:
            return scripts.page(folder)
        case "rules", edition:
            return rules.page(edition)
    raise ValueError(f"docs/site/mkdocs.yml: nothing generates {page}")


def collect(pages: Sequence[str]) -> dict[str, str | Path]:
    """{path below `pages/`: Markdown, or a file to copy} of all that MkDocs reads. Raises ValueError naming the page
    and the link if a link leads nowhere."""
    found: dict[str, str | Path] = {}

    def target(page: str, link: str) -> str:
        if link.startswith(ELSEWHERE):
            return link
        path, hash_, anchor = link.partition("#")
        whole = path[1:] if path.startswith("/") else posixpath.join(posixpath.dirname(page), path)
        place = posixpath.normpath(whole)
        if place not in pages and not (ROOT / place).exists():
            raise ValueError(f"{page}: the link {link} leads nowhere")
        if place not in pages and f"{place}/README.md" in pages:
            place = f"{place}/README.md"
        elif place not in pages:
            source, hash_, anchor = ROOT / place, "", ""
            place = place if source.suffix in PICTURES else f"files/{place}.txt"
            found[place] = names_in(source) if source.is_dir() else source
        return posixpath.relpath(place, posixpath.dirname(page)) + hash_ + anchor

    for page in pages:
        text = generated(page) if page.startswith(GENERATED) else (ROOT / page).read_text(encoding="utf-8")
        found[page] = for_python_markdown(relinked(text, lambda link, page=page: target(page, link)))
        if page.startswith(f"{GENERATED}rules/mlperf"):  # else the search finds each rule five times
            found[page] = f"---\nsearch:\n  exclude: true\n---\n\n{found[page]}"
    return found


def names_in(folder: Path) -> str:
    """The names in a folder, one a line."""
    names = sorted(p.name + "/" * p.is_dir() for p in folder.iterdir() if not p.name.startswith((".", "__pycache__")))
    return "\n".join(names) + "\n"


def write(found: Mapping[str, str | Path], out: Path) -> None:
    """Write the folder that MkDocs builds from."""
    shutil.rmtree(out / "pages", ignore_errors=True)
    for name, content in found.items():
        path = out / "pages" / name
        if isinstance(content, Path):
            copy_file(content, path)
        else:
            write_text(path, content)
    for name in ("iframe-worker.js", "site.css"):
        copy_file(SITE / name, out / "pages" / "assets" / name)
    copy_file(SITE / "mkdocs.yml", out / "mkdocs.yml")


@script
def main(arguments: Sequence[str] | None) -> None:
    """Collect and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    options = parser.parse_args(arguments)
    found = collect(listed())
    write(found, options.out)
    print(f"{options.out}: {len(found)} pages and pictures")


if __name__ == "__main__":
    sys.exit(main())
