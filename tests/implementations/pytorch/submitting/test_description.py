"""What people say of a system in the folder of an implementation."""

import json

import pytest

from implementations.pytorch.submitting.description import filled_in

FIELDS = {"cooling": "", "hw_notes": "", "host_memory_capacity": "24 GiB"}


def put(folder, name, told):
    (folder / name).write_text(told if isinstance(told, str) else json.dumps(told))


def test_without_a_file_all_is_as_found(tmp_path):
    assert filled_in(tmp_path, "box", FIELDS) == FIELDS


def test_what_is_filled_in_is_taken_and_what_is_empty_left(tmp_path):
    put(tmp_path, "template.json", {"cooling": "air", "host_memory_capacity": "", "hw_notes": None})
    assert filled_in(tmp_path, "box", FIELDS) == {**FIELDS, "cooling": "air"}


def test_a_system_of_its_own_comes_before_the_template(tmp_path):
    put(tmp_path, "template.json", {"cooling": "air", "hw_notes": "x"})
    put(tmp_path, "box.json", {"cooling": "liquid"})
    assert filled_in(tmp_path, "box", FIELDS) == {**FIELDS, "cooling": "liquid"}
    assert filled_in(tmp_path, "other", FIELDS)["cooling"] == "air"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("{", r"template\.json: found no JSON"),
        ([], r"template\.json: found a list, wanted an object"),
        ({"coling": "air"}, r"template\.json: found the field 'coling', did you mean 'cooling'\?"),
        ({"zzz": ""}, r"found the field 'zzz', wanted one of those that submit\.py writes"),
    ],
)
def test_what_is_no_description_is_refused(tmp_path, told, words):
    put(tmp_path, "template.json", told)
    with pytest.raises(ValueError, match=words):
        filled_in(tmp_path, "box", FIELDS)
