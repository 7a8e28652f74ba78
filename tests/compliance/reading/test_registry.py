"""The registry of a round: where it lies, what findings call it, whose entries are whose."""

import os

import pytest

from compliance.reading.registry import Registries, key_of
from compliance.reading.tree import read_set, read_submission
from rules.edition import load


@pytest.fixture
def of(law):
    """The registry of a submission given by a path."""

    def read(path, given=None, edition="v1.0"):
        return Registries().of(read_submission(path, str(path), given or path), load(edition, law))

    return read


def test_it_lies_in_the_folder_that_names_the_edition(registered, of):
    found = of(registered.root)
    assert [entry.organisation for entry in found.entries] == ["bolt", "acme"] and found.damage is None
    assert found.path == str(registered.root.parent / "registry.yaml")
    assert of(registered.root, edition="assigned") is None  # no folder of that name
    (registered.root.parent / "registry.yaml").unlink()
    assert of(registered.root) is None


def test_an_edition_without_a_registry_has_none(registered, of):
    folder = registered.root.parent.rename(registered.root.parents[1] / "mlperf-hpc-v3.0")
    assert of(folder / "acme", edition="mlperf-hpc-v3.0") is None


def test_folders_between_the_round_and_the_submission_count_for_nothing(registered, of):
    deeper = registered.root.parent / "closed"
    deeper.mkdir()
    (deeper / "registry.yaml").write_text("- forged\n")
    registered.root.rename(deeper / "acme")
    found = of(deeper / "acme", given=registered.root.parents[1])
    assert len(found.entries) == 2 and found.path == str(registered.root.parent / "registry.yaml")


def test_findings_name_it_as_the_paths_were_given(registered, law, monkeypatch):
    edition = load("v1.0", law)
    for folder, name, shown in (
        (registered.root.parents[1], "v1.0/acme", "v1.0/registry.yaml"),
        (
            registered.root.parents[2],
            f"{registered.root.parts[-3]}/v1.0/acme",
            f"{registered.root.parts[-3]}/v1.0/registry.yaml",
        ),
        (registered.root.parent, "acme", str(registered.root.parent / "registry.yaml")),
        (registered.root, ".", str(registered.root.parent / "registry.yaml")),
    ):
        monkeypatch.chdir(folder)
        submission = read_submission(folder / name, name, folder / name)
        assert Registries().of(submission, edition).path == shown


def test_a_set_given_by_itself_has_the_registry_of_its_round(registered, law):
    folder = registered.path(0).parent
    found = Registries().of(read_set(folder, str(folder), folder), load("v1.0", law))
    assert (len(found.entries), found.path) == (2, str(registered.root.parent / "registry.yaml"))


def test_it_is_read_once(registered, law):
    every, submission = Registries(), read_submission(registered.root, str(registered.root), registered.root)
    first = every.of(submission, load("v1.0", law))
    registered.write_registry("- damaged\n")
    assert every.of(submission, load("v1.0", law)) is first


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("nowhere")])
def test_what_is_there_and_no_file_is_damage(registered, of, make):
    path = registered.root.parent / "registry.yaml"
    path.unlink()
    make(path)
    found = of(registered.root)
    assert found.entries == () and (found.damage.line, found.damage.wanted) == (1, "registry.yaml")


def test_entries_by_number_key_and_organisation(registered, of):
    found = of(registered.root)
    one, two = found.entries
    assert [found.entry(number) for number in (None, 0, 1, 2, 3, -1, 10**30)] == [
        None,
        None,
        one,
        two,
        None,
        None,
        None,
    ]
    assert found.fitting(key_of("ACME", "b-o-x", "scaffold", "tiny")) == [two]
    assert found.fitting(key_of("acme", "box", "scaffold", None)) == []
    assert found.of_organisation("A C M E") == [two] and found.of_organisation("crux") == []
