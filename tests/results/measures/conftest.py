"""A set of five runs of 50 to 54 s, summarized."""

import pytest

from compliance.engine import judge
from results.statistics.result import summarize


@pytest.fixture
def results(tree, new_log):
    tree.set([new_log.scaffold(50 + i, seed=i) for i in range(5)])
    return summarize(judge([tree.root]), as_logged=True)
