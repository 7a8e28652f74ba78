"""The HTML report as text: complete, self-contained, and safe against what strangers write."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from results import summarize

VOID = {"meta", "link", "br", "wbr", "line", "circle", "path", "polyline", "rect", "text"}


class Checker(HTMLParser):
    """Notes every tag and attribute, and whether elements nest."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in ("meta", "link", "br", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(html):
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


@pytest.fixture
def report(tree, new_log, tmp_path):
    def make(**facts):
        tree.set([new_log.scaffold(50 + i, epochs=5 + i % 2, seed=900 + i, **facts) for i in range(5)], org="a")
        tree.set([new_log.scaffold(100 + i, epochs=5, seed=800 + i, **facts) for i in range(5)], org="b")
        tree.set([new_log.scaffold(100, reach=False) for _ in range(5)], org="lost")
        tree.set([new_log.scaffold(100 + i, seed=700 + i) for i in range(6)], org="a", scaling="weak")
        page = tmp_path / "out" / "report.html"
        page.parent.mkdir(exist_ok=True)
        summarize.main(["--as-logged", "--format", "html", "--output", str(page), str(tree.root)])
        return page

    return make


def test_report_is_whole_and_fetches_nothing(report):
    html = report().read_text()
    checker = checked(html)
    assert "://" not in html
    assert checker.tags.count("details") == 4
    assert not {"img", "iframe", "object", "embed", "base", "form"} & set(checker.tags)
    assert [v for t, n, v in checker.attributes if n in ("src", "srcset", "action")] == []
    assert [v for t, n, v in checker.attributes if t == "link"] == ["icon", "data:,"]
    assert "No score: 5 of 5 runs did not converge" in html
    assert "Strong scaling" in html
    assert "Weak scaling" in html


def test_numbers_link_to_lines_that_hold_them(report):
    page = report()
    links = [v for t, n, v in checked(page.read_text()).attributes if (t, n) == ("a", "href") and "result_" in v]
    lines = [v for v in links if "#L" in v]
    assert len(lines) > 50
    found = set()
    for link in lines:
        file, _, line = unquote(link).partition("#L")
        text = (page.parent / file).resolve().read_text().splitlines()[int(line) - 1]
        found |= {key for key in ("run_stop", "eval_accuracy", "seed", "global_batch_size") if f'"{key}"' in text}
    assert found == {"run_stop", "eval_accuracy", "seed", "global_batch_size"}


def test_anchors_lead_somewhere(report):
    attributes = checked(report().read_text()).attributes
    ids = [v for _, n, v in attributes if n == "id"]
    assert len(ids) == len(set(ids))
    assert {v[1:] for t, n, v in attributes if n == "href" and v.startswith("#")} <= set(ids)


def test_same_bytes_every_time(report):
    page = report()
    first = page.read_bytes()
    assert report().read_bytes() == first


def test_strangers_cannot_write_html(report):
    evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    html = report(submission_status=evil, submission_platform=evil, **{evil: evil}).read_text()
    checker = checked(html)
    assert checker.tags.count("script") == 1
    assert "img" not in checker.tags
    assert not [n for _, n, _ in checker.attributes if n.startswith("on")]


def test_style_and_script_are_beside_the_code():
    folder = Path(summarize.__file__).parent / "html"
    assert "prefers-color-scheme: dark" in (folder / "report.css").read_text()
    assert "@media print" in (folder / "report.css").read_text()
