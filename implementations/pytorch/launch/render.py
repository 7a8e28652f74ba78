"""Moved: python harness/launch/render.py"""

import sys

print("render.py: this command is now: python harness/launch/render.py", file=sys.stderr)
sys.exit(2)
