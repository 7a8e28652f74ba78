"""Python and the packages that it finds, with their versions and builds."""

import importlib.metadata
import platform
import sys
from pathlib import Path

from benchmark.environment.facts import entries


def python() -> dict[str, str]:
    """Version, implementation, compiler and C library."""
    libc = " ".join(platform.libc_ver())
    found = {"version": platform.python_version(), "implementation": platform.python_implementation()}
    return found | {"compiler": platform.python_compiler()} | ({"libc": libc} if libc.strip() else {})


def packages() -> dict[str, str]:
    """The version of every installed distribution, builds (+cu130) included, by name in lower case; of two the one
    that is imported."""
    found: dict[str, str] = {}
    for distribution in importlib.metadata.distributions():
        said = distribution.metadata
        name, version = said["Name"], said["Version"]
        if name and version:
            found.setdefault(name.lower(), version)
    return dict(sorted(found.items()))


def conda(prefix: Path = Path(sys.prefix)) -> list[str]:
    """name-version-build of every package that conda installed; nothing elsewhere."""
    return [path.stem for path in entries(prefix / "conda-meta") if path.suffix == ".json"]
