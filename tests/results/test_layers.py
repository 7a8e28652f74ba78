"""Who imports whom in results/: runs, then statistics, then tables, then pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BELOW = {
    "runs": ("statistics", "tables", "html", "tuning"),
    "statistics": ("tables", "html", "tuning"),
    "measures": ("tables", "html", "tuning"),
    "tables": ("html", "tuning"),
}


@pytest.mark.parametrize("folder", BELOW)
def test_a_layer_imports_none_above_it(folder):
    files = sorted((ROOT / "results" / folder).glob("*.py"))
    assert files
    above = re.compile(rf"from results\.({'|'.join(BELOW[folder])})\b|import results\.({'|'.join(BELOW[folder])})\b")
    found = [f"{file.name}: {line}" for file in files for line in file.read_text().splitlines() if above.search(line)]
    assert found == []
