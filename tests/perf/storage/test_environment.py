"""DLIO's environment."""

import pytest

from perf.storage.environment import DLIO, PINNED, python_of


def test_versions_are_pinned():
    assert DLIO in PINNED and all(package.count("==") == 1 for package in PINNED)


def test_an_environment_that_is_not_there_says_how_to_make_it(tmp_path):
    with pytest.raises(ValueError, match=r"perf/dlio\.py environment"):
        python_of(tmp_path)
