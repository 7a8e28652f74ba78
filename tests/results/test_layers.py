"""Who imports whom in results/: runs, then statistics, then tables, then pages."""

import pytest

from tests.support import ROOT
from tests.support.imports import imports

BELOW = {
    "runs": ("statistics", "tables", "html", "tuning"),
    "statistics": ("tables", "html", "tuning"),
    "measures": ("tables", "html", "tuning"),
    "tables": ("html", "tuning"),
}


@pytest.mark.parametrize("folder", BELOW)
def test_a_layer_imports_none_above_it(folder):
    above = tuple(f"results.{name}" for name in BELOW[folder])
    found = {file.name: imports(file) for file in (ROOT / "results" / folder).glob("*.py")}
    assert found and not [(file, name) for file, names in found.items() for name in names if name.startswith(above)]
