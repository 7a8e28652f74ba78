"""TREE: what lies where nothing is looked for, or has no place in a submission."""

import os

import pytest

from compliance.reading import tree as tree_module

damage = pytest.mark.damage


@damage
def benchmark_folder_misspelt(tree):
    folder = tree.path(0).parent
    folder.rename(folder.with_name("scafold"))
    return [("scafold", 1, "TREE02")]


@damage
def scaling_folder_misspelt(tree):
    folder = tree.path(0).parent.parent
    folder.rename(folder.with_name("Strong"))
    return [("scaffold", 1, "TREE01")]


@damage
def unknown_file(tree):
    tree.put(tree.path(0).parent / "core.1234", "?")
    return [("core.1234", 1, "TREE03")]


@damage
def ledger_beside_no_logs(tree):
    tree.put(tree.path(0).parents[1] / "ledger.jsonl", "?")
    return [("ledger.jsonl", 1, "TREE03")]


@damage
def scaling_json_planted(tree):
    tree.put(tree.path(0).parent / "scaling.json", '{"scaling": 0.5}')
    return [("scaling.json", 1, "TREE04")]


@damage
def parameters_of_a_checker_planted(tree):
    tree.put(tree.path(0).parent / "package_checker_params", "seed-checker-bypass")
    return [("package_checker_params", 1, "TREE04")]


@damage
def link_out_of_the_tree(tree):
    (tree.implementation / "secrets").symlink_to("/etc")
    return [("secrets", 1, "TREE05")]


@damage
def pipe_in_the_tree(tree):
    os.mkfifo(tree.path(0).parent / "result_9.txt")
    return [("result_9.txt", 1, "TREE05")]


@damage
def log_misnamed(tree):
    tree.path(2).rename(tree.path(2).with_name("Result_2.txt"))
    return [("Result_2.txt", 1, "TREE06")]


@damage
def all_logs_deleted(tree):
    for index in range(5):
        tree.path(index).unlink()
    return [("scaffold", 1, "TREE08")]


@damage
def more_entries_than_can_be_walked(tree, monkeypatch):
    monkeypatch.setattr(tree_module, "MOST_ENTRIES", len(list(tree.root.rglob("*"))))
    tree.put(tree.path(0).with_name("zz.md"), "The last file.")
    return [("acme", 1, "TREE07")]


@damage
def events_in_a_document(tree, logs):
    logs.good(7).write(tree.root / "results" / "notes.rst")
    return [("notes.rst", 1, "TREE09")]


def test_damage(entry, exactly):
    exactly(entry)


def test_tree_of_too_many_entries(tree, found, monkeypatch):
    monkeypatch.setattr(tree_module, "MOST_ENTRIES", 12)
    assert ("acme", 1, "TREE07") in found(tree.root)
