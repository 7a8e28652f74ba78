"""Entries of the catalogue of damage that are one change of a good submission: see catalogue.py."""

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest

damage = pytest.mark.damage


def entry_of(change: Callable, find: Callable) -> Callable:
    """An entry of the catalogue: `find`, given a submission, damages it and returns what must be found. The name of the
    first argument of `change` is that of the submission, as in STARTS."""

    @damage
    def entry(tree):
        return find(tree)

    entry.of = next(iter(inspect.signature(change).parameters))
    return entry


def log_changed(code: str, change: Callable | None = None) -> Callable:
    """An entry of the catalogue: `change`, given a submission and its log that is damaged, returns the line of the log
    in which the rule finds it. Without `change`, a decorator of one."""
    if change is None:
        return partial(log_changed, code)
    return entry_of(change, lambda tree: [(tree.path(tree.at).name, change(tree, tree.logs[tree.at]), code)])


def files_changed(code: str, name: str, change: Callable | None = None, line: int = 1) -> Callable:
    """An entry of the catalogue: after `change` of a submission, the rule finds something in a line of the file or the
    folder of that name. Without `change`, a decorator of one."""
    if change is None:
        return partial(files_changed, code, name, line=line)

    def find(tree):
        change(tree)
        return [(name, line, code)]

    return entry_of(change, find)


def files_found(code: str, name: str, change: Callable) -> Callable:
    """An entry of the catalogue: after `change` of a submission, the rule finds something in the line that it returns,
    of the file of that name."""
    return entry_of(change, lambda tree: [(name, change(tree), code)])


def event_changed(code: str, key: str, of: str = "tree", runs: Iterable[int] = (), **changes) -> Callable:
    """An entry of the catalogue: an event of a key is another one, as `Tree.changed` makes it, in the log that is
    damaged or in several runs. The rule finds each of them, and no other rule does."""

    @damage
    def entry(tree):
        indices = tuple(runs) or (tree.at,)
        return [(tree.path(index).name, tree.changed(key, index, **changes), code) for index in indices]

    entry.of = of
    return entry


def description_changed(code: str, **fields) -> Callable:
    """An entry of the catalogue: the rule finds other fields in the system description, and no other rule does."""
    return files_found(code, "box.json", lambda tree: tree.described(**fields))


def file_added(code: str, path: str, text: str, line: int = 1) -> Callable:
    """An entry of the catalogue: the source has another file, or more in one that is there, and the rule finds
    something in that line of the text."""

    return files_found(code, Path(path).name, lambda tree: tree.add(path, text) + line - 1)
