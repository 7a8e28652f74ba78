"""The page that reports are made of: one file, nothing fetched, everything of strangers' escaped."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from compliance.finding import Finding, printable
from results.statistics.standing import Standing
from results.tables.formatting import show

HERE = Path(__file__).resolve().parent


def page(title: str, body: str) -> str:
    """A whole document. Its policy forbids every request, so that what a stranger smuggled in could fetch nothing."""
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{safe(title)}</title>\n<style>\n{style}</style></head>\n<body><main>\n{body}\n</main>\n"
        f"<script>\n{script}</script></body></html>\n"
    )


def safe(value: Any) -> str:
    """Text for HTML: escaped, control characters shown."""
    return escape(printable(str(value)))


def breakable(name: str) -> str:
    """A name for HTML that may break after its underscores and hyphens."""
    return safe(name).replace("_", "_<wbr>").replace("-", "-<wbr>")


@dataclass(frozen=True)
class Links:
    """Makes links to lines of logs, relative to the folder where the page will lie."""

    base: Path

    def place(self, path: Path | str, line: Any = None) -> str:
        """`path:line`, as findings write it."""
        where = os.path.relpath(path, self.base).replace(os.sep, "/")
        return where if line is None or line != line else f"{where}:{int(line)}"

    def to(self, shown: str, path: Path | str, line: Any = None) -> str:
        """`shown`, linked to where it was logged."""
        place = self.place(path, line)
        file, _, number = place.rpartition(":") if line is not None and line == line else (place, "", "")
        target = quote(os.fsencode(file)) + (f"#L{number}" if number else "")
        if ":" in target.partition("/")[0]:
            target = "./" + target
        return f'<a href="{escape(target)}" title="{safe(place)}">{safe(shown)}</a>'


@dataclass(frozen=True)
class Cell:
    """A table's cell: HTML, and the number it is sorted by, if it is one."""

    html: str
    value: float | None = None
    numeric: bool = False
    class_: str = ""


def text_cell(value: Any, class_: str = "") -> Cell:
    return Cell(safe("" if value is None else value), class_=class_)


def number_cell(value: float | None, shown: str | None = None, html: str | None = None) -> Cell:
    """A number, sorted by its value; "-" where there is none."""
    missing = value is None or value != value
    return Cell(html or safe(shown or show(None if missing else value)), None if missing else float(value), True)


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    sortable: bool = True,
    marked: Sequence[str] = (),
    cards: bool = False,
) -> str:
    """A table that scrolls sideways where it doesn't fit; with `cards`, a phone shows each row as a card instead.
    `marked` gives classes of rows."""
    rows = list(rows)
    numeric = [bool(rows) and all(r[i].numeric for r in rows) for i in range(len(head))]
    cells = []
    for name, right in zip(head, numeric, strict=True):
        inner = f'<button type="button">{safe(name)}</button>' if sortable and name else safe(name)
        cells.append(f'<th scope="col"{" class=n" if right else ""}>{inner}</th>')
    lines = [f"<thead><tr>{''.join(cells)}</tr></thead><tbody>"]
    for i, row in enumerate(rows):
        mark = marked[i] if i < len(marked) else ""
        cells = "".join(td(c, h if cards else "") for c, h in zip(row, head, strict=True))
        lines.append(f"<tr{f' class={mark}' if mark else ''}>{cells}</tr>")
    kind = " class=cards" if cards else ""
    return f'<div class="scroll" tabindex="0"><table{kind}>{chr(10).join(lines)}</tbody></table></div>'


def td(cell: Cell, name: str = "") -> str:
    said = f' data-label="{safe(name)}"' if name else ""
    classes = " ".join(c for c in ("n" if cell.numeric else "", cell.class_) if c)
    value = f' data-v="{cell.value!r}"' if cell.value is not None else ' data-v=""' if cell.numeric else ""
    return f'<td{f""" class="{classes}" """.rstrip() if classes else ""}{value}{said}>{cell.html}</td>'


def figures(drawn: Iterable[tuple[str, str]]) -> str:
    """Figures with captions, side by side where there is room; those that are empty are left out."""
    shown = [f"<figure><figcaption>{safe(caption)}</figcaption>{svg}</figure>" for caption, svg in drawn if svg]
    return f'<div class="figures">{"".join(shown)}</div>' if shown else ""


def facts(pairs: Iterable[tuple[str, str | None]]) -> str:
    """A list of names and values, HTML; those without a value are left out."""
    shown = "".join(f"<dt>{safe(name)}</dt><dd>{value}</dd>" for name, value in pairs if value)
    return f"<dl>{shown}</dl>" if shown else ""


def tone(standing: Standing) -> str:
    """The class of a standing's colour."""
    if standing.errors:
        return "bad"
    return "look" if standing.reviews or standing.pruned_errors or standing.waived else "clean"


def chip(standing: Standing) -> str:
    """The standing in a word and a colour."""
    return f'<span class="chip {tone(standing)}">{safe(standing.word)}</span>'


def findings(standing: Standing, links: Links, most: int = 50) -> str:
    """What the checker found, errors first, waived ones last, each linked to its place."""
    order = {"error": 0, "review": 1, "warning": 2, "info": 3}
    ranked = sorted(standing.everything, key=lambda f: (bool(f.waived), order.get(f.severity, 9)))
    if not ranked:
        return "<p class=soft>The checker found nothing.</p>"
    lines = "".join(f"<li>{place(f, links)}: {said(f)}</li>" for f in ranked[:most])
    more = f"<p class=soft>... and {len(ranked) - most} more</p>" if len(ranked) > most else ""
    return f'<ul class="findings">{lines}</ul>{more}'


def said(finding: Finding) -> str:
    """A finding without its place, with who waived it and why."""
    waived = f" [waived by {safe(finding.waived)}]" if finding.waived else ""
    return f"{safe(finding.code)} {safe(finding.message())}{waived}"


def place(finding: Finding, links: Links) -> str:
    return links.to(f"{finding.path}:{finding.line}", Path(finding.path).absolute(), finding.line)


def anchor(*parts: str) -> str:
    """A fragment that is the same every time and holds nothing of a stranger's."""
    return "s" + hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:12]
