"""Record the source of a run: every Python file of this repository that the process loads, hashed as it is loaded.

A script installs the recorder before it imports anything else of the repository. From then on, a module is compiled
from the same bytes that are hashed, never from a cached .pyc. Files that were loaded before (the script, this package)
are hashed from disk when the recorder is installed. For these, the script sets `sys.pycache_prefix` to `os.devnull`.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("benchmark", "implementations", "rules")  # what a run may load of the repository


class Loader(SourceFileLoader):
    """Compiles a module from the same bytes that it passes to `note`."""

    def __init__(self, name: str, path: str, note: Callable[[str, bytes], None]):
        super().__init__(name, path)
        self.note = note

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        self.note(path, data)
        return self.source_to_code(data, path)


class Recorder:
    """An import finder that records the files of the packages in `root`. `files` has the sha256 in hexadecimal of every
    loaded file, by its path relative to `root`, with slashes."""

    def __init__(self, root: Path = ROOT):
        self.root = root
        self.files: dict[str, str] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of a module as Python finds it. The import system calls this."""
        if name.partition(".")[0] not in PACKAGES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None or not spec.has_location or not self.path_of(spec.origin):
            return spec
        if type(spec.loader) is SourceFileLoader:
            spec.loader = Loader(spec.loader.name, spec.loader.path, self.note)
        else:  # a library, or bytecode alone
            self.note(spec.origin, Path(spec.origin).read_bytes())
        return spec

    def note(self, path: str, data: bytes) -> None:
        """Record that a file was loaded with this content, if it belongs to the packages."""
        if name := self.path_of(path):
            self.files[name] = hashlib.sha256(data).hexdigest()

    def path_of(self, path: str | Path) -> str | None:
        """Return the relative path of a file of the packages; None for any other file."""
        name = relative(path, self.root)
        return name if name and name.partition("/")[0] in PACKAGES else None

    def files_with(self, config: Path, data: bytes) -> tuple[dict[str, str], str]:
        """Return the recorded files together with the configuration file, which held `data`, and the name of that file
        among them: its path in `root`, or config/<file name> if it lies elsewhere."""
        name = relative(config, self.root) or f"config/{config.name}"
        return dict(sorted({**self.files, name: hashlib.sha256(data).hexdigest()}.items())), name


def relative(path: str | Path, root: Path) -> str | None:
    """Return a path relative to a folder, with slashes; None if neither it nor the link's target lies there."""
    for absolute in (os.path.abspath, os.path.realpath):  # the second asks the file system for every folder
        found = Path(absolute(path))
        if found.is_relative_to(root):
            return found.relative_to(root).as_posix()
    return None


def install(root: Path = ROOT) -> Recorder:
    """Install the process's recorder, if it is not there yet, and return it. It records every module of the packages
    that is loaded from now on. Other modules, such as PyTorch's, use their cached bytecode again."""
    if sys.pycache_prefix == os.devnull:
        sys.pycache_prefix = os.environ.get("PYTHONPYCACHEPREFIX")
    for finder in sys.meta_path:
        if isinstance(finder, Recorder) and finder.root == root:
            return finder
    recorder = Recorder(root)
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if path and recorder.path_of(path) and Path(path).is_file():
            recorder.note(path, Path(path).read_bytes())
    sys.meta_path.insert(0, recorder)
    return recorder


def combine(files: Iterable[tuple[str, str]]) -> str:
    """Return one sha256 for many files, given as (relative POSIX path, sha256 in hexadecimal) in any order.

    It is taken over the files in order of path: the path, a NUL, the sha256 and a newline for each. Any change of a
    name or a byte changes it.
    """
    total = hashlib.sha256()
    for name, digest in sorted(files):
        total.update(f"{name}\0{digest}\n".encode())
    return total.hexdigest()
