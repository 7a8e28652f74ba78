"""DLIO's environment."""

import re
import tomllib

import pytest

from perf.storage.environment import PACKAGES, python_of


def test_packages_are_those_that_the_project_names_each_with_digests():
    listed = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", PACKAGES.read_text(), flags=re.M))
    named = tomllib.loads((PACKAGES.parents[1] / "pyproject.toml").read_text())["dependency-groups"]["dlio"]
    assert [entry.split()[0] for entry in listed] == named
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in listed)


def test_an_environment_that_is_not_there_says_how_to_make_it(tmp_path):
    with pytest.raises(ValueError, match=r"perf/dlio\.py environment"):
        python_of(tmp_path)
