"""Run train.py as `warm.py` does, with a kill before one of its operations on files, where the environment asks for it:
KILL_ROOT is the folder, KILL_AT the operation's number, or empty to note them all in the file KILL_NOTES."""

import os
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

if "KILL_ROOT" in os.environ:
    watch = runpy.run_path(str(HERE / "operations.py"))["Operations"]
    at = os.environ["KILL_AT"]
    watch(os.environ["KILL_ROOT"], int(at) if at else None, os.environ["KILL_NOTES"])
sys.argv[0] = str(HERE.parents[1] / "implementations" / "pytorch" / "train.py")
runpy.run_path(sys.argv[0], run_name="__main__")
