"""What the rules say of the settings of runs: `settings` in limits.yaml, of every benchmark and of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.config import build
from rules.key import Key

LIMITS = {"kind", "min", "above", "max", "below", "choices", "equals"}
ANY = Key()


@dataclass(frozen=True)
class Setting:
    """A setting of runs, a field of `hyperparameters`. The open division leaves every setting free, but for what a key
    of the log asks for in both divisions."""

    machine: bool = False  # it changes how a machine computes, and not what is trained
    limits: Key | None = None  # in the closed division, where it has limits of its own
    key: Key | None = None  # of the log, which repeats it: that key's limits are the setting's

    def within(self, division: str) -> Key:
        """What it must be in a division."""
        if division == "closed":
            return self.limits or self.key or ANY
        return self.key if self.key and not self.key.closed else ANY


def settings_of(
    values: Mapping[str, Any], keys: Mapping[str, Key], configured: Mapping[str, str], where: str
) -> dict[str, Setting]:
    """The settings that `values` say by name: machine, free, key, or limits. `keys` are the log's, `configured` says
    which of them repeat a setting. Raises ValueError, opened by `where`, where a setting's limits are stated nowhere or
    twice."""
    repeated = {name: keys[key] for key, name in configured.items() if key in keys}
    return {name: _setting(value, repeated.get(name), f"{where}: settings.{name}") for name, value in values.items()}


def _setting(value: Any, key: Key | None, where: str) -> Setting:
    closed = key is not None and key.closed
    if closed != (value == "key"):
        wanted = "key, as a key of the log that repeats it" if closed else "no key, as none of the log that repeats it"
        raise ValueError(f"{where}: found {value!r}, wanted {wanted} has limits of the closed division")
    if value in ("machine", "free", "key"):
        return Setting(value == "machine", key=key)
    if not isinstance(value, dict) or not value or not value.keys() <= LIMITS:
        raise ValueError(f"{where}: found {value!r}, wanted machine, free, key or limits: {', '.join(sorted(LIMITS))}")
    return Setting(limits=build(Key, value, where), key=key)
