"""What tests of several packages share."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # of the repository
REFERENCE = ROOT / "results" / "v1.0" / "reference"  # the submission that it holds
STRONG = REFERENCE / "results" / "xeon-amx-2core" / "strong"  # its sets of runs
LOG = STRONG / "scaffold" / "result_0.txt"
REACHED = "time to target: {:.3f} s"  # as train.py prints it
