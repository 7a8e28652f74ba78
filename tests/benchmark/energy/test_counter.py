"""A counter of energy, and the reasons why one cannot be read."""

import pytest

from benchmark.energy.counter import COUNTS, reason
from rules.energy import SCOPES


def test_every_source_counts_a_scope_of_the_rules():
    assert set(COUNTS.values()) <= set(SCOPES)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Permission denied"), "permission denied"),
        (OSError("gone\nand more"), "gone"),
        (KeyError(), "KeyError()"),
        (ValueError("x" * 300), "x" * 200),
    ],
)
def test_a_reason_is_one_short_line(error, words):
    assert reason(error) == words
