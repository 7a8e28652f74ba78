"""Copy the source that a submission's logs name into the submission.

    python benchmark/collect.py results/v1.0/acme [--config FILE]

Every log of a run names the files that the run loaded, by path and sha256. They go to
<submission>/source/<digest>/<path>. Runs share a folder unless they loaded different bytes under the same path. The
name of a folder follows from all files in it.
"""

import argparse
import fcntl
import hashlib
import os
import shutil
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.atomic import naming
from benchmark.log import Event, read_log
from benchmark.printable import printable
from benchmark.source import PACKAGES, ROOT, combine
from benchmark.tree import logs_in, source_files, source_path

Files = Mapping[str, str]  # sha256 in hexadecimal by relative path


def snapshot(*more: Path, root: Path = ROOT) -> dict[str, bytes]:
    """Return the files that a run that starts now can load, by sha256: the repository's packages, and `more`."""
    paths = [path for package in PACKAGES for path in source_files(root / package)]
    contents = (path.read_bytes() for path in (*paths, *more) if path.is_file())
    return {hashlib.sha256(data).hexdigest(): data for data in contents}


def collect(submission: Path, available: Mapping[str, bytes]) -> None:
    """Write every file that the submission's logs name, and remove every folder of source that no log names.

    Contents come from `available`, by sha256, and from the folders that are there already. Raises ValueError, naming
    the log and the file, if a file is in neither; then no folder is changed. Raises OSError, naming the file, if one
    cannot be written; then the folder is as it was before. So it does where the submission is no folder.
    """
    handle = os.open(submission, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)  # sets of one submission may be made at once
        collect_alone(submission, available)
    finally:
        os.close(handle)


def collect_alone(submission: Path, available: Mapping[str, bytes]) -> None:
    """Do the work of `collect`, while no other process does."""
    folder = submission / "source"
    # Also what a killed process left half written, which may be all that is left of a file.
    before = {path.name: files_in(path) for path in sorted(folder.glob("*")) if path.is_dir()}
    old = {digest: folder / name / path for name, files in before.items() for path, digest in files.items()}
    logs = logs_in(submission)
    named = [(log, files) for log in logs if (files := files_of(log))]
    for log, files in named:
        for path, digest in files.items():
            if digest not in available and digest not in old:
                raise ValueError(f"{log}: {path}: found no file with the sha256 {digest}, wanted the one that ran")
    wanted = {source_path(submission, combine(files.items())): files for files in plan(files for _, files in named)}
    for place, files in wanted.items():
        if before.get(place.name) != files:
            write(place, {path: available[d] if d in available else old[d].read_bytes() for path, d in files.items()})
    for name in before:
        if folder / name not in wanted:
            shutil.rmtree(folder / name)


def plan(sets: Iterable[Files]) -> list[dict[str, str]]:
    """Return the files of each folder: a run's go to the first folder without other bytes under their paths."""
    folders: list[dict[str, str]] = []
    for files in sets:
        home = next((f for f in folders if all(f.get(path, d) == d for path, d in files.items())), None)
        if home is None:
            folders.append(dict(files))
        else:
            home.update(files)
    return folders


def files_of(log: Path) -> dict[str, str]:
    """Return the files that a log names; none if the run ended before it could name them. Raises ValueError, naming the
    line, if they are not sha256 by relative path."""
    event = next((e for e in read_log(log) if isinstance(e, Event) and e.key == "source"), None)
    if event is None or not isinstance(event.metadata, dict):
        return {}
    files = event.metadata.get("files")
    if not isinstance(files, dict):
        raise ValueError(f"{log}:{event.line}: source: found files {files!r:.80}, wanted sha256 by path")
    for path, digest in files.items():
        if not is_plain(path) or not isinstance(digest, str):
            raise ValueError(
                f"{log}:{event.line}: source: found {path!r}: {digest!r:.80}, wanted a relative path, sha256"
            )
    return files


def is_plain(path: str) -> bool:
    """Return whether a path is relative, normalised, does not begin with a dot, and stays below its folder."""
    return PurePosixPath(path).as_posix() == path and ".." not in path.split("/") and path[:1] not in ("", "/", ".")


def files_in(folder: Path) -> dict[str, str]:
    """Return the files of a folder."""
    found = source_files(folder)
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in found}


def write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write a folder with these files and no others. It gets its name when it is complete. Raises OSError."""
    partial = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.partial")
    try:
        for path, data in contents.items():
            (partial / path).parent.mkdir(parents=True, exist_ok=True)
            with naming(folder / path):
                (partial / path).write_bytes(data)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 0, or 2 if a file is missing or cannot be written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("submission", type=Path, help="the submission's folder, results/<edition>/<org>")
    parser.add_argument("--config", type=Path, action="append", default=[], help="a config from outside the repository")
    args = parser.parse_args(arguments)
    try:
        collect(args.submission, snapshot(*args.config))
    except (ValueError, OSError) as error:
        print(printable(f"collect.py: {error}"), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
