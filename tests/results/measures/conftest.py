"""A set of five runs of 50 to 54 s, summarized."""

import pytest


@pytest.fixture
def results(tree, new_log):
    tree.set(new_log.five())
    return tree.results()
