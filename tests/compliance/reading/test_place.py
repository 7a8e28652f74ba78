"""The surroundings of a set."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from compliance.reading.place import SetPlace
from compliance.reading.tree import Place, Set

RUNS = Set(Path("scaffold"), "scaffold", Path("."), Place("v1.0", "acme", "box", "weak", "scaffold", Path(".")), ())


@pytest.mark.parametrize(
    ("description", "fields"),
    [
        (None, {}),
        (SimpleNamespace(data=None), {}),
        (SimpleNamespace(data={"submitter": "acme"}), {"submitter": "acme"}),
    ],
)
def test_a_set_without_a_description_that_can_be_read_has_no_fields(description, fields):
    assert SetPlace(RUNS, None, description).described == fields
