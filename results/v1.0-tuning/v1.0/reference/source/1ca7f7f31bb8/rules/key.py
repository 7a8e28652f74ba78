"""What the rules ask of a value: of a key of a log, or of a setting of a run."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Key:
    """What a log says under one key. Everything None isn't asked for."""

    kind: str | None = None  # int, number, string, bool, list, object
    required: bool = False
    closed: bool = False  # the limits below bind in the closed division alone
    min: float | None = None
    above: float | None = None
    max: float | None = None
    below: float | None = None
    choices: tuple[Any, ...] | None = None
    equals: Any = None
    close: float | None = None  # equal to a relative 1e-9
    length: int | None = None
    many: bool = False  # may be logged more than once
    only_if: tuple[tuple[str, Any], ...] = ()  # required only where these keys have these values

    @property
    def fixed(self) -> bool:
        """Whether it leaves one value."""
        return self.equals is not None or self.close is not None or len(self.choices or ()) == 1

    @property
    def words(self) -> str:
        """The values that it leaves, for a table: "0.9", "adam, sgd", "from 0 to 0.5"; "" where any is left."""
        if self.fixed:
            return plain(self.choices[0] if self.choices else self.close if self.equals is None else self.equals)
        if self.choices is not None:
            return ", ".join(map(plain, self.choices))
        if self.length is not None:
            return f"{self.length} values"
        signs = {"from": self.min, "above": self.above, "to": self.max, "below": self.below}
        return " ".join(f"{word} {plain(limit)}" for word, limit in signs.items() if limit is not None)


def plain(value: Any) -> str:
    """A value as a config has it: numbers short, true, null, lists in brackets."""
    if value is None or type(value) is bool:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(plain, value))}]"
    return f"{value:g}" if type(value) is float else str(value)
