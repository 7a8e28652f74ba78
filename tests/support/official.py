"""What the official checker says of a log."""

import re
import subprocess
import sys
from pathlib import Path


def complaints(log: Path) -> set[str]:
    """The keys of which mlperf_logging's compliance checker for HPC 3.0.0 complains."""
    command = [sys.executable, "-m", "mlperf_logging.compliance_checker", "--usage", "hpc", "--ruleset", "3.0.0"]
    done = subprocess.run([*command, str(log)], capture_output=True, text=True, cwd=log.parent)
    found = set(re.findall(r"(?:CHECK for '|occurrences? of '|Failed checks for )(\w+)", done.stdout + done.stderr))
    assert ("SUCCESS" in done.stderr) is not bool(found), done.stdout + done.stderr
    return found
