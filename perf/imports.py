"""Draw the figure of who imports whom from the code.

    python perf/imports.py        # docs/figures/imports.svg

A box is a package with its folders. An arrow means that a module of one package imports another package.
"""

import argparse
import ast
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.writing import write_text
from perf.curves.svg import element, label

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "figures" / "imports.svg"
PACKAGES = {  # package: what it is; from top to bottom
    "perf": "measurements and figures",
    "implementations/pytorch_tools": "tools that need the reference's network",
    "implementations/pytorch": "the reference",
    "harness": "makes submissions with any implementation",
    "results": "scores and comparisons",
    "compliance": "the checker",
    "rules": "texts and numbers of the rules",
    "benchmark": "the problem, without a framework",
}
LEFT, TOP, WIDE, HIGH, GAP = 110, 10, 460, 62, 16  # pixels: place and size of boxes, gap between them
WIDTH, LANE = 755, 18  # pixels: width of the figure, distance of lines
LINE = 74  # characters in a line of folders
STYLE = """text { font: 12px system-ui, "Segoe UI", Roboto, sans-serif; fill: #57606a; }
.name { font-size: 15px; font-weight: 600; fill: #1b1f24; } .folders { font-size: 11px; }
rect.box { fill: #f6f8fa; stroke: #8c959f; } .line { fill: none; stroke: #3b5bdb; stroke-width: 1.5; }
.perf { stroke: #868e96; stroke-dasharray: 5 4; }
"""


def modules(package: str) -> list[Path]:
    """The Python files of a package, without the submissions in results/."""
    files = sorted((ROOT / package).rglob("*.py"))
    return [path for path in files if not re.match(r"results/v\d", path.relative_to(ROOT).as_posix())]


def imports() -> dict[str, set[str]]:
    """{package: other packages that it imports}."""
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        names = set().union(*(imported(path) for path in modules(package)))
        found[package] = {name for name in PACKAGES if name in names} - {package}
    return found


def imported(path: Path) -> set[str]:
    """What a file imports absolutely, anywhere in it: top-level names, and the first two as a path."""
    modules = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.append(node.module)
    parts = [module.split(".") for module in modules]
    return {part[0] for part in parts} | {"/".join(part[:2]) for part in parts}


def folders(package: str) -> list[str]:
    """The folders of a package that hold modules."""
    top = ROOT / package
    return sorted(path.name for path in top.iterdir() if path.name != "templates" and any(path.glob("*.py")))


def box(package: str) -> str:
    """The box of a package: its name, what it is, its folders."""
    y = edge(package)
    parts = [element("rect", x=LEFT, y=y, width=WIDE, height=HIGH, rx=6, class_="box")]
    parts.append(label(LEFT + 12, y + 20, f"{package}/", class_="name"))
    parts.append(label(LEFT + WIDE - 12, y + 20, PACKAGES[package], "end"))
    lines = enumerate(textwrap.wrap("  ".join(folders(package)), LINE) or [""])
    parts += [label(LEFT + 12, y + 39 + 14 * i, text, class_="folders") for i, text in lines]
    return "".join(parts)


def edge(package: str) -> int:
    """The upper edge of a box."""
    return TOP + list(PACKAGES).index(package) * (HIGH + GAP)


def side(edges: Sequence[tuple[str, str]], x: int, out: int, class_: str) -> list[str]:
    """The arrows along one side of the boxes, at x; `out` is -1 on the left and 1 on the right. Each has its own lane
    and its own ends; the shortest are nearest to the boxes."""
    order = list(PACKAGES)
    lanes = sorted(edges, key=lambda pair: (order.index(pair[1]) - order.index(pair[0]), order.index(pair[0])))
    parts = []
    for number, (importer, importee) in enumerate(lanes):
        leaving = sorted((e for e in lanes if e[0] == importer), key=lanes.index)
        coming = sorted((e for e in lanes if e[1] == importee), key=lanes.index)
        start = edge(importer) + HIGH - 8 - 9 * leaving.index((importer, importee))
        stop = edge(importee) + 8 + 9 * coming.index((importer, importee))
        lane = x + out * LANE * (number + 1)
        path = f"M{x},{start} H{lane - 5 * out} Q{lane},{start} {lane},{start + 5} V{stop - 5} Q{lane},{stop} "
        path += f"{lane - 5 * out},{stop} H{x + 2 * out}"
        title = element("title", f"{importer} imports {importee}")
        parts.append(element("path", title, d=path, class_=class_, marker_end="url(#head)"))
    return parts


def figure(found: Mapping[str, set[str]]) -> str:
    """The SVG of the figure: the imports of perf on the left, all others on the right."""
    edges = [(importer, importee) for importer in found for importee in sorted(found[importer])]
    words = "; ".join(f"{importer} imports {', '.join(sorted(names)) or 'none'}" for importer, names in found.items())
    tip = element("path", d="M0,0 L8,4 L0,8 z", fill="context-stroke")
    head = element("marker", tip, id="head", markerWidth=8, markerHeight=8, refX=7, refY=4, orient="auto")
    height = edge(list(PACKAGES)[-1]) + HIGH + TOP
    parts = [element("title", f"Who imports whom: {words}"), element("defs", head)]
    parts.append(element("rect", width=WIDTH, height=height, fill="white") + element("style", STYLE))
    parts += side([e for e in edges if e[0] == "perf"], LEFT, -1, "line perf")
    parts += side([e for e in edges if e[0] != "perf"], LEFT + WIDE, 1, "line")
    parts += [box(package) for package in PACKAGES]
    size = {"viewBox": f"0 0 {WIDTH} {height}", "width": WIDTH, "height": height}
    return element("svg", "\n".join(parts), xmlns="http://www.w3.org/2000/svg", role="img", **size) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, write, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    try:
        write_text(options.out, figure(imports()))
    except OSError as error:
        print(f"imports.py: {error}", file=sys.stderr)
        return 2
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
