"""Moved: python harness/submit.py"""

import sys

print("submit.py: this command is now: python harness/submit.py", file=sys.stderr)
sys.exit(2)
