"""docs/centres.md and the first hour on GPUs: scripts, files and tools that there are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOPS = "benchmark|harness|implementations|compliance|results|integrations|perf"


@pytest.mark.parametrize("page", ["docs/centres.md", "docs/first-hour-on-gpus.md"])
def test_files_that_are_typed_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    found = set(re.findall(rf"(?<![\w/.])(?:{TOPS})/[\w./-]+\.(?:py|yaml|cpu|cuda|def|txt)\b", text))
    assert len(found) >= 5 and not [path for path in found if not (ROOT / path).is_file()]


def test_the_page_starts_with_every_tool():
    text = (ROOT / "docs" / "centres.md").read_text(encoding="utf-8")
    tools = {path.name for path in (ROOT / "integrations").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert tools == {"reframe", "jube", "benchpark"} and all(f"integrations/{name}" in text for name in tools)
