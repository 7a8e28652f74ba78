"""A dataset that is made in milliseconds."""

import pytest

from tests.support.tiny import Tiny, make_tiny


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> Tiny:
    """The tiny problem with its dataset, and no warm process: nothing here makes a run."""
    return make_tiny(tmp_path_factory.mktemp("tiny"))
