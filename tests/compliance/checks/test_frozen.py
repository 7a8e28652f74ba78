"""TREE13: a frozen round stays as it was."""

import os

import pytest

from compliance.reading.frozen import NAME, sha256

damage = pytest.mark.damage


def freeze(tree):
    """Lists the submission's files as results/freeze.py does."""
    home = tree.root.parent
    files = sorted(p for p in home.rglob("*") if p.is_file())
    lines = [f"{sha256(p)} {p.stat().st_size} {p.relative_to(home).as_posix()}\n" for p in files]
    return tree.put(home / NAME, "".join(lines))


@damage
def file_changed_after_freezing(tree):
    freeze(tree)
    path = tree.root / "systems" / "box.json"
    path.write_text(path.read_text() + "\n")
    return [("box.json", 1, "TREE13")]


@damage
def byte_changed_after_freezing(tree):
    document = tree.put(tree.root / "README.md", "five")
    freeze(tree)
    document.write_text("nine")
    return [("README.md", 1, "TREE13")]


@damage
def file_added_after_freezing(tree):
    freeze(tree)
    tree.put(tree.root / "README.md", "More.")
    return [("README.md", 1, "TREE13")]


@damage
def file_removed_after_freezing(tree):
    document = tree.put(tree.root / "README.md", "five")
    freeze(tree)
    document.unlink()
    return [("acme", 1, "TREE13")]


@damage
def list_of_the_frozen_damaged(tree):
    path = freeze(tree)
    path.write_text(path.read_text() + "and so on\n")
    return [("acme", 1, "TREE13")]


def test_damage(entry, exactly):
    exactly(entry)


def test_a_frozen_submission_as_it_was_is_in_order(tree, found):
    freeze(tree)
    assert found(tree.root) == found(tree.root.parent) == []


def test_a_submission_that_came_later_is_not_in_the_list(tree, found):
    tree.put(tree.root.parent / NAME, "")
    entries = [p for p in tree.root.rglob("*") if p.is_file()]
    assert {code for *_, code in found(tree.root)} == {"TREE13"} and len(found(tree.root)) == len(entries)


def test_a_list_inside_the_submission_counts_for_nothing(tree, found):
    tree.put(tree.root / NAME, "")
    assert found(tree.root) == [(NAME, 1, "TREE03")]


def test_a_list_that_is_no_file_is_an_error(tree, found):
    os.mkfifo(tree.root.parent / NAME)
    assert found(tree.root) == [("acme", 1, "TREE13")]
