"""Generated parts of a page: tables, and the marks between which they stand."""

from collections.abc import Iterable, Mapping, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: bool = False) -> str:
    """Return a Markdown table. With `numbers`, all columns but the first are aligned to the right."""
    lines = [head, ["---", *["---:" if numbers else "---"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def filled(page: str, parts: Mapping[str, str]) -> str:
    """Return a page with each part, by name, between `<!-- generated: name -->` and `<!-- end: name -->`. Raises
    ValueError unless it has each mark once."""
    for name, part in parts.items():
        begin, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise ValueError(f"found {page.count(begin)} x {begin}, {page.count(end)} x {end}, wanted one of each")
        before, after = page.split(begin)[0], page.split(end)[1]
        page = f"{before}{begin}\n\n{part.strip()}\n\n{end}{after}"
    return page
