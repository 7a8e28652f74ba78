"""The catalogue of damage: what tests damage in good submissions."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

from tests.compliance import logs, submissions, tuned

# Good submissions, by the name of a test's argument and of that of an entry of the catalogue of damage.
STARTS = {
    "tree": submissions.Tree,
    "mean": partial(submissions.Tree, benchmark="probe", make=logs.mean_run),
    "sampled": partial(submissions.Tree, benchmark="sampled", make=logs.sampled_run),
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


def is_entry(value: object) -> bool:
    """Whether it is an entry of the catalogue of damage: a function marked with `pytest.mark.damage`, which damages a
    good submission and returns exactly the findings that must come, (file, line, code)."""
    return callable(value) and any(mark.name == "damage" for mark in getattr(value, "pytestmark", ()))


def catalogue(module: ModuleType) -> dict[str, Callable]:
    """The entries of the catalogue of damage in a module of tests, by name."""
    return {name: value for name, value in vars(module).items() if is_entry(value)}


def damaged(entry: Callable, folder: Path, **more) -> tuple[submissions.Tree, list[tuple[str, int, str]]]:
    """The submission that an entry of the catalogue has damaged, and what must be found in it."""
    names = inspect.signature(entry).parameters
    (name,) = names.keys() & STARTS.keys()
    tree = STARTS[getattr(entry, "of", name)](folder)
    return tree, entry(**{n: tree if n == name else more[n] for n in names})
