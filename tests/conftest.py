"""What tests of several packages share."""

import contextlib
import itertools
import os
import random
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from harness.launcher import Launcher
from tests.support.forked import Warm, can_be_forked, forked_start
from tests.support.tiny import Tiny, environment, events_of, make_endless, make_tiny, publish


def pytest_addoption(parser):
    parser.addoption("--shuffle", metavar="SEED", help="run files, and the tests of each, in a random order")


def pytest_configure(config):
    """End on SIGHUP, also under nohup, which has it ignored: runs that tests start would ignore it too. Drop what a
    launcher around the tests has set: they are alone."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for name in set(os.environ) - set(environment()):
        del os.environ[name]


def pytest_collection_modifyitems(config, items):
    """Mark tests that make runs as slow: they use the warm process, through `tiny` or by themselves, or run a job's
    script.

    Shuffle the files, and the tests of each, where asked to. Those of a file stay together, since they share what it
    makes."""
    for item in items:
        if {"warm", "jobs"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.slow)
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


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm | None]:
    """A process that runs can be forked from; None where they can't."""
    with Warm(environment=environment()) if can_be_forked() else nullcontext() as process:
        yield process


@pytest.fixture(scope="session")
def tiny(tmp_path_factory, warm) -> Tiny:
    """The tiny problem, made from smoke's definition; every evaluation reaches its target."""
    return make_tiny(tmp_path_factory.mktemp("tiny"), warm)


@pytest.fixture(scope="session")
def endless(tiny) -> Tiny:
    """The tiny problem with a target that no run reaches, and its own dataset."""
    return make_endless(tiny)


@pytest.fixture(scope="module")
def forking(tiny):
    """Runs of one rank of the reference that the harness makes are forked, too."""
    with pytest.MonkeyPatch.context() as patch:
        if tiny.warm:
            patch.setattr(Launcher, "start", forked_start(tiny.warm))
        yield


@pytest.fixture
def in_threads(monkeypatch):
    """(layout, work) -> what `work` gives on every rank of a layout, whose ranks are threads of this process."""
    from tests.support.threaded import in_threads  # it loads PyTorch

    return lambda layout, work: in_threads(monkeypatch, layout, work)


@pytest.fixture(scope="session")
def events():
    """The function that reads a log's events, all well-formed."""
    return events_of


@pytest.fixture(scope="session")
def published():
    """The function that writes rules which publish the tiny problem."""
    return publish
