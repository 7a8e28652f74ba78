"""Pages in a real browser, which opens them through Chromium's own protocol."""

import json

import pytest

from results import summarize


@pytest.fixture(scope="module")
def address():
    from tests.support import browser  # only where websocket-client is installed

    with browser.started() as found:
        yield found


@pytest.fixture
def page(address):
    from tests.support import browser

    tab = browser.tab(address)
    yield tab
    tab.socket.close()


@pytest.fixture
def written(tree):
    """Writes the report on a round."""

    def write():
        path = tree.root.parent / "report.html"
        summarize.main(["--as-logged", "--output", str(path), str(tree.root)])
        return path

    return write


@pytest.fixture
def report(tree, new_log, written):
    for org, seconds in (("slow", 90), ("quick", 30), ("middle", 60)):
        folder = tree.set(new_log.five(seconds, 900, more=1), org=org)
        model = "N/A" if org == "middle" else "NVIDIA A100-SXM4"
        path = folder.parents[3] / "systems" / "box.json"
        said = {"accelerator_model_name": model, "framework": "Torch"}
        path.write_text(json.dumps(json.loads(path.read_text()) | said))
    return written()


@pytest.fixture
def rounded(tree, new_log, written):
    """A round of two benchmarks, strong and weak, with sizes of one system, and a set without a score."""
    for org, units, seconds in (("Tacc", 100, 400), ("tacc", 200, 250), ("other", 100, 300)):
        tree.set(new_log.five(seconds, more=1, accelerators_per_node=units), org=org, system=f"box{units}")
    tree.set(new_log.five(80, 90, more=1), org="other", system="many", scaling="weak")
    tree.set([new_log.scaffold(100, reach=False) for _ in range(5)], org="lost")
    facts = {"submission_benchmark": "deepcam", "problem": "p", "target": 0.95}
    tree.set(new_log.five(50, 70, more=1, **facts), org="other", system="cam", benchmark="deepcam")
    return written()
