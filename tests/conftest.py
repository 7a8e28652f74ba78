"""What tests of several packages share."""

import contextlib
import itertools
import os
import random
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--shuffle", metavar="SEED", help="run files, and the tests of each, in a random order")


def pytest_collection_modifyitems(config, items):
    """Shuffle the files, and the tests of each. Those of a file stay together, since they share what it makes."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        rng = random.Random(seed)  # the same order in every process
        files = [list(tests) for _, tests in itertools.groupby(items, lambda item: item.path)]
        for tests in files:
            rng.shuffle(tests)
        rng.shuffle(files)
        items[:] = itertools.chain(*files)


@pytest.fixture(scope="session")
def read_only() -> Callable[[Path], AbstractContextManager[None]]:
    """A context in which nobody, the superuser included, can add anything to a folder, or take anything out."""

    @contextlib.contextmanager
    def freeze(folder: Path) -> Iterator[None]:
        if os.geteuid():
            mode = stat.S_IMODE(folder.stat().st_mode)
            folder.chmod(0o555)
            thaw = lambda: folder.chmod(mode)  # noqa: E731
        else:
            if not shutil.which("chattr") or subprocess.run(["chattr", "+i", folder], capture_output=True).returncode:
                pytest.skip("no folder can be made read-only for the superuser here")
            thaw = lambda: subprocess.run(["chattr", "-i", folder], check=True)  # noqa: E731
        try:
            yield
        finally:
            thaw()

    return freeze
