"""The report in a real browser, driven through Chromium's own protocol. Skipped where there is none."""

import base64
import json
from pathlib import Path

import pytest

from results import compare, site, summarize

axe_core_python = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
browser = pytest.importorskip("tests.support.browser", reason="websocket-client is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser.browser() is None, reason=f"none of {', '.join(browser.NAMES)} is installed"),
]


@pytest.fixture(scope="module")
def address():
    with browser.started() as found:
        yield found


@pytest.fixture
def page(address):
    tab = browser.tab(address)
    yield tab
    tab.socket.close()


def written(tree):
    """The report on a round."""
    path = tree.root.parent / "report.html"
    summarize.main(["--as-logged", "--output", str(path), str(tree.root)])
    return path


@pytest.fixture
def report(tree, new_log):
    for org, seconds in (("slow", 90), ("quick", 30), ("middle", 60)):
        tree.set([new_log.scaffold(seconds + i, epochs=4 + i % 2, seed=900 + i) for i in range(5)], org=org)
    return written(tree)


ORGS = "[...document.querySelectorAll('tr[data-organisation]')].filter(r => !r.hidden).map(r => r.dataset.organisation)"


def silent(page, report):
    """Nothing was complained of and nothing requested but the page itself."""
    assert page.complaints() == []
    assert set(page.requests()) == {report.as_uri()}


def test_sort_open_and_stay_silent(page, report):
    page.open(report)
    assert page.run(ORGS) == ["quick", "middle", "slow"]
    merit = "b => /^figure of merit/.test(b.textContent)"
    page.run(f"[...document.querySelectorAll('table.cards th button')].find({merit}).click()")
    page.run(f"[...document.querySelectorAll('table.cards th button')].find({merit}).click()")
    assert page.run(ORGS) == ["quick", "middle", "slow"]
    assert page.run(ORGS) == ["slow", "middle", "quick"]
    assert page.run("document.querySelector('th[aria-sort]').getAttribute('aria-sort')") == "descending"
    assert page.run("document.querySelectorAll('details.set[open]').length") == 0
    page.run("document.querySelector('table.cards td a').click()")
    assert page.wait("document.querySelector('details.set[open] svg')?.getBoundingClientRect().height > 100")
    assert page.run("document.querySelectorAll('details.set[open]').length") == 1
    silent(page, report)


def find(page, words):
    page.run(f"(() => {{ document.getElementById('find').value = '{words}'; sift(); }})()")


def choose(page, fact, value):
    page.run(f"""(() => {{ const s = document.querySelector('[data-fact={fact}]'); s.value = {value!r};
      s.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")


def test_search_and_filters_hide_rows_and_their_submissions(page, report):
    page.open(report)
    page.run("document.getElementById('find').focus()")
    page.call("Input.insertText", text="QUICK box")
    assert page.run(ORGS) == ["quick"] and page.run("document.querySelector('output').value") == "1 of 3 sets"
    assert page.run("[...document.querySelectorAll('details.set')].filter(d => !d.hidden).length") == 1
    choose(page, "organisation", "slow")
    assert page.run(ORGS) == [] and page.run("document.querySelector('output').value") == "no set of 3 matches"
    find(page, "capability strong closed")
    assert page.run(ORGS) == ["slow"]
    silent(page, report)


def test_a_search_for_an_accelerator_finds_all_sets_that_have_some(page, report):
    for path in report.parent.rglob("systems/*.json"):
        model = {
            "accelerator_model_name": "N/A" if "middle" in path.parts else "NVIDIA A100-SXM4",
            "framework": "Torch",
        }
        path.write_text(json.dumps({**json.loads(path.read_text()), **model}))
    summarize.main(["--as-logged", "--format", "html", "--output", str(report), str(report.parent / "round")])
    page.open(report)
    for words, found in (("a100", ["quick", "slow"]), ("torch", ["quick", "middle", "slow"]), ("h100", [])):
        find(page, words)
        assert page.run(ORGS) == found


@pytest.fixture
def rounded(tree, new_log):
    """A round of two benchmarks, strong and weak, with sizes of one system, and a set without a score."""

    def runs(seconds, seed=0, **facts):
        return [new_log.scaffold(seconds + i, epochs=4 + i % 2, seed=seed + i, **facts) for i in range(5)]

    for org, units, seconds in (("Tacc", 100, 400), ("tacc", 200, 250), ("other", 100, 300)):
        tree.set(runs(seconds, accelerators_per_node=units), org=org, system=f"box{units}")
    tree.set(runs(80, 90), org="other", system="many", scaling="weak")
    tree.set([new_log.scaffold(100, reach=False) for _ in range(5)], org="lost")
    facts = {"submission_benchmark": "deepcam", "problem": "p", "target": 0.95}
    tree.set(runs(50, 70, **facts), org="other", system="cam", benchmark="deepcam")
    return written(tree)


SEEN = """[...document.querySelectorAll('h2, h3, nav li')].filter(e => e.checkVisibility()).map(e => e.textContent)"""


def test_filters_leave_no_empty_heading_and_live_in_the_address(page, rounded):
    page.open(rounded)
    whole = page.run(SEEN)
    assert sum("deepcam" in text for text in whole) == 2 and sum("throughput" in text for text in whole) == 1
    choose(page, "benchmark", "scaffold")
    choose(page, "scaling", "strong")
    told = page.run(SEEN)
    assert not [text for text in told if "deepcam" in text or "throughput" in text]
    assert page.run("location.hash") == "#benchmark=scaffold&scaling=strong"
    choose(page, "organisation", "tacc")
    assert page.run(ORGS) == ["tacc", "tacc"] and "Without a score" not in page.run(SEEN)
    spelled = "[...document.querySelectorAll('[data-fact=organisation] option')].map(o => o.textContent)"
    assert page.run(spelled) == ["all", "lost", "other", "tacc"]
    page.run("history.pushState(null, '', '#benchmark=deepcam'); dispatchEvent(new Event('hashchange'))")
    assert page.run(ORGS) == ["other"] and page.run("document.querySelector('[data-fact=scaling]').value") == ""
    page.run("history.pushState(null, '', '#='); dispatchEvent(new Event('hashchange'))")
    assert page.run(SEEN) == whole
    silent(page, rounded)


def test_a_chart_downloads_as_svg_and_as_data(page, rounded):
    page.open(rounded)
    assert page.draw("figure.ranks")
    page.run("HTMLAnchorElement.prototype.click = function () { window.given = this.download; }")
    page.run("URL.createObjectURL = (blob) => { window.taken = blob; return '#'; }")
    for place, end in enumerate(("svg", "csv")):
        page.run(f"window.taken = null; document.querySelectorAll('figure.ranks .files button')[{place}].click()")
        assert page.wait("window.taken !== null")
        text = page.run("window.taken.text()")
        assert page.run("window.given") == f"Time-to-train-with-its-95-interval-closed-division.{end}"
        assert "box200" in text and "var(" not in text
    assert text.startswith("table,series,row,set,rank,x,low,high") and "\r\nruns,tacc/box200," in text
    silent(page, rounded)


ROWS = """[...document.querySelectorAll('.charts')].filter(c => c.checkVisibility()).map(c => {
  const whole = c.getBoundingClientRect(), ends = new Map();
  for (const f of c.querySelectorAll('figure')) { const b = f.getBoundingClientRect(); ends.set(b.top, b.right); }
  return Math.max(...[...ends.values()].map(end => Math.abs(whole.right - end))); })"""


@pytest.mark.parametrize("width", [380, 1366, 1920])
def test_charts_leave_no_place_of_a_row_empty(page, rounded, width):
    page.open(rounded, width)
    assert max(page.run(ROWS)) < 1


LABELS, MARKS = "figure.joint .role-mark.mark-text text", "figure.joint .role-mark.mark-symbol path"
COVERED = f"""(() => {{ const boxes = [...document.querySelectorAll('{LABELS}, {MARKS}')]
  .map(e => [e.tagName, e.getBoundingClientRect()]);
  return boxes.flatMap(([kind, a], i) => boxes.slice(i + 1).filter(([other, b]) => kind + other !== 'pathpath'
    && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)).length; }})()"""


@pytest.mark.parametrize("width", [380, 1366])
def test_labels_of_a_chart_cover_nothing(page, tree, new_log, width):
    """As found: sets of nearly one speed had their batches printed over each other."""
    for name, seconds in (("a", 50), ("b", 50.3), ("c", 51), ("d", 90)):
        logs = [new_log.scaffold(seconds + i / 9, seed=i, global_batch_size=2048) for i in range(5)]
        tree.set(logs, org=name, system=name)
    page.open(written(tree), width)
    assert page.draw("figure.joint")
    texts = page.run(f"[...document.querySelectorAll('{LABELS}')].map(t => t.textContent)")
    assert 1 < texts.count("2048") < 4 and page.run(COVERED) == 0


NAMES_BROKEN = """[...document.querySelectorAll('td a, .legend button span')].filter(e => e.checkVisibility())
  .flatMap(e => [...e.childNodes].filter(n => n.nodeType === 3).filter(n => { const r = document.createRange();
    r.selectNode(n); return new Set([...r.getClientRects()].map(b => Math.round(b.top))).size > 1; })
  .map(n => n.textContent))"""


@pytest.mark.parametrize("width", [380, 768])
def test_names_break_between_their_parts_only(page, tree, new_log, width):
    for name in ("fugaku_82944xA64FX_tensorflow_closed", "perlmutter_10x128x4_ngc21.09_mxnet"):
        logs = [new_log.scaffold(50 + i, seed=i) for i in range(5)]
        tree.set(logs, org="HPE+LBNL", system=name)
    page.open(written(tree), width)
    page.run("document.querySelector('figure.strong, figure.units').scrollIntoView()")
    assert page.wait("document.querySelectorAll('.legend button').length > 3")
    assert page.run(NAMES_BROKEN) == [] and page.run("document.documentElement.scrollWidth") <= width


def test_the_fastest_closed_system_is_the_first_row_after_two_choices(page, rounded):
    page.open(rounded)
    choose(page, "benchmark", "scaffold")
    choose(page, "scaling", "strong")
    first = "[...document.querySelectorAll('table.cards tbody tr')].find(r => r.checkVisibility()).innerText"
    heading = "[...document.querySelectorAll('h3')].find(h => h.checkVisibility()).textContent"
    assert "box200" in page.run(first) and page.run(first).startswith("1")
    assert page.run(heading).startswith("closed division")


def test_what_the_second_did_better_is_in_the_table_and_joined_on_the_batch(page, rounded):
    page.open(rounded)
    assert page.draw("figure.joint")
    points = page.run("document.querySelector('figure.joint').content.tables.points")
    assert {row[1] for row in points["rows"]} == {"tacc/box200", "tacc/box100", "other/box100"}
    assert page.wait("document.querySelector('figure.joint svg')?.textContent.includes('min')")


def test_whether_a_system_scales_and_what_more_would_buy(page, rounded):
    """One choice: the organisation. The table then has efficiency and a predicted time."""
    page.open(rounded)
    choose(page, "organisation", "tacc")
    table = "[...document.querySelectorAll('h3')].find(h => h.textContent === 'Scaling').parentNode"
    cells = (
        f"[...{table}.querySelectorAll('tbody tr')].filter(r => !r.hidden).map(r => [...r.cells].map(c => c.innerText))"
    )
    small, large = page.run(cells)
    assert small[1:4] == ["100", "6.70", "100"] and large[1] == "200" and large[3] == "80"
    assert small[4] == large[2] and float(large[4]) < float(large[2]) and large[5].startswith("-")


def test_what_was_refused_and_why_is_listed_and_one_click_from_its_findings(page, rounded):
    page.open(rounded)
    said = "[...document.querySelectorAll('.follows li')].map(l => l.innerText)"
    assert any(text.startswith("lost/box: 5 of 5 runs did not converge") for text in page.run(said))
    page.run("[...document.querySelectorAll('.follows li a')].find(a => a.innerText === 'lost/box').click()")
    assert page.wait("document.querySelector('details.set[open] summary')?.innerText.includes('lost/box')")
    assert page.wait("document.querySelector('details.set[open] .why')?.innerText.startsWith('No score')")


def test_charts_are_drawn_when_they_come_into_view(page, report):
    page.open(report)
    assert page.wait("document.querySelectorAll('figure svg').length > 0")
    assert page.run("document.querySelectorAll('figure svg').length < document.querySelectorAll('figure').length")
    page.run("document.querySelector('figure.strong').scrollIntoView()")
    assert page.wait("document.querySelector('figure.strong svg') !== null")
    silent(page, report)


def opened(page, report, *look):
    """The first submission's curves, drawn; the middle of the drawing."""
    page.open(report, *look)
    page.run("document.querySelector('table.cards td a').click()")
    assert page.wait("document.querySelector('details.set figure') !== null")
    assert page.draw("details.set figure")
    box = "(() => { const r = document.querySelector('details.set figure .view').getBoundingClientRect();"
    return page.run(box + " return [r.left + r.width / 2, r.top + r.height / 2]; })()")


def test_hovering_says_run_epoch_value_and_log_line(page, report):
    x, y = opened(page, report)
    for step in (0, 3):
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + step, y=y)
    assert page.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
    said = page.run("[...document.querySelectorAll('#vg-tooltip-element td')].map(d => d.textContent)")
    told = dict(zip(said[::2], said[1::2], strict=True))
    assert set(told) == {"series", "epoch or pass", "seconds", "value", "log line"}
    assert told["series"].startswith("run ")
    logs = sorted(report.parent.rglob(f"quick/**/result_{told['series'][4:]}.txt"))
    line = logs[0].read_text().splitlines()[int(told["log line"]) - 1]
    assert '"eval_accuracy"' in line and abs(json.loads(line[9:])["value"] - float(told["value"])) < 1e-6
    silent(page, report)


FAINT = """[...document.querySelectorAll('details.set figure .mark-line path')]
  .filter(p => p.getAttribute('opacity') < 0.5 || getComputedStyle(p).opacity < 0.5).length"""


def test_a_legend_isolates_by_click_and_by_key(page, report):
    opened(page, report)
    assert page.run(FAINT) == 0
    page.run("document.querySelectorAll('details.set figure .legend button')[1].click()")
    assert page.wait(f"{FAINT} === 4")
    assert page.run("document.querySelectorAll('.legend [aria-pressed=true]').length") == 1
    page.run("document.querySelectorAll('details.set figure .legend button')[1].focus()")
    page.press("Enter", "\r", 13)
    assert page.wait(f"{FAINT} === 0")
    silent(page, report)


DOMAIN = "document.querySelector('details.set figure').made.scale('x').domain()"


def test_zoom_from_the_keyboard_and_back(page, report):
    opened(page, report)
    whole = page.run(DOMAIN)
    page.run("document.querySelector('details.set figure .view').focus()")
    page.press("+", "+")
    assert page.wait(f"{DOMAIN}[1] < {whole[1]}")
    page.press("ArrowRight", "", 39)
    assert page.wait(f"{DOMAIN}[1] > {whole[1]} - 1")
    page.press("0", "0")
    assert page.wait(f"JSON.stringify({DOMAIN}) === '{json.dumps(whole, separators=(',', ':'))}'")
    silent(page, report)


EVIL = "</noscript>\"><script>window.hacked=1<_script><img src=x onerror=window.hacked=1>'+(window.hacked=1)+'"


def test_what_strangers_write_is_text_wherever_it_is_shown(page, tree, new_log):
    evil = EVIL.replace("<_", "</")
    facts = {"submission_status": evil, "submission_platform": evil, evil: evil}
    for org in (EVIL.replace("/", ""), "other"):
        logs = [new_log.scaffold(50 + i, epochs=5, seed=i, **facts) for i in range(5)]
        tree.set(logs, org=org, system=EVIL.replace("/", ""))
    report = written(tree)
    page.open(report)
    page.run("document.querySelector('[data-open=yes]').click()")
    assert page.wait("document.querySelectorAll('details.set figure').length === 4")
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    assert page.wait("[...document.querySelectorAll('figure')].every(f => f.made)")
    for x in range(3):
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=300 + 9 * x, y=500)
    names = "[...document.querySelectorAll('figure.ranks .legend button')].map(b => b.textContent)"
    assert any("window.hacked=1" in name for name in page.run(names))
    assert page.run("typeof window.hacked") == "undefined"
    assert page.run("document.querySelectorAll('img').length") == 0
    silent(page, report)


def test_an_axis_becomes_logarithmic_and_linear_again(page, report):
    opened(page, report)
    kind = "document.querySelector('details.set figure').made.scale('y').type"
    assert page.run(kind) == "linear"
    for wanted in ("log", "linear"):
        page.run("document.querySelector('details.set figure .choice.log').click()")
        assert page.wait(f"{kind} === '{wanted}'")
    silent(page, report)


def test_single_runs_are_shown_on_demand(page, report):
    page.open(report)
    page.run("document.querySelector('figure.medians').scrollIntoView()")
    lines = "document.querySelectorAll('figure.medians .mark-line path').length"
    assert page.wait(f"{lines} === 3")
    page.run("document.querySelector('figure.medians .choice.single').click()")
    assert page.wait(f"{lines} === 18")
    page.run("document.querySelector('figure.medians .choice.single').click()")
    assert page.wait(f"{lines} === 3")
    silent(page, report)


def test_keyboard_sorts_and_opens(page, report):
    page.open(report)
    page.run("document.querySelectorAll('table.cards th button')[5].focus()")
    page.press("Enter", "\r", 13)
    assert page.run("document.querySelector('th[aria-sort] button').textContent") == "95 % interval, s"
    page.run("document.querySelector('details.set summary').focus()")
    page.press("Enter", "\r", 13)
    assert page.run("document.querySelector('details.set').open")


@pytest.mark.parametrize("width", [380, 768, 1366, 1920])
@pytest.mark.parametrize("dark", [False, True])
def test_fits_and_is_legible(page, report, width, dark):
    page.open(report, width, dark)
    if width == 1366:  # no table needs to be moved sideways
        tables = "[...document.querySelectorAll('.scroll')].every(s => s.scrollWidth <= s.clientWidth)"
        assert page.run(tables)
    page.run("document.querySelectorAll('details.set').forEach(d => d.open = true)")
    page.run("document.querySelector('figure').scrollIntoView()")
    assert page.wait("document.querySelectorAll('figure svg').length > 0")
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run(CONTRAST) >= 4.5
    silent(page, report)


# The least contrast between text and the page's own background (WCAG), over what the style sheet colours.
CONTRAST = """(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => { v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const back = light(getComputedStyle(document.body).backgroundColor);
  const words = document.querySelectorAll('h1, h2, p, td, th, a, dt, dd, small, button');
  const texts = [...words].map(e => getComputedStyle(e).color);
  texts.push(...[...document.querySelectorAll('svg text')].map(e => getComputedStyle(e).fill));
  const contrast = a => (Math.max(a, back) + 0.05) / (Math.min(a, back) + 0.05);
  return Math.min(...texts.map(c => contrast(light(c))));
})()"""


AXE = "axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v => [v.id, v.nodes[0].html]))"


def axe(page):
    """What axe finds in the page as it is."""
    code = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    page.call("Runtime.evaluate", expression=code)  # by the browser's protocol, which no policy of a page binds
    return page.run(AXE)


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(page, report, dark):
    opened(page, report, 1366, dark)
    assert axe(page) == []


def test_a_comparison_fits_and_axe_finds_nothing(page, report, tmp_path):
    """Three sets, on a phone: charts drawn, a legend that isolates, and nothing requested."""
    comparison = tmp_path / "comparison.html"
    sets = [str(next(tmp_path.glob(f"round/*/{org}"))) for org in ("slow", "quick", "middle")]
    assert compare.main(["--as-logged", *sets, "--output", str(comparison)]) == 0
    page.open(comparison, 380, True)
    assert page.draw("figure.medians")
    page.run("document.querySelectorAll('figure.medians .legend button')[2].click()")
    faint = FAINT.replace("details.set figure", "figure.medians")
    assert page.wait(f"{faint} === 2")
    assert page.run("document.documentElement.scrollWidth") <= 380
    assert page.run("document.querySelector('h2 + ul + p strong').textContent").startswith("B is faster: A takes 2.")
    assert axe(page) == []
    silent(page, comparison)


def test_of_many_rows_some_are_shown_until_all_are_asked_for(page, report):
    page.open(report)
    page.run("""(() => { const body = document.querySelector('table.cards tbody'), row = body.rows[1];
      for (let i = 0; i < 297; i++) body.append(row.cloneNode(true));
      body.closest('section').insertAdjacentHTML('afterbegin', '<button data-whole="yes">all</button>'); })()""")
    shown = "[...document.querySelector('table.cards').tBodies[0].rows].filter(r => r.checkVisibility()).length"
    assert page.run(shown) == 200
    page.run("document.querySelectorAll('table.cards th button')[4].click()")
    page.run("document.querySelectorAll('table.cards th button')[4].click()")
    assert page.run(ORGS)[:2] == ["slow", "middle"] and page.run(shown) == 200
    page.run("document.getElementById('find').focus()")
    page.call("Input.insertText", text="slow")
    assert page.run(shown) == 1
    find(page, "")
    page.run("document.querySelector('[data-whole]').click()")
    assert page.run(shown) == 300
    silent(page, report)


def test_print_is_light_short_and_has_its_charts(page, report):
    page.open(report, 1024, True)
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    a4_landscape = 1046  # CSS pixels between margins of 10 mm
    page.call("Emulation.setDeviceMetricsOverride", width=a4_landscape, height=900, deviceScaleFactor=1, mobile=False)
    assert page.run("Math.max(...[...document.querySelectorAll('table')].map(t => t.scrollWidth))") <= a4_landscape
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    assert page.run("Promise.all([...document.querySelectorAll('figure')].map(f => f.drawn)).then(() => true)")
    visible = "[...document.querySelectorAll('figure')].filter(f => f.checkVisibility())"
    assert page.run(f"{visible}.length > 0 && {visible}.every(f => f.querySelector('svg'))")
    pdf = base64.b64decode(page.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert pdf.count(b"/Type /Page\n") <= 7


def test_the_site_leads_to_a_submission(page, tree, new_log, tmp_path):
    for name in ("v1.0", "v1.1"):
        tree.set([new_log.scaffold(50 + i, epochs=5, seed=i) for i in range(5)], edition=name)
    site.main([str(tree.root), "--as-logged", "--rules", "v1.0", "--out", str(tmp_path / "site")])
    page.open(tmp_path / "site" / "index.html", 380)
    page.run("document.querySelector('figure').scrollIntoView()")
    assert page.wait("document.querySelector('figure.trend svg') !== null")
    assert page.run("document.documentElement.scrollWidth") <= 380
    page.run("document.querySelector('section td a').click()")
    assert page.wait("location.pathname.endsWith('v1.0/acme.html') && document.readyState === 'complete'")
    assert page.wait("document.querySelectorAll('details.set[open] figure').length === 2")
    page.run("document.querySelector('details.set figure').scrollIntoView()")
    assert page.wait("document.querySelector('details.set svg') !== null")
    assert axe(page) == []
    page.run("document.querySelector('a[href=\"index.html\"]').click()")
    assert page.wait("location.pathname.endsWith('v1.0/index.html') && document.readyState === 'complete'")
    page.run("document.querySelector('table.cards th button').click()")
    assert page.complaints() == [] and all(url.startswith(tmp_path.as_uri()) for url in page.requests())


def test_waiting_goes_on_through_a_page_that_leaves(page, tmp_path):
    here, there = tmp_path / "here.html", tmp_path / "there.html"
    there.write_text("<!doctype html><title>there</title><p>there", encoding="utf-8")
    here.write_text("<!doctype html><title>here</title>", encoding="utf-8")
    page.open(here)
    leave = f"new Promise(() => {{ location.href = '{there.as_uri()}' }})"  # never kept: the page leaves before
    with pytest.raises(browser.ProtocolError):
        page.run(leave)
    assert page.wait("document.title === 'there'")
    assert not page.wait("document.title === 'here'", seconds=0.2)
