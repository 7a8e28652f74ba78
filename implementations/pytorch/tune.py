"""Moved: python harness/tune.py"""

import sys

print("tune.py: this command is now: python harness/tune.py", file=sys.stderr)
sys.exit(2)
