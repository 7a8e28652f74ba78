"""Set up DLIO's own environment: the package without its dependencies, and those of them that it needs, all checked by
digest. PyTorch, NumPy, h5py, pandas and Pillow are the project's, so that both sides of a comparison read with the same
libraries."""

import subprocess
import sys
import sysconfig
from pathlib import Path

from benchmark.writing import write_text

PACKAGES = Path(__file__).resolve().parents[2] / "requirements" / "dlio.txt"
FOLDER = Path("build/dlio")


def python_of(folder: Path) -> Path:
    """The interpreter of an environment. Raises ValueError where there is none."""
    path = folder / "bin" / "python"
    if not path.exists():
        raise ValueError(f"{path}: no such file; make it with `python perf/dlio.py environment --into {folder}`")
    return path.absolute()


def make(folder: Path) -> Path:
    """Make the environment, or bring it up to date; its interpreter. Raises OSError where pip fails."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=False)
    python = python_of(folder)
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", str(PACKAGES)]
    done = subprocess.run(install, check=False)
    if done.returncode:
        raise OSError(f"pip ended with {done.returncode}")
    (library,) = folder.glob("lib/python*/site-packages")
    write_text(library / "project.pth", sysconfig.get_paths()["purelib"] + "\n")
    launch = Path(__file__).with_name("launch.py")
    subprocess.run([str(python), str(launch), "--help"], check=True, stdout=subprocess.DEVNULL)
    return python
