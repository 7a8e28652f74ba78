"""Moved: python harness/replay.py"""

import sys

print("replay.py: this command is now: python harness/replay.py", file=sys.stderr)
sys.exit(2)
