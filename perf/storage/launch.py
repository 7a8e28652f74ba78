"""DLIO's command, for an environment without TensorFlow: its module of profilers imports it, used or not. Run by DLIO's
interpreter, with DLIO's own arguments."""

import sys
import types

sys.modules.setdefault("tensorflow", types.ModuleType("tensorflow"))

from dlio_benchmark.main import main  # noqa: E402

if __name__ == "__main__":
    main()
