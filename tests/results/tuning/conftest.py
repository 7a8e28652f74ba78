"""A judged campaign: the good one of the checker's tests."""

import importlib.util
import sys
from pathlib import Path

import pytest

from compliance.engine import judge

HELPERS = Path(__file__).resolve().parents[2] / "compliance"


def helper(name):
    """A module beside the checker's tests, known by the name that these give it."""
    known = f"compliance_test_{name}"
    if known not in sys.modules:
        spec = importlib.util.spec_from_file_location(known, HELPERS / f"{name}.py")
        module = sys.modules[known] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[known]


@pytest.fixture(scope="session")
def law(tmp_path_factory):
    """The folder of the editions, with the problem `tiny`."""
    return helper("logs").law(tmp_path_factory.mktemp("law"))


@pytest.fixture
def tuned(tmp_path):
    """A good submission with a campaign."""
    helper("logs")
    helper("ledgers")
    helper("environments")
    return helper("submissions").Tuned(tmp_path)


@pytest.fixture
def verdict(tuned, law):
    """The verdict on it."""
    return judge([str(tuned.root)], rules=law)
