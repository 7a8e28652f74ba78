"""Converting GitHub's Markdown for Python-Markdown: anchors of headings, indentation of lists, links."""

import re
from collections.abc import Callable, Iterator

FENCE = re.compile(r"^ *(```|~~~)")
HEADING = re.compile(r"^(#{1,6}) +(.*?) *#*$")
ITEM = re.compile(r"^( *)([-*]|\d+\.)( +)")
LINK = re.compile(r"(?<=\])\(([^()\s]+)\)")
GIVEN = re.compile(r" \{#([\w-]+)\}$")  # an anchor that a generated page gives itself


def outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """(line, whether it is prose) of each line. Fences and the lines between them are no prose."""
    inside = False
    for line in text.splitlines():
        fence = bool(FENCE.match(line))
        yield line, not (inside or fence)
        inside ^= fence


def anchor(title: str) -> str:
    """The anchor that GitHub gives a heading: lower case, without punctuation, a hyphen for each space."""
    words = LINK.sub("", title).replace("[", "").replace("]", "").replace("`", "")
    return re.sub(r"[^\w -]", "", words).lower().replace(" ", "-")


def anchors(text: str) -> list[str]:
    """The anchors of a page's headings, in order. Repeated headings get -1, -2 and so on, as on GitHub."""
    found: dict[str, int] = {}
    names = []
    for line, prose in outside_fences(text):
        if prose and (given := GIVEN.search(line)):
            names.append(given[1])
        elif prose and (match := HEADING.match(line)):
            name = anchor(match[2])
            count = found[name] = found.get(name, -1) + 1
            names.append(f"{name}-{count}" if count else name)
    return names


def relinked(text: str, target: Callable[[str], str]) -> str:
    """The page with each link's target replaced by `target(link)`."""
    lines = []
    for line, prose in outside_fences(text):
        lines.append(LINK.sub(lambda match: f"({target(match[1])})", line) if prose else line)
    return "\n".join(lines) + "\n"


def for_python_markdown(text: str) -> str:
    """The page for Python-Markdown: GitHub's anchors are written out, lists have a blank line before them, and nested
    lists are indented by four columns."""
    names = iter(anchors(text))
    lines: list[str] = []
    depths: list[int] = []  # columns at which the text of the open list items begins
    listed = False  # whether there is an item since the last blank line
    for line, prose in outside_fences(text):
        if prose and (match := HEADING.match(line)):
            depths.clear()
            lines.append(f"{match[1]} {GIVEN.sub('', match[2])} {{#{next(names)}}}")
            continue
        indent = len(line) - len(line.lstrip())
        item = ITEM.match(line) if prose else None
        if line.strip() and prose:
            after_blank = not lines or not lines[-1].strip()
            while depths and indent < depths[-1] and (item or after_blank):
                depths.pop()
            if item and not depths and not after_blank and not listed:
                lines.append("")
        level = sum(indent >= depth for depth in depths)
        rest = line[depths[level - 1] :] if level else line
        lines.append((" " * 4 * level + rest) if line.strip() else "")
        listed = bool(line.strip() and (item or listed))
        if item:
            depths.append(len(item[0]))
    return "\n".join(lines) + "\n"
