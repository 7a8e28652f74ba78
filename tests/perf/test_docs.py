"""The site of the documents: every page is in it, every link leads somewhere, MkDocs builds it without a warning."""

import posixpath
import re
import subprocess
import time
from urllib.parse import unquote

import pytest

from perf import docs
from perf.docs import ROOT, collect, listed, main
from perf.pages.text import LINK, anchors, outside_fences

MKDOCS = ROOT / "build" / "mkdocs" / "bin" / "mkdocs"
NO_PAGES = re.compile(r"rules/texts/|harness/templates/|results/v\d|tests/|\.github/")


@pytest.fixture(scope="module")
def collected():
    return collect(listed())


def test_every_document_is_in_the_navigation():
    tracked = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    wanted = {path for path in tracked if not NO_PAGES.match(path)}
    found = listed()
    assert wanted <= set(found) and len(found) == len(set(found))


def links(text: str) -> list[str]:
    """The targets of a page's links and images, outside of code."""
    prose = "\n".join(line for line, is_prose in outside_fences(text) if is_prose)
    return [unquote(target) for target in LINK.findall(re.sub(r"`[^`]*`", "``", prose))]


def test_every_link_leads_to_a_page_and_an_anchor(collected):
    texts = {name: text for name, text in collected.items() if isinstance(text, str)}
    known = {name: set(anchors(text)) for name, text in texts.items()}
    wrong = []
    for name, text in texts.items():
        for link in links(text) if not name.startswith("files/") else ():
            path, _, anchor = link.partition("#")
            place = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not link.startswith("http") and (place not in collected or (anchor and anchor not in known[place])):
                wrong.append((name, link))
    assert len(texts) > 40 and not wrong


def test_links_to_code_lead_to_copies_and_old_rules_are_not_found(collected):
    assert "(../files/compliance/engine/__init__.py.txt)" in collected["docs/architecture.md"]
    assert collected["files/compliance/engine/__init__.py.txt"] == ROOT / "compliance" / "engine" / "__init__.py"
    assert "(files/perf.txt)" in collected["README.md"] and "docs.py\n" in collected["files/perf.txt"]
    assert collected["reference/rules/mlperf-hpc-v2.0.md"].startswith("---\nsearch:\n  exclude: true\n---\n")
    assert collected["reference/rules/v1.0.md"].startswith("# Rules v1.0")


@pytest.mark.parametrize("link", ["docs/trsut.md", "../README.md", "compliance/chek.py"])
def test_a_link_that_leads_nowhere_is_an_error(monkeypatch, tmp_path, capsys, link):
    (tmp_path / "README.md").write_text(f"# A\n\nSee [b]({link}).\n", encoding="utf-8")
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(docs, "listed", lambda: ["README.md"])
    assert main(["--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == f"docs.py: README.md: the link {link} leads nowhere\n"


def test_a_page_that_nothing_generates_is_an_error():
    with pytest.raises(ValueError, match=r"nothing generates reference/faults\.md"):
        collect(["reference/faults.md"])


@pytest.fixture(scope="module")
def built(collected, tmp_path_factory):
    """The site's folder, and what MkDocs said while it built it."""
    if not MKDOCS.is_file():
        pytest.skip("MkDocs is not installed: make docs does it")
    out = tmp_path_factory.mktemp("docs")
    docs.write(collected, out)
    done = subprocess.run([str(MKDOCS), "build", "--strict"], cwd=out, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out / "html", done.stderr


@pytest.mark.slow
def test_mkdocs_builds_the_site_without_a_warning(built):
    folder, said = built
    page = (folder / "reference" / "rules" / "v1.0.html").read_text(encoding="utf-8")
    assert "WARNING  -" not in said and 'id="SEED05"' in page


@pytest.mark.slow
def test_pages_opened_as_files_are_searched_and_load_nothing(built):
    browser = pytest.importorskip("tests.support.browser", reason="websocket-client is not installed")
    if browser.browser() is None:
        pytest.skip(f"none of {', '.join(browser.NAMES)} is installed")
    with browser.started() as address:
        page = browser.tab(address)
        page.open(built[0] / "index.html", width=1366)
        page.run("document.querySelector('[data-md-component=search-query]').focus()")
        page.call("Input.insertText", text="SEED05")
        wanted, found = "/reference/rules/v1.0.html?h=seed05#SEED05", []
        deadline = time.monotonic() + browser.SECONDS
        while not any(link.endswith(wanted) for link in found):  # results come one after another
            assert time.monotonic() < deadline, found
            time.sleep(0.2)
            found = page.run("[...document.querySelectorAll('.md-search-result__item a')].map((a) => a.href)")
        assert not page.complaints()
        assert not [link for link in page.requests() if not link.startswith(("file:", "data:", "about:"))]
