"""Moved: python implementations/pytorch_tools/export.py"""

import sys

print("export.py: this command is now: python implementations/pytorch_tools/export.py", file=sys.stderr)
sys.exit(2)
