"""Every module of perf/ and of the reference's tools can be imported: what they import has not moved."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("perf", "implementations/pytorch_tools")
DLIO = {"perf.storage.keys", "perf.storage.launch", "perf.storage.plugin"}  # they need DLIO's environment
IMPORT = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(f"{name}: {error}")
"""


@pytest.mark.slow
def test_modules_can_be_imported():
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if path.stem != "__init__")
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths}
    assert names > DLIO
    command = [sys.executable, "-c", IMPORT, *sorted(names - DLIO)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
