"""Submissions whose every text is a stranger's, and everything that the commands write of them."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

from compliance import audit, check
from compliance.engine import judge
from compliance.output import difference
from compliance.reviewing import waiver
from compliance.reviewing.checklist import ACCEPT, OBJECT, Review
from compliance.reviewing.questions import template
from compliance.reviewing.review import Reviews, with_reviews
from compliance.verdict import Verdict
from results import choosing, differences, summarize
from results.html import site_pages
from results.html.compare_page import html_text as compare_html
from results.statistics.result import summarize as results_of
from results.tables import comparison
from rules.edition import load

PAYLOADS = {
    "escape": "\x1b[31m\x1b[2J",
    "title": "\x1b]0;owned\x07",
    "C1": "\x9b31m\x90",
    "carriage return": "all fine\r\n=1,2\r,",
    "NUL": "a\0b",
    "bidi": "\u202egnp.\u2066exe",
    "invisible": "acme\u3164\ufe0f",
    "separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "surrogate": "\ud800",
    "byte": "\udcff",
    "no character": "\ufffe\uffff\ufdd0",
    "formula": '=cmd|"/C calc"!A0',
    "plus": "+1+cmd",
    "minus": "-1+cmd",
    "at": "@SUM(1)",
    "wide formula": "\uff1d1+1",
    "spaced formula": " \t=1+1",
    "formula behind a separator": "a;=1+1",
    "heading": "# heading",
    "list": "- a",
    "number": "1. a",
    "rule": "---",
    "link": "[a](https://evil.example) ![b](https://evil.example/x.png)",
    "address": "https://evil.example www.evil.example a@evil.com <https://evil.example>",
    "reference": "@somebody #1 GH-1",
    "table": "a | b |\n| --- | --- |",
    "code": "`a` ``` ~~~ ~~b~~ **c** __d__ \\",
    "tag": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "end": "</noscript></script><script>alert(1)</script>",
    "template": "{{ 7 * 7 }}{% raw %}",
    "attribute": "\" onmouseover=\"alert(1)' x='",
    "entity": "&lt;b&gt; &#60;",
    "address of code": "javascript:alert(1)",
    "command": "::error::owned %0A::set-env",
    "markup": "]]></failure><error/>",
}
KEYS = ("submission_org", "submission_division", "submission_status", "submission_platform", "submission_benchmark")
FACTS = (*KEYS, "problem", "rules_edition", "precision", "number_of_nodes", "accelerators_per_node", "seed", "target")
FACTS = (*FACTS, "global_batch_size")
FIELDS = ("submitter", "division", "status", "system_name", "number_of_nodes")
FORMATS = ("text", "csv", "json", "markdown", "html")


def name_of(payload: str) -> str:
    """A payload as the name of a file, where it can be one."""
    name = payload.replace("/", "\u2215").replace("\0", "").replace("\ud800", "\udc80")[:100]
    return name if name not in ("", ".", "..") else "x"


def plant(tree: object, makers: object, pick: Callable[[], str]) -> list[Path]:
    """A round of two sets, in which `pick` says every text: the one says it in its logs and its description, the other
    in its names alone, so that it has a figure. Their folders."""
    logs = [makers.scaffold(50 + i, seed=i, start=1_700_000_000_000 + 10**6 * i) for i in range(5)]
    name, home = name_of(pick()), tree.root / "v1.0"
    files = dict(_files(pick))
    logged = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    for log in logs:
        log.add("source", "0123456789ab", files={path: digest for path, digest in logged.items() if path.isprintable()})
    named = tree.set(logs, org=name, system=name_of(pick()))
    for log in logs:
        events = [_told(json.loads(line.partition(" ")[2]), pick) for line in log.lines]
        log.lines = [f":::MLLOG {json.dumps(e)}" for e in events]
    told = tree.set(logs, org="beta", system="other")
    description = {**{field: pick() for field in FIELDS}, pick(): pick()}
    (home / "beta" / "systems" / "other.json").write_text(json.dumps(description))
    for folder in (home / name / "source" / "0123456789ab", home / "beta" / "source" / name_of(pick())):
        folder.mkdir(parents=True)
        for path, data in files.items():
            (folder / path).write_bytes(data)
        (folder / name_of(pick())).write_bytes(pick().encode("utf-8", "surrogatepass"))
    (home / "beta" / "results" / name_of(pick())).write_text("x")
    return [named, told]


def _files(pick: Callable[[], str]) -> Iterator[tuple[str, bytes]]:
    """Files of source: Python, whose text is a stranger's as its name is."""
    yield "train.py", b"import os\n"
    yield f"{name_of(pick())}.py", f"import os\nos.system({pick()!a})\n# {pick()!a}\n".encode()


def signed(root: Path, edition: str | None, verdict: Verdict, pick: Callable[[], str]) -> Verdict:
    """The verdict on a round, with what reviewers wrote: findings that are waived, waivers that cover nothing or have
    expired, points that are accepted and objected to. `pick` says their texts."""

    def text() -> str:
        return next((said for said in (pick(), pick()) if said.strip(" /") and said.strip()), "x")

    found = {f.code: (s.org, f) for s in verdict.submissions for f in s.everything()}
    entries = [waiver.Waiver(org, f.code, f.path, text(), text()) for org, f in found.values()]
    entries += [
        waiver.Waiver(text(), text(), text(), text(), text()),
        waiver.Waiver(text(), "X", text(), "x", text(), None, "2026-01-01"),
    ]
    verdict = judge([root], edition, waivers=waiver.Waivers(text(), tuple(enumerate(entries[::2], 1))))
    reviews = [
        Review(rule, "/".join(Path(s.path).resolve().parts[-2:]), said, text(), "2026-11-22", text())
        for s in verdict.submissions
        for rule, said in (("SEED90", ACCEPT), ("EVL90", OBJECT), ("PWR90", OBJECT))
    ]
    editions = {name: load(name) for name in verdict.editions}
    return with_reviews(verdict, Reviews("reviews.yaml", tuple(enumerate(reviews, 1))), editions)


def _told(event: dict, pick: Callable[[], str]) -> dict:
    """An event with a stranger's texts. Two that no rule asks for become keys that none knows, and facts."""
    key = event["key"]
    if key in FACTS:
        event["value"] = pick()
    if key == "init_start":
        event |= {"key": "layout", "value": {"data": pick(), "depth": 1}}
    if key == "init_stop":
        event |= {"key": "hyperparameters", "value": {"sharding": pick(), pick(): [pick()]}}
    if key == "cache_clear":
        event |= {"key": pick(), "value": pick()}
    event["metadata"] |= {"file": pick(), "status": pick(), pick(): pick()}
    return event


def outputs(verdict: Verdict, home: Path, sets: list[Path]) -> Iterator[tuple[str, str]]:
    """(format, text) of everything that writes, of a verdict on `home`; `sets` are compared."""
    for name in check.FORMATS:
        for every in (False, True):
            args = SimpleNamespace(format=name, all=every, severity=None, select=None, ignore=None)
            yield name, check.render(verdict, check.chosen(None, None), args)[0]
    audits = audit.audit(verdict, {})
    for name, render in audit.FORMATS.items():
        yield name, render(audits)
    yield "yaml", template([(one.path, one.people) for one in audits])
    yield "text", difference.difference(str(home))
    for as_logged in (False, True):
        results, without = results_of(verdict, as_logged), summarize.left_out(verdict)
        for view in summarize.VIEWS:
            forms = summarize.forms(results, without, view)
            for name in FORMATS if view == "ranking" else ("text", "markdown"):
                yield name, forms[name](home.parent)
        for path, text in site_pages.files(site_pages.rounds(results, without), home.parent):
            if path != site_pages.CODE:
                yield Path(path).suffix[1:], text
    for compared in choosing.comparisons(sets, verdict, True):
        sides = differences.sides(compared)
        yield "text", comparison.text(sides, differences.pairs(sides))
        yield "html", compare_html([(sides, differences.pairs(sides))], home.parent)
