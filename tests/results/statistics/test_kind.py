import pytest

from results.statistics.kind import kind_of


@pytest.mark.parametrize(
    "scaling, instance, parts, kind",
    [
        ("strong", 8, 8, "capability"),
        ("strong", None, None, "capability"),
        ("weak", 0.5, None, "capacity"),
        ("weak", 1, 1, "capacity"),
        ("weak", 1, 4, "hybrid"),
        ("weak", 0.5, 2, "hybrid"),
        ("weak", 2, 1, "hybrid"),
        ("weak", None, 1, "capacity"),
        ("weak", None, 2, "hybrid"),
        ("weak", None, None, ""),
        ("throughput", 4, 4, ""),
    ],
)
def test_what_a_set_shows(scaling, instance, parts, kind):
    assert kind_of(scaling, instance, parts) == kind
