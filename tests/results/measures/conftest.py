"""A set of five runs of 50 to 54 s, summarized."""

import pytest


@pytest.fixture
def r(tree, new_log):
    tree.set(new_log.five())
    (found,) = tree.results()
    return found
