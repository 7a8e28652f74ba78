"""The surroundings of a set."""

from tests.compliance import made


def test_a_set_without_a_description_that_can_be_read_has_no_fields():
    told = made.described({"submitter": "acme"})
    for description, fields in ((None, {}), (made.described(None), {}), (told, {"submitter": "acme"})):
        assert made.place(description=description).described == fields
