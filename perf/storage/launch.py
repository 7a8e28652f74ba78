"""Run DLIO without TensorFlow, which its profiler module imports even if unused: an empty module takes its place.

Run it with DLIO's interpreter and DLIO's own arguments.
"""

import sys
import types

sys.modules.setdefault("tensorflow", types.ModuleType("tensorflow"))

from dlio_benchmark.main import main  # noqa: E402

if __name__ == "__main__":
    main()
