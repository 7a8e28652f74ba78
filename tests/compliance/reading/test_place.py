"""The surroundings of a set."""

from pathlib import Path

import pytest

from compliance.reading.place import SetPlace
from compliance.reading.tree import Place, Set
from tests.compliance import made

RUNS = Set(Path("scaffold"), "scaffold", Path("."), Place("v1.0", "acme", "box", "weak", "scaffold", Path(".")), ())


@pytest.mark.parametrize(
    ("description", "fields"),
    [
        (None, {}),
        (made.described(None), {}),
        (made.described({"submitter": "acme"}), {"submitter": "acme"}),
    ],
)
def test_a_set_without_a_description_that_can_be_read_has_no_fields(description, fields):
    assert SetPlace(RUNS, None, description).described == fields
