"""A headless Chromium, driven through its DevTools protocol, for tests of pages.

Needs Chromium and websocket-client.
"""

import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0"),
    *("--remote-allow-origins=*", "--hide-scrollbars"),
]
SECONDS = 30.0  # limit for the browser to start and a page to load
COMPLAINTS = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")


def browser() -> str | None:
    """The path of the installed browser, None if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class ProtocolError(RuntimeError):
    """The browser could not do what it was asked, for instance since the page was just leaving for another."""


class Page:
    """One tab of the browser, with all events that it sent."""

    def __init__(self, address: str):
        self.socket = websocket.create_connection(address, timeout=120)
        self.count, self.events = 0, []

    def call(self, method: str, **params: Any) -> dict:
        """The result of a method of the protocol. Raises ProtocolError if the method fails."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.count:
                if "error" in message:
                    raise ProtocolError(f"{method}: {message['error'].get('message')}")
                return message["result"]
            self.events.append(message)

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression in the page; a promise is awaited.

        Raises ProtocolError if the page leaves for another one before the script has ended.
        """
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def open(self, page: Path, width: int = 1024, dark: bool = False, media: str = "") -> None:
        """Load a file and wait until it is complete. `width` is in CSS pixels. Raises RuntimeError if it never is."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.call("Page.navigate", url=page.resolve().as_uri())
        if not self.wait("document.readyState === 'complete'", SECONDS, pause=0.02):
            raise RuntimeError(f"{page}: found a page that still loads after {SECONDS:g} s, wanted it complete")

    def press(self, key: str, text: str = "", code: int = 0) -> None:
        """Press a key and let it go."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=text, windowsVirtualKeyCode=code)

    def wait(self, script: str, seconds: float = 60, pause: float = 0.05) -> bool:
        """Run a script until it says true; false if it never does within `seconds`, many since a busy machine draws
        slowly. The page may change meanwhile."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with suppress(ProtocolError):  # the page was leaving: the script runs again in the next one
                if self.run(script):
                    return True
            time.sleep(pause)
        return False

    def draw(self, figure: str) -> bool:
        """Scroll to a chart, and wait until it is drawn."""
        self.run(f"document.querySelector('{figure}').scrollIntoView()")
        return self.wait(f"document.querySelector('{figure}').made !== undefined")

    def complaints(self) -> list[dict]:
        """The errors and console messages of the page."""
        self.run("1")  # earlier events have then arrived
        return [e for e in self.events if e.get("method") in COMPLAINTS]

    def requests(self) -> list[str]:
        """The addresses that were requested, the page's own among them."""
        sent = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [e["params"]["request"]["url"] for e in sent]

    def stayed_silent(self, page: Path) -> bool:
        """Whether it complained of nothing, and requested nothing but this page."""
        return self.complaints() == [] and set(self.requests()) == {page.as_uri()}


@contextmanager
def started() -> Iterator[str]:
    """Start a browser and give the address of its protocol. Raises RuntimeError if none is installed or starts."""
    path = browser()
    if path is None:
        raise RuntimeError(f"found none of {', '.join(NAMES)}, wanted one")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = Path(profile, "DevToolsActivePort")
        try:
            deadline = time.monotonic() + SECONDS
            while not (port.exists() and port.read_text().strip()):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{path} did not start")
                time.sleep(0.1)
            yield f"127.0.0.1:{port.read_text().split()[0]}"
        finally:
            process.terminate()
            process.wait(20)


def tab(address: str) -> Page:
    """A new tab of the browser at that address."""
    request = urllib.request.Request(f"http://{address}/json/new?about:blank", method="PUT")
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return Page(json.load(answer)["webSocketDebuggerUrl"])
