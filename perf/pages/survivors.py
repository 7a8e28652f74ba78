"""The page of the changes that no test notices, each with its reason."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmark.config import read_yaml

LISTED = Path(__file__).resolve().parents[2] / "tests" / "survivors.yaml"
INTRO = """# Survivors

No test notices these changes of an operator or a number. Above each is the reason. [Mutants](/docs/mutants.md) says how
they were found; the list itself is [tests/survivors.yaml](/tests/survivors.yaml).

"""


def page() -> str:
    """The Markdown of the survivors, by module."""
    return INTRO + "\n".join(section(path, entries) for path, entries in read_yaml(LISTED).items())


def section(path: str, entries: Sequence[Mapping[str, str]]) -> str:
    """A module's survivors. Those of one reason in one function stand together."""
    together: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for entry in entries:
        together.setdefault((entry["in"], entry["why"]), []).append(entry)
    parts = [f"## {path}\n"]
    for (inside, why), changes in together.items():
        lines = [f"- {change['before']}\n+ {change['after']}" for change in changes]
        parts += [f"`{inside}`: {why}\n", "```diff", *lines, "```\n"]
    return "\n".join(parts)
