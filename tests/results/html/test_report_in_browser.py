"""The report in a real browser, driven through Chromium's own protocol. Skipped where there is none."""

import base64
import json
from pathlib import Path

import pytest

from results import compare, site

axe_core_python = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
browser = pytest.importorskip("tests.support.browser", reason="websocket-client is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser.browser() is None, reason=f"none of {', '.join(browser.NAMES)} is installed"),
]


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
    assert page.stayed_silent(rounded)


ROWS = """[...document.querySelectorAll('.charts')].filter(c => c.checkVisibility()).map(c => {
  const whole = c.getBoundingClientRect(), ends = new Map();
  for (const f of c.querySelectorAll('figure')) { const b = f.getBoundingClientRect(); ends.set(b.top, b.right); }
  return Math.max(...[...ends.values()].map(end => Math.abs(whole.right - end))); })"""


LABELS, MARKS = "figure.joint .role-mark.mark-text text", "figure.joint .role-mark.mark-symbol path"
COVERED = f"""(() => {{ const boxes = [...document.querySelectorAll('{LABELS}, {MARKS}')]
  .map(e => [e.tagName, e.getBoundingClientRect()]);
  return boxes.flatMap(([kind, a], i) => boxes.slice(i + 1).filter(([other, b]) => kind + other !== 'pathpath'
    && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)).length; }})()"""


NAMES_BROKEN = """[...document.querySelectorAll('td a, .legend button span')].filter(e => e.checkVisibility())
  .flatMap(e => [...e.childNodes].filter(n => n.nodeType === 3).filter(n => { const r = document.createRange();
    r.selectNode(n); return new Set([...r.getClientRects()].map(b => Math.round(b.top))).size > 1; })
  .map(n => n.textContent))"""


SIDEWAYS = "[...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth).length"


@pytest.mark.parametrize("width", [380, 768, 1366])
def test_names_tables_and_labels_keep_their_places(page, tree, new_log, written, width):
    """As found: OC20's ranking in MLPerf HPC v3.0 was wider than a screen of 1,366 pixels, names broke inside of their
    parts, and sets of nearly one speed had their batches printed over each other."""
    for name, seconds in (("eos_n80_ngc23.09_pytorch", 9600), ("b", 9610), ("c", 9650), ("perlmutter_128x4", 25000)):
        facts = {"accelerators_per_node": 16640, "number_of_ranks": 1512, "global_batch_size": 2048}
        logs = [new_log.scaffold(seconds + 70 * i, seed=i, train_samples=460_328_000, **facts) for i in range(5)]
        folder = tree.set(logs, org="HPE+LBNL", system=name)
        path = folder.parents[3] / "systems" / f"{name}.json"
        said = {"accelerator_model_name": "NVIDIA A100-SXM4-40GB", "framework": "PyTorch NVIDIA Release 23.09"}
        said["host_processor_model_name"] = "Intel(R) Xeon(R) Platinum 8480C"
        path.write_text(json.dumps(json.loads(path.read_text()) | said))
    page.open(written(), width)
    assert "accelerators, 1,512 ranks" in page.run("document.querySelector('table.cards').innerText")
    assert width < 1366 or page.run(SIDEWAYS) == 0
    assert page.draw("figure.joint")
    assert page.run(NAMES_BROKEN) == [] and page.run("document.documentElement.scrollWidth") <= width
    texts = page.run(f"[...document.querySelectorAll('{LABELS}')].map(t => t.textContent)")
    assert 1 < texts.count("2048") < 4 and page.run(COVERED) == 0


def test_charts_are_drawn_when_they_come_into_view(page, report):
    page.open(report)
    assert page.wait("document.querySelectorAll('figure svg').length > 0")
    assert page.run("document.querySelectorAll('figure svg').length < document.querySelectorAll('figure').length")
    page.run("document.querySelector('figure.strong').scrollIntoView()")
    assert page.wait("document.querySelector('figure.strong svg') !== null")
    assert page.stayed_silent(report)


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
    assert page.stayed_silent(report)


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
    assert page.stayed_silent(report)


DOMAIN = "document.querySelector('details.set figure').made.scale('x').domain()"


def test_zoom_from_the_keyboard_and_an_axis_that_becomes_logarithmic(page, report):
    opened(page, report)
    whole = page.run(DOMAIN)
    page.run("document.querySelector('details.set figure .view').focus()")
    page.press("+", "+")
    assert page.wait(f"{DOMAIN}[1] < {whole[1]}")
    page.press("ArrowRight", "", 39)
    assert page.wait(f"{DOMAIN}[1] > {whole[1]} - 1")
    page.press("0", "0")
    assert page.wait(f"JSON.stringify({DOMAIN}) === '{json.dumps(whole, separators=(',', ':'))}'")
    kind = "document.querySelector('details.set figure').made.scale('y').type"
    assert page.run(kind) == "linear"
    for wanted in ("log", "linear"):
        page.run("document.querySelector('details.set figure .choice.log').click()")
        assert page.wait(f"{kind} === '{wanted}'")
    assert page.stayed_silent(report)


EVIL = "</noscript>\"><script>window.hacked=1<_script><img src=x onerror=window.hacked=1>'+(window.hacked=1)+'"


def test_what_strangers_write_is_text_wherever_it_is_shown(page, tree, new_log, written):
    evil = EVIL.replace("<_", "</")
    facts = {"submission_status": evil, "submission_platform": evil, evil: evil}
    for org in (EVIL.replace("/", ""), "other"):
        tree.set(new_log.five(epochs=5, **facts), org=org, system=EVIL.replace("/", ""))
    report = written()
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
    assert page.stayed_silent(report)


def test_single_runs_are_shown_on_demand(page, report):
    page.open(report)
    page.run("document.querySelector('figure.medians').scrollIntoView()")
    lines = "document.querySelectorAll('figure.medians .mark-line path').length"
    assert page.wait(f"{lines} === 3")
    page.run("document.querySelector('figure.medians .choice.single').click()")
    assert page.wait(f"{lines} === 18")
    page.run("document.querySelector('figure.medians .choice.single').click()")
    assert page.wait(f"{lines} === 3")
    assert page.stayed_silent(report)


@pytest.mark.parametrize(("width", "dark"), [(380, True), (768, False), (1366, True), (1920, False)])
def test_fits_leaves_no_place_empty_and_is_legible(page, report, width, dark):
    page.open(report, width, dark)
    assert width < 1366 or page.run(SIDEWAYS) == 0
    assert max(page.run(ROWS)) < 1
    page.run("document.querySelectorAll('details.set').forEach(d => d.open = true)")
    page.run("document.querySelector('figure').scrollIntoView()")
    assert page.wait("document.querySelectorAll('figure svg').length > 0")
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run(CONTRAST) >= 4.5
    assert page.stayed_silent(report)


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
    """Three sets, on a phone: charts drawn, and nothing requested."""
    comparison = tmp_path / "comparison.html"
    sets = [str(next(tmp_path.glob(f"round/*/{org}"))) for org in ("slow", "quick", "middle")]
    assert compare.main(["--as-logged", *sets, "--output", str(comparison)]) == 0
    page.open(comparison, 380, True)
    assert page.draw("figure.medians")
    assert page.run("document.documentElement.scrollWidth") <= 380
    assert page.run("document.querySelector('h2 + ul + p strong').textContent").startswith("B is faster: A takes 2.")
    assert axe(page) == []
    assert page.stayed_silent(comparison)


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
        tree.set(new_log.five(epochs=5), edition=name)
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
