import pytest

from benchmark.energy.counter import reason


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
