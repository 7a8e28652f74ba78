"""Moved: python implementations/pytorch_tools/reevaluate.py"""

import sys

print("reevaluate.py: this command is now: python implementations/pytorch_tools/reevaluate.py", file=sys.stderr)
sys.exit(2)
