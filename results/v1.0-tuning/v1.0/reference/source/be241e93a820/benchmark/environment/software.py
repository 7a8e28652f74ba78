"""Read the versions and builds of Python and of the packages that it finds."""

import importlib.metadata
import platform
import sys
from pathlib import Path

from benchmark.environment.facts import entries


def python() -> dict[str, str]:
    """Return Python's version, implementation, compiler and C library."""
    libc = " ".join(platform.libc_ver())
    found = {"version": platform.python_version(), "implementation": platform.python_implementation()}
    return found | {"compiler": platform.python_compiler()} | ({"libc": libc} if libc.strip() else {})


def packages() -> dict[str, str]:
    """Return the version of every installed distribution, with its build (+cu130), by name in lower case. Of two with
    one name, the imported one counts."""
    found: dict[str, str] = {}
    for distribution in importlib.metadata.distributions():
        said = distribution.metadata
        name, version = said["Name"], said["Version"]
        if name and version:
            found.setdefault(name.lower(), version)
    return dict(sorted(found.items()))


def conda(prefix: Path = Path(sys.prefix)) -> list[str]:
    """Return name-version-build of every package that conda installed."""
    return [path.stem for path in entries(prefix / "conda-meta") if path.suffix == ".json"]
