"""Read what a process has loaded from outside this repository, and hold it against the RECORD of its distributions.

The files are those of modules and of mapped libraries. A file is `edited` if its distribution's RECORD has another
sha256, and `unowned` if no RECORD names it, it is not of Python's standard library or the system, and it was not
compiled for this run. A process can lie about itself; it cannot make the same code lie in somebody else's environment.
"""

import csv
import hashlib
import importlib.metadata
import json
import os
import re
import resource
import sys
import sysconfig
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmark.environment.facts import entries, key_values, maybe
from benchmark.environment.paths import shortened
from benchmark.source import combine, install

MAPS, IO = Path("/proc/self/maps"), Path("/proc/self/io")
CUSTOM = ("sitecustomize", "usercustomize")  # modules that Python imports before a script
PACKAGES = ("site-packages", "dist-packages")
IMPORTS = re.compile(r"^import[ \t]", re.M)  # a line of a .pth file that is executed
SHOWN, MOST = 20, 2000  # files that are named; files of kernels that are read


class Distribution(NamedTuple):
    """An installed distribution: name and version, whether it is editable, its folder, and the sha256 of its files by
    their path in there, as its RECORD has them."""

    name: str
    editable: bool
    folder: str
    files: dict[str, str]


def loaded(kernels: Path | None = None, since: float = 0.0) -> dict[str, Any]:
    """Return what this process has loaded, the `kernels` in the folder where they were compiled for it, and what it has
    `spent` so far. A file of kernels that is older than the time `since` (POSIX seconds) was there before the run."""
    distributions = list(installed())
    recorded = {f"{one.folder}/{file}": digest for one in distributions for file, digest in one.files.items()}
    digests = digests_of({f"{real(path.parent)}/{path.name}" for path in loaded_files()})
    used = [one for one in distributions if any(f"{one.folder}/{file}" in digests for file in one.files)]
    own = f"{real(kernels)}/" if kernels else "\0"
    strays = [path for path in digests if path not in recorded and not path.startswith(own) and not of_system(path)]
    return {
        "records": {one.name: combine(one.files.items()) for one in used},
        "edited": told(path for path in digests if recorded.get(path, digests[path]) != digests[path]),
        "unowned": told(strays),
        "editable": sorted(one.name for one in used if one.editable),
        "startup": startup(recorded),
        "finders": sorted({kind_of(finder) for finder in (*sys.meta_path, *sys.path_hooks)}),
        "kernels": compiled(kernels, since) if kernels else {},
        "spent": spent(),
    }


def spent() -> dict[str, float]:
    """Return the seconds of processors that this process and its ended children took, and the bytes that they read and
    wrote, also from and to memory. Bytes are left out where the system does not count them."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    counted = {f"{name}_bytes": key_values(IO).get(key) for name, key in {"read": "rchar", "written": "wchar"}.items()}
    seconds = round(sum(one.ru_utime + one.ru_stime for one in used), 3)
    return {"cpu_seconds": seconds, **{name: int(found[0]) for name, found in counted.items() if found}}


def loaded_files() -> Iterator[Path]:
    """Yield the files of modules outside the repository's packages, and of libraries mapped into this process."""
    for module in list(sys.modules.values()):
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        if origin and os.path.isabs(origin) and not install().path_of(origin):
            yield Path(origin)
    for line in MAPS.read_text(errors="replace").splitlines() if MAPS.exists() else ():
        fields = line.split(maxsplit=5)
        if "x" in fields[1] and fields[-1].startswith("/"):
            yield Path(fields[-1])


def installed() -> Iterator[Distribution]:
    """Yield the distributions that have a RECORD. Of its files count those with a sha256 in the folder of packages,
    without the distribution's metadata, which differ between installations."""
    for one in importlib.metadata.distributions():
        rows = csv.reader((one.read_text("RECORD") or "").splitlines())
        code = {row[0]: row[1].removeprefix("sha256=") for row in rows if len(row) == 3 and row[1][:7] == "sha256="}
        files = {n: urlsafe_b64decode(f"{d}==").hex() for n, d in code.items() if ".dist-info/" not in n}
        if files := {name: digest for name, digest in files.items() if not name.startswith("..")}:
            origin, said = json.loads(one.read_text("direct_url.json") or "{}"), one.metadata
            editable = bool(origin.get("dir_info", {}).get("editable"))
            yield Distribution(
                f"{said['Name']} {said['Version']}", editable, real(Path(str(one.locate_file("")))), files
            )


def digests_of(paths: Iterable[str]) -> dict[str, str]:
    """Return the sha256 of files, "" of unreadable ones. Threads read them: libraries for GPUs are gigabytes."""

    def digest(path: str) -> str:
        try:
            with open(path, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return ""

    paths = sorted(paths)
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        return dict(zip(paths, pool.map(digest, paths), strict=True))


@cache
def real(folder: Path) -> str:
    """Return a folder without links."""
    return os.path.realpath(folder)


def of_system(path: str) -> bool:
    """Return whether a file belongs to Python itself or to the system, and not to a folder of packages."""
    base, library = real(Path(sys.base_prefix)), real(Path(sysconfig.get_path("stdlib")))
    begins = ("/usr/", "/lib/", "/lib64/", f"{library}/", f"{base}/bin/", f"{base}/lib/lib")
    return path.startswith(begins) and not any(f"/{name}/" in path for name in PACKAGES)


def startup(recorded: Mapping[str, str]) -> dict[str, str]:
    """Return the sha256 of what runs before a script and no RECORD has: lines of code in .pth files, sitecustomize."""
    places = {real(Path(place)) for place in sys.path if Path(place).name in PACKAGES}
    files = [path for place in places for path in entries(Path(place)) if path.suffix == ".pth"]
    found = [str(path) for path in files if str(path) not in recorded and IMPORTS.search(maybe(path) or "")]
    found += [file for name in CUSTOM if (file := getattr(sys.modules.get(name), "__file__", None))]
    return {Path(path).name: digest for path, digest in digests_of(found).items()}


def kind_of(finder: Any) -> str:
    """Return the class of an import finder, or the name of a function that makes one."""
    kind = finder if isinstance(finder, type) or hasattr(finder, "__qualname__") else type(finder)
    return f"{kind.__module__}.{kind.__qualname__}"


def compiled(folder: Path, since: float) -> dict[str, Any]:
    """Return how many files of kernels there are, how many were there before, and one sha256 of all; "" of too many."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    before = sum(path.stat().st_mtime < since for path in files)
    digests = digests_of(map(str, files)) if len(files) <= MOST else {}
    whole = combine((path.relative_to(folder).as_posix(), digests[str(path)]) for path in files if digests)
    return {"files": len(files), "before": before, "sha256": whole if digests else ""}


def told(paths: Iterable[str]) -> dict[str, Any]:
    """Return how many files there are, and the names of the first."""
    paths = sorted(paths)
    return {"files": len(paths), "names": [shortened(path) for path in paths[:SHOWN]]}
