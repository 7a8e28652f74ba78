"""What the rules require of a value: of a key of a log, or of a setting of a run."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Key:
    """What the rules require of one key. None is no requirement."""

    kind: str | None = None  # int, number, string, bool, list, object
    required: bool = False
    closed: bool = False  # whether the limits below apply in the closed division only
    min: float | None = None
    above: float | None = None
    max: float | None = None
    below: float | None = None
    choices: tuple[Any, ...] | None = None
    equals: Any = None
    close: float | None = None  # equal within a relative 1e-9
    length: int | None = None
    many: bool = False  # whether it may be logged more than once
    only_if: tuple[tuple[str, Any], ...] = ()  # required only if these keys have these values

    @property
    def fixed(self) -> bool:
        """Whether it allows a single value."""
        return self.equals is not None or self.close is not None or len(self.choices or ()) == 1

    @property
    def only(self) -> Any:
        """The single value that it allows, if it is fixed."""
        return self.choices[0] if self.choices else self.close if self.equals is None else self.equals

    @property
    def words(self) -> str:
        """The allowed values, for a table: "0.9", "adam, sgd", "from 0 to 0.5"; "" if any is allowed."""
        if self.fixed:
            return plain(self.only)
        if self.choices is not None:
            return ", ".join(map(plain, self.choices))
        if self.length is not None:
            return f"{self.length} values"
        signs = {"from": self.min, "above": self.above, "to": self.max, "below": self.below}
        return " ".join(f"{word} {plain(limit)}" for word, limit in signs.items() if limit is not None)


def plain(value: Any) -> str:
    """Return a value as a config has it: short numbers, true, null, lists in brackets."""
    if value is None or type(value) is bool:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(plain, value))}]"
    return f"{value:g}" if type(value) is float else str(value)
