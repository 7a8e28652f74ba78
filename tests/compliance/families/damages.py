"""Entries of the catalogue of damage that are one change of a good submission: see catalogue.py."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

damage = pytest.mark.damage


def test_damage(entry, exactly):
    """A test of each entry of the module that imports this."""
    exactly(entry)


def log_changed(code: str, change: Callable | None = None) -> Callable:
    """An entry of the catalogue: `change`, given a submission and its log that is damaged, returns the line of the log
    in which the rule finds it. The name of its first argument is that of the submission, as in STARTS. Without
    `change`, a decorator of one."""
    if change is None:
        return partial(log_changed, code)

    @damage
    def entry(tree):
        return [(tree.path(tree.at).name, change(tree, tree.logs[tree.at]), code)]

    entry.of = next(iter(inspect.signature(change).parameters))
    return entry


def files_changed(code: str, name: str, change: Callable | None = None, line: int = 1) -> Callable:
    """An entry of the catalogue: after `change` of a submission, the rule finds something in a line of the file or the
    folder of that name. The name of its argument is that of the submission, as in STARTS. Without `change`, a decorator
    of one."""
    if change is None:
        return partial(files_changed, code, name, line=line)

    @damage
    def entry(tree):
        change(tree)
        return [(name, line, code)]

    entry.of = next(iter(inspect.signature(change).parameters))
    return entry


def files_found(code: str, name: str, change: Callable) -> Callable:
    """An entry of the catalogue: after `change` of a submission, the rule finds something in the line that it returns,
    of the file of that name. The name of its argument is that of the submission, as in STARTS."""

    @damage
    def entry(tree):
        return [(name, change(tree), code)]

    entry.of = next(iter(inspect.signature(change).parameters))
    return entry


def file_added(code: str, path: str, text: str, line: int = 1) -> Callable:
    """An entry of the catalogue: the source has another file, or more in one that is there, and the rule finds
    something in that line of the text."""

    @damage
    def entry(tree):
        return [(Path(path).name, tree.add(path, text) + line - 1, code)]

    return entry
