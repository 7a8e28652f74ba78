"""A judged campaign: the good one of the checker's tests."""

import pytest

from compliance.engine import judge
from results.tuning.score import campaigns
from tests.compliance import editions
from tests.compliance.tuned import Tuned


@pytest.fixture(scope="session")
def law(tmp_path_factory):
    """The folder of the editions, with the problem `tiny`."""
    return editions.law(tmp_path_factory.mktemp("law"))


@pytest.fixture
def tuned(tmp_path):
    """A good submission with a campaign."""
    return Tuned(tmp_path)


@pytest.fixture
def anew(tuned, law):
    """The function that scores the campaign as it is now."""

    def score():
        (found,) = campaigns(judge([str(tuned.root)], rules=law))
        return found

    return score


@pytest.fixture
def scored(anew):
    """The good campaign, scored."""
    return anew()
