"""The catalogue of damage: what tests damage in good submissions."""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest

from tests.compliance import submissions, tuned

# Good submissions, by the name of a test's argument and of that of an entry of the catalogue of damage.
STARTS = {
    "tree": submissions.Tree,
    "mean": submissions.Mean,
    "sampled": submissions.Sampled,
    "weak": submissions.Weak,
    "study": submissions.Study,
    "measured": submissions.Measured,
    "metered": submissions.Metered,
    "registered": submissions.Registered,
    "witnessed": submissions.Witnessed,
    "launched": submissions.Launched,
    "weighted": submissions.Weighted,
    "environed": submissions.Environed,
    "tuned": tuned.Tuned,
    "confirmed": tuned.Confirmed,
}


def event_changed(code: str, key: str, of: str = "tree", runs: Iterable[int] = (), **changes) -> Callable:
    """An entry of the catalogue: an event of a key is another one, as `Tree.changed` makes it, in the log that is
    damaged or in several runs. The rule finds each of them, and no other rule does."""

    @pytest.mark.damage
    def entry(tree):
        indices = tuple(runs) or (tree.at,)
        return [(tree.path(index).name, tree.changed(key, index, **changes), code) for index in indices]

    entry.of = of
    return entry


def description_changed(code: str, **fields) -> Callable:
    """An entry of the catalogue: the rule finds other fields in the system description, and no other rule does."""

    @pytest.mark.damage
    def entry(tree):
        return [("box.json", tree.described(**fields), code)]

    return entry


def catalogue(module: ModuleType) -> list[Callable]:
    """The entries of the catalogue of damage in a module of tests: functions marked with `pytest.mark.damage`, each of
    which damages a good submission and returns exactly the findings that must come, (file, line, code)."""
    marks = {name: getattr(value, "pytestmark", ()) for name, value in vars(module).items() if callable(value)}
    found = {name: getattr(module, name) for name in marks if any(m.name == "damage" for m in marks[name])}
    for name, entry in found.items():
        entry.__name__, entry.__module__ = name, module.__name__
    return list(found.values())


def damaged(entry: Callable, folder: Path, **more) -> tuple[submissions.Tree, list[tuple[str, int, str]]]:
    """The submission that an entry of the catalogue has damaged, and what must be found in it."""
    names = inspect.signature(entry).parameters
    (name,) = names.keys() & STARTS.keys()
    tree = STARTS[getattr(entry, "of", name)](folder)
    return tree, entry(**{n: tree if n == name else more[n] for n in names})
