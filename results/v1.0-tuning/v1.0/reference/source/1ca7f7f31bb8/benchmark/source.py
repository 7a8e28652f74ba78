"""The source of a run: every Python file of this repository that a process loads, hashed as it is loaded.

A script installs the recorder before it imports anything else of the repository. From then on a module is compiled
from the very bytes that are hashed, never from a cached .pyc. What was loaded earlier (the script, this package) is
hashed from disk, at once.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("benchmark", "implementations", "rules")  # what a run may load of the repository


class Loader(SourceFileLoader):
    """Compiles a module from the bytes that it hands to `note`."""

    def __init__(self, name: str, path: str, note: Callable[[str, bytes], None]):
        super().__init__(name, path)
        self.note = note

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        self.note(path, data)
        return self.source_to_code(data, path)


class Recorder:
    """Finds the modules of the packages in `root`. `files` is what was loaded of them: sha256 in hexadecimal by path,
    relative to `root`, with slashes."""

    def __init__(self, root: Path = ROOT):
        self.root = root
        self.files: dict[str, str] = {}

    def find_spec(
        self, name: str, path: list[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a module, as Python finds it; called by the import system."""
        if name.partition(".")[0] not in PACKAGES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not spec.has_location or not self.path_of(spec.origin):
            return spec
        if type(spec.loader) is SourceFileLoader:
            spec.loader = Loader(spec.loader.name, spec.loader.path, self.note)
        else:  # a library, or bytecode alone
            self.note(spec.origin, Path(spec.origin).read_bytes())
        return spec

    def note(self, path: str, data: bytes) -> None:
        """A file of the packages was loaded, and held this."""
        if name := self.path_of(path):
            self.files[name] = hashlib.sha256(data).hexdigest()

    def path_of(self, path: str | Path) -> str | None:
        """The relative path of a file of the packages; None of any other file."""
        name = relative(path, self.root)
        return name if name and name.partition("/")[0] in PACKAGES else None

    def files_with(self, config: Path, data: bytes) -> tuple[dict[str, str], str]:
        """The files, with the configuration file that held `data`, and that one's name among them: its path in `root`,
        or config/<file name> if it lies elsewhere."""
        name = relative(config, self.root) or f"config/{config.name}"
        return dict(sorted({**self.files, name: hashlib.sha256(data).hexdigest()}.items())), name


def relative(path: str | Path, root: Path) -> str | None:
    """A path relative to a folder, with slashes; None if it lies elsewhere. A symbolic link lies where it is."""
    for found in (Path(os.path.abspath(path)), Path(path).resolve()):
        if found.is_relative_to(root):
            return found.relative_to(root).as_posix()
    return None


def install(root: Path = ROOT) -> Recorder:
    """The process's recorder, which from now on sees every module of the packages that is loaded."""
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
