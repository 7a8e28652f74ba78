"""Commands of the harness with an implementation that learns nothing."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from harness import submit
from harness.options import Setup, setup_of
from tests.support.fake.calls import FAKE, Calls
from tests.support.tiny import Tiny, make_tiny


@pytest.fixture(scope="session")
def tiny_data(tmp_path_factory) -> Tiny:
    """The tiny problem and its dataset, without runs."""
    return make_tiny(tmp_path_factory.mktemp("small"))


@dataclass(frozen=True)
class Fake(Calls):
    """Submissions of the tiny problem in a folder, by the implementation that learns nothing."""

    tiny: Tiny

    @property
    def submission(self) -> Path:
        return self.folder / "v1.0" / "Us"

    def arguments(self, *more: str) -> list[str]:
        """submit.py's."""
        files = ["--problems", str(self.tiny.problems), "--data", str(self.tiny.data)]
        names = ["--org", "Us", "--system", "laptop", "--out", str(self.folder / "v1.0")]
        return ["--problem", "tiny", "--implementation", str(FAKE), *files, *names, *more]

    def setup(self, *more: str) -> Setup:
        """The setup of runs."""
        return setup_of(submit.parse(self.arguments(*more)))

    def submit(self, *more: str) -> int:
        """The exit code of submit.py."""
        return submit.main(self.arguments(*more))


@pytest.fixture
def fake(tiny_data, tmp_path, monkeypatch) -> Fake:
    """The implementation that learns nothing, with a folder of its own."""
    for name in ("ACTS", "CALLS"):
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "ACTS").touch()
    return Fake(tmp_path, tiny_data)
