"""The catalogue of damage: what tests damage in good submissions."""

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from tests.compliance.submissions import (
    Environed,
    Launched,
    Mean,
    Measured,
    Metered,
    Registered,
    Sampled,
    Study,
    Tree,
    Weak,
    Weighted,
    Witnessed,
)
from tests.compliance.tuned import Confirmed, Tuned

# What an entry of the catalogue of damage may begin with, by the name of its argument.
STARTS = {
    "tree": Tree,
    "mean": Mean,
    "sampled": Sampled,
    "weak": Weak,
    "study": Study,
    "measured": Measured,
    "metered": Metered,
    "registered": Registered,
    "witnessed": Witnessed,
    "launched": Launched,
    "weighted": Weighted,
    "environed": Environed,
    "tuned": Tuned,
    "confirmed": Confirmed,
}


def catalogue(module: ModuleType) -> list[Callable]:
    """The entries of the catalogue of damage in a module of tests: functions marked with `pytest.mark.damage`, each of
    which damages a good submission and returns exactly the findings that must come, (file, line, code)."""
    marks = {name: getattr(value, "pytestmark", ()) for name, value in vars(module).items() if callable(value)}
    return [getattr(module, name) for name, found in marks.items() if any(m.name == "damage" for m in found)]


def damaged(entry: Callable, folder: Path, **more) -> tuple[Tree, list[tuple[str, int, str]]]:
    """The submission that an entry of the catalogue has damaged, and what must be found in it."""
    names = inspect.signature(entry).parameters
    (name,) = names.keys() & STARTS.keys()
    tree = STARTS[name](folder)
    return tree, entry(**{n: tree if n == name else more[n] for n in names})
