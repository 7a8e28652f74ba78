"""Moved: python harness/init.py"""

import sys

print("init.py: this command is now: python harness/init.py", file=sys.stderr)
sys.exit(2)
