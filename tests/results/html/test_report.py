"""The HTML report as text: complete, self-contained, and safe against what strangers write."""

import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from results import site, summarize
from results.html.page import bundle, environment

VOID = ("meta", "link", "br", "wbr", "input")


class Checker(HTMLParser):
    """Notes every tag and attribute and what scripts hold, and whether elements nest."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.scripts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)


def checked(html):
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


@pytest.fixture
def report(tree, new_log, tmp_path):
    def make(org="a", **facts):
        tree.set([new_log.scaffold(50 + i, epochs=5 + i % 2, seed=900 + i, **facts) for i in range(5)], org=org)
        tree.set([new_log.scaffold(100 + i, epochs=5, seed=800 + i, **facts) for i in range(5)], org="b")
        tree.set([new_log.scaffold(100, reach=False) for _ in range(5)], org="lost")
        tree.set([new_log.scaffold(100 + i, seed=700 + i) for i in range(6)], org="a", scaling="weak")
        page = tmp_path / "out" / "report.html"
        page.parent.mkdir(exist_ok=True)
        summarize.main(["--as-logged", "--format", "html", "--output", str(page), str(tree.root)])
        return page

    return make


def charts(html):
    found = re.findall(r'<script type="application/json">(.*?)</script>', html)
    return [json.loads(text) for text in found]


def test_report_is_whole_and_fetches_nothing(report):
    html = report().read_text()
    checker = checked(html)
    assert "://" not in html.replace(bundle(), "")
    assert sum(t == "details" and n == "class" and v == "set" for t, n, v in checker.attributes) == 4
    assert not {"img", "iframe", "object", "embed", "base"} & set(checker.tags)
    assert [v for t, n, v in checker.attributes if n in ("src", "srcset", "action")] == []
    assert [v for t, n, v in checker.attributes if t == "link"] == ["icon", "data:,"]
    assert "No score: 5 of 5 runs did not converge" in html
    policy = next(v for t, n, v in checker.attributes if (t, n) == ("meta", "content"))
    assert "default-src 'none'" in policy and "unsafe-eval" not in policy and "script-src 'sha256-" in policy


def test_charts_side_by_side_and_of_each_submission(report):
    kinds = [chart["kind"] for chart in charts(report().read_text())]
    assert kinds[:5] == ["ranks", "medians", "factors", "shares", "time"] and "strong" in kinds
    assert kinds[-8:] == ["curves", "timeline"] * 4


def test_a_single_submission_is_open_and_stands_beside_nothing(tree, new_log, tmp_path):
    tree.set([new_log.scaffold(50 + i, seed=i) for i in range(5)])
    page = tmp_path / "one.html"
    summarize.main(["--as-logged", "--output", str(page), str(tree.root)])
    html = page.read_text()
    assert [c["kind"] for c in charts(html)] == ["curves", "timeline"]
    assert re.search(r'<details class="set" id="[\w-]+" open>', html) and 'id="find"' not in html


def test_findings_have_excerpts_and_no_link_opens_a_log_at_its_top(report):
    html = report().read_text()
    assert not re.search(r'href="[^"]*#L\d', html)
    assert re.search(r'<span class="meant"> *\d+  :::MLLOG \{', html)


def test_a_score_just_below_the_target_is_not_shown_as_the_target(tree, new_log, tmp_path):
    tree.set([new_log.scaffold(50, values=[0.5, 0.6, 0.949999], epochs=3, reach=False)] * 5)
    page = tmp_path / "one.html"
    summarize.main(["--as-logged", "--output", str(page), str(tree.root)])
    assert ">0.949999<" in page.read_text() and ">0.9500<" not in page.read_text()


def test_it_says_what_nothing_shows(report):
    """How many sets have no score, and that no size of a machine has another."""
    html = report().read_text()
    assert "4 sets of 21 runs; 1 without a score." in html
    assert "Scaling: no machine has scores at two sizes" in html
    assert "b/box does better in" not in html  # its parts take no fewer seconds, whatever their factors


def test_anchors_lead_somewhere(report):
    attributes = checked(report().read_text()).attributes
    ids = [v for _, n, v in attributes if n == "id"]
    assert len(ids) == len(set(ids))
    assert {v[1:] for t, n, v in attributes if n == "href" and v.startswith("#")} <= set(ids)


def test_nothing_is_found_only_where_nothing_was(report, tree, new_log, tmp_path):
    """Sets with errors, on the report and on a round's page of the site: no sentence says that nothing was found."""
    assert "The checker found nothing." not in report().read_text()
    site.main([str(tree.root), "--as-logged", "--rules", "v1.0", "--out", str(tmp_path / "site")])
    assert "The checker found nothing." not in (tmp_path / "site" / "v1.0" / "index.html").read_text()
    parts = environment().get_template("parts.html").module
    assert "The checker found nothing." in parts.findings([])


@pytest.mark.parametrize("given", ["round", "./round/", "../{}/round"])
def test_same_bytes_every_time_wherever_it_is_made(report, tree, new_log, monkeypatch, given):
    """As found: paths of other logs, and of logs that belong to no set, stood as they were given."""
    report()
    tree.set([new_log.scaffold(50 + i, epochs=5 + i % 2, seed=900 + i) for i in range(5)], org="copy")
    new_log.scaffold(7).write(tree.root / "v1.0" / "b" / "result_0.txt")
    made = []
    for here, path in ((tree.root, str(tree.root)), (tree.root.parent, given.format(tree.root.parent.name))):
        monkeypatch.chdir(here)
        summarize.main(["--as-logged", "--output", str(tree.root.parent / "page.html"), path])
        made.append((tree.root.parent / "page.html").read_text())
    assert made[0] == made[1] and str(tree.root) not in made[0]
    assert "found the bytes of v1.0/" in made[0] and "<li>round/v1.0/b/result_0.txt: " in made[0]


EVIL = (
    '"><script>alert(1)</script><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script>",
    "</noscript></script><script>alert(1)</script>",
    "<!--<script>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "'+alert(1)+'",
    "datum.x \u2028\u202e\x1b[31m",
)
FIELDS = ("submission_status", "submission_platform", "submission_org", "submission_division", "seed", "target")
FIELDS = (*FIELDS, "global_batch_size", "number_of_nodes", "accelerators_per_node", "submission_benchmark")


@pytest.mark.parametrize("evil", EVIL)
def test_strangers_cannot_write_html(report, evil):
    """Every field that a page may show, names of fields, and folders."""
    clean = checked(report().read_text())
    facts = {name: evil for name in FIELDS if name not in ("seed", "submission_benchmark")}
    page = report(org=evil.replace("/", "")[:40], **facts, **{evil: evil, "hyperparameters": {evil: evil}})
    html = page.read_text()
    checker = checked(html)
    own = [s for s in checker.scripts if not s.lstrip().startswith("{")]
    assert own == [s for s in clean.scripts if not s.lstrip().startswith("{")]  # the same scripts, and no other
    assert "img" not in checker.tags and "49" not in re.findall(r"{{|49(?= %})", html)
    assert not [n for _, n, _ in checker.attributes if n.startswith("on")]
    assert not [v for _, n, v in checker.attributes if n == "href" and v.lower().startswith(("javascript", "data:t"))]
    assert not set("\x1b\u202e") & set(html)
    for chart in charts(html):
        assert set(chart) == {"kind", "keys", "marks", "log", "tables"}


def test_addresses_and_names_of_people_are_not_published(report):
    html = report(submission_poc_name="A Person", submission_poc_email="who@acme.example", note="who@acme.example")
    text = html.read_text().replace(bundle(), "")
    assert "A Person" not in text and "@acme" not in text and "[address]" in text


def test_what_tables_are_filtered_by(report):
    html = report().read_text()
    assert '<select data-fact="organisation"><option value="">all</option><option value="a">a</option>' in html
    assert (
        '<tr data-benchmark="scaffold" data-division="closed" data-scaling="strong" data-organisation="lost" data-'
        in html
    )
    assert '<select data-fact="scaling"><option value="">all</option><option value="strong">strong</option>' in html
    assert 'data-fact="division"' not in html  # there is one only


def test_a_button_shows_all_of_more_than_200_rows(report, monkeypatch):
    """Of many rows the style shows the first 200: none is hidden where nothing could show it."""
    html = report().read_text()
    assert 'data-whole="yes"' not in html and ".cards tbody tr:nth-child(n + 201 of" in html
    made = environment().get_template("report.html")
    many = SimpleNamespace(
        name="x",
        anchor="x",
        goal="",
        rows=1234,
        tables=[],
        charts=[],
        products=[],
        scaling=None,
        refused=[],
        rates=None,
        rate_findings=[],
        trials=None,
        details=[],
        lacking=[],
    )
    nothing = dict.fromkeys(("rules", "title", "summary", "how", "style", "code", "policy"), "")
    lists = {"choices": [], "left_out": [], "missing": [], "tuned": [], "scripts": [], "specs": {}}
    text = made.render(sections=[many], alone=False, **nothing, **lists)
    assert '<button type="button" data-whole="yes">show all 1,234 rows</button>' in text


def test_a_page_says_what_no_log_measured(report):
    """As found: only the text of procurement said that energy, memory and phases of a step were missing."""
    html = report().read_text()
    assert "<h2>Not measured</h2>" in html and "<li>energy: python harness/submit.py --problem smoke " in html
