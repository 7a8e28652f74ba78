"""The report in a real browser, driven through Chromium's own protocol. Skipped where there is none."""

import json
import shutil
import subprocess
import time
import urllib.request

import pytest

from results import summarize

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0"),
    *("--remote-allow-origins=*", "--hide-scrollbars"),
]
BROWSER = next((path for name in NAMES if (path := shutil.which(name))), None)
websocket = pytest.importorskip("websocket", reason="websocket-client is not installed")
pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"none of {', '.join(NAMES)} is installed")


class Page:
    """One tab, and everything that it logged or requested."""

    def __init__(self, address):
        self.socket = websocket.create_connection(address, timeout=30)
        self.count, self.events = 0, []

    def call(self, method, **params):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.count:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def open(self, page, width=1024, dark=False):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=page.as_uri())
        deadline = time.monotonic() + 20
        while self.run("document.readyState") != "complete" and time.monotonic() < deadline:
            time.sleep(0.05)

    def complaints(self):
        self.run("1")  # whatever was under way has arrived
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [e for e in self.events if e.get("method") in kinds]

    def requests(self):
        sent = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [e["params"]["request"]["url"] for e in sent]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    profile = tmp_path_factory.mktemp("profile")
    command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    port = profile / "DevToolsActivePort"
    try:
        deadline = time.monotonic() + 30
        while not (port.exists() and port.read_text().strip()):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.skip(f"{BROWSER} did not start")
            time.sleep(0.1)
        yield f"127.0.0.1:{port.read_text().split()[0]}"
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture
def page(address):
    request = urllib.request.Request(f"http://{address}/json/new?about:blank", method="PUT")
    with urllib.request.urlopen(request, timeout=30) as answer:
        found = json.load(answer)
    tab = Page(found["webSocketDebuggerUrl"])
    yield tab
    tab.socket.close()


@pytest.fixture
def report(tree, new_log, tmp_path):
    for org, seconds in (("slow", 90), ("quick", 30), ("middle", 60)):
        tree.set([new_log.scaffold(seconds + i, epochs=4 + i % 2, seed=900 + i) for i in range(5)], org=org)
    path = tmp_path / "report.html"
    summarize.main(["--as-logged", "--format", "html", "--output", str(path), str(tree.root)])
    return path


ORGS = "[...document.querySelectorAll('table.cards tbody tr')].map(r => r.cells[2].textContent)"


def test_sort_open_and_stay_silent(page, report):
    page.open(report)
    assert page.run(ORGS) == ["quick", "middle", "slow"]
    click = (
        "[...document.querySelectorAll('table.cards th button')].find(b => b.textContent.startsWith('FOM, s')).click()"
    )
    page.run(click)
    assert page.run(ORGS) == ["quick", "middle", "slow"]
    page.run(click)
    assert page.run(ORGS) == ["slow", "middle", "quick"]
    assert page.run("document.querySelector('th[aria-sort]').getAttribute('aria-sort')") == "descending"
    assert page.run("document.querySelectorAll('details[open]').length") == 0
    page.run("document.querySelector('table.cards td a').click()")
    page.run("new Promise(done => setTimeout(done, 100))")
    assert page.run("document.querySelectorAll('details[open]').length") == 1
    assert page.run("document.querySelector('details[open] svg').getBoundingClientRect().height") > 100
    assert page.complaints() == []
    assert [url for url in page.requests() if not url.startswith(("file:", "data:"))] == []
    assert page.requests().count(report.as_uri()) == len(page.requests())


def test_keyboard_sorts_and_opens(page, report):
    page.open(report)
    page.run("document.querySelectorAll('table.cards th button')[4].focus()")
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    assert page.run("document.querySelector('th[aria-sort]') !== null")
    page.run("document.querySelector('details summary').focus()")
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    assert page.run("document.querySelector('details').open")


@pytest.mark.parametrize("width", [380, 1024, 1920])
@pytest.mark.parametrize("dark", [False, True])
def test_fits_and_is_legible(page, report, width, dark):
    page.open(report, width, dark)
    page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run(CONTRAST) >= 4.5
    assert page.complaints() == []


# The least contrast between text and the page's own background (WCAG), over what the style sheet colours.
CONTRAST = """(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => { v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const back = light(getComputedStyle(document.body).backgroundColor);
  const texts = [...document.querySelectorAll('h1, h2, p, td, th, a, dt, dd')].map(e => getComputedStyle(e).color);
  texts.push(...[...document.querySelectorAll('svg text')].map(e => getComputedStyle(e).fill));
  const contrast = a => (Math.max(a, back) + 0.05) / (Math.min(a, back) + 0.05);
  return Math.min(...texts.map(c => contrast(light(c))));
})()"""


def test_print_is_light_and_open(page, report):
    page.open(report, 1024, True)
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    assert page.run("document.querySelectorAll('details:not([open])').length") == 0
    a4_landscape = 1046  # CSS pixels between margins of 10 mm
    page.call("Emulation.setDeviceMetricsOverride", width=a4_landscape, height=900, deviceScaleFactor=1, mobile=False)
    assert page.run("Math.max(...[...document.querySelectorAll('table')].map(t => t.scrollWidth))") <= a4_landscape
    assert page.call("Page.printToPDF", preferCSSPageSize=True)["data"]
