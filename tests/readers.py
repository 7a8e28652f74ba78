"""What the readers of each format see: whether strangers' text in it stayed text. Raises AssertionError where not.

Python's own parsers of HTML, XML, CSV and JSON read, and markdown-it with what GitHub adds to Markdown.
"""

import csv
import io
import json
import re
from html.parser import HTMLParser

import yaml
from markdown_it import MarkdownIt

from results.html.page import HERE, bundle


def strings(value):
    """Every text in a value of JSON."""
    if isinstance(value, str):
        yield value
    for inner in value if isinstance(value, list) else [*value, *value.values()] if isinstance(value, dict) else ():
        yield from strings(inner)


def printable(text):
    return all(part.isprintable() for part in text.split("\n")) and not re.search("[\u3164\ufe0f]", text)


def check_text(text):
    assert printable(text)


def check_json(text):
    assert text.isascii()
    assert all(printable(s) for s in strings(json.loads(text)))


def check_csv(text):
    assert printable(text)
    head, *rows = csv.reader(io.StringIO(text))
    assert rows and {len(row) for row in rows} == {len(head)}
    for cell in (cell for row in rows for part in row for cell in part.split(";")):
        assert not cell.strip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")) or number(cell)


def number(cell):
    try:
        return float(cell) is not None
    except ValueError:
        return False


REST = re.compile(r"::(error|warning|notice)::\d+ more \1s? not shown here: [\w/., -]+")


def check_github(text):
    check_text(text)
    text = "".join(line for line in text.splitlines(keepends=True) if not REST.fullmatch(line.rstrip("\n")))
    assert all(line.startswith(("::error file=", "::warning file=", "::notice file=")) for line in text.splitlines())
    assert all("::" not in line[2:].partition("::")[0] and "%0A" not in line for line in text.splitlines())


def check_markdown(text):
    check_text(text)
    parser = MarkdownIt("gfm-like", {"linkify": True, "html": True})
    parser.linkify.set({"fuzzy_link": False})  # a bare domain: train.py would be one
    assert not re.search(r"(?i)\bwww\.", re.sub(r"`[^`]*`", "", text))
    tokens = [t for token in parser.parse(text) for t in (token, *(token.children or ()))]
    kinds = {t.type for t in tokens if t.type != "html_inline" or t.content != "<br>"}  # places in a cell
    wanted = {"inline", "text", "text_special", "code_inline", "softbreak"}
    wanted |= {f"{kind}_{end}" for end in ("open", "close") for kind in (
        "heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td", "bullet_list", "list_item", "strong",
    )}  # fmt: skip
    assert kinds <= wanted
    widths = []
    for line in text.splitlines():  # a payload makes no cell of its own
        widths = [*widths, len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))] if line.startswith("|") else []
        assert len(set(widths)) <= 1, line


def check_yaml(text):
    check_text(text)
    fields = {"rule", "submission", "verdict", "who", "when", "note"}
    for entry in yaml.safe_load(text):
        assert set(entry) == fields and all(printable(value) for value in entry.values())
        assert entry["verdict"] == "open" and not entry["who"] + entry["when"] + entry["note"]


SCRIPTS = (str(bundle()), (HERE / "report.js").read_text(encoding="utf-8"))  # that a page runs
BESIDE = [{"src": "charts.js"}, {"src": "../charts.js"}]  # or has beside it, on the site


class Page(HTMLParser):
    """What a browser would see: the tags, attributes and texts of a page."""

    VOID = frozenset({"meta", "link", "wbr", "br", "input"})

    def __init__(self, text):
        super().__init__()
        self.stack, self.tags, self.texts, self.links, self.scripts = [], set(), [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        assert not [name for name, _ in attributes if name.startswith("on")], attributes
        self.texts += [value or "" for _, value in attributes]
        self.links += [(value or "") for name, value in attributes if name in ("href", "src")]
        if tag == "script":
            self.scripts.append((dict(attributes), ""))
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack[-1:] == ["script"]:
            attributes, code = self.scripts[-1]
            self.scripts[-1] = attributes, code + data
        else:
            self.texts.append(data)


def check_html(text):
    page = Page(text)
    assert page.stack == [] and "img" not in page.tags
    for attributes, code in page.scripts:
        if attributes.get("type") == "application/json":
            assert all(printable(s) for s in strings(json.loads(code)))
        elif attributes:
            assert attributes in BESIDE and not code
        else:
            assert code in SCRIPTS
    assert all(printable(t) for t in page.texts)
    assert all(
        link.startswith(("#", "data:,", "../", "./")) or ":" not in link.partition("/")[0] for link in page.links
    )


CHECKS = {"sarif": check_json, "github": check_github} | {
    name: globals()[f"check_{name}"] for name in ("text", "json", "csv", "markdown", "html", "yaml")
}


def check_output(name, text):
    """Whether an output in a format, of the name that the commands give it, is what its readers may have."""
    text.encode()  # a lone surrogate can't be written
    CHECKS[name](text)
