"""Entries of the catalogue of damage that are one change of a good submission: see catalogue.py."""

from collections.abc import Callable

import pytest

from tests.compliance.logs import Log
from tests.compliance.submissions import Tree


def log_changed(code: str, change: Callable[[Tree, Log], int], of: str = "tree") -> Callable:
    """An entry of the catalogue: `change`, given a submission and its log that is damaged, returns the line of the log
    in which the rule finds it."""

    @pytest.mark.damage
    def entry(tree):
        return [(tree.path(tree.at).name, change(tree, tree.logs[tree.at]), code)]

    entry.of = of
    return entry


def files_changed(code: str, name: str, change: Callable[[Tree], object], line: int = 1, of: str = "tree") -> Callable:
    """An entry of the catalogue: after `change` of a submission, the rule finds something in a line of the file or the
    folder of that name."""

    @pytest.mark.damage
    def entry(tree):
        change(tree)
        return [(name, line, code)]

    entry.of = of
    return entry
