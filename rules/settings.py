"""The rules on the settings that define what a run trains: `settings` in limits.yaml, for all benchmarks and for each.

Settings of the machine, which change how it computes, are not among them: logs name those themselves."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.config import build
from rules.key import Key

LIMITS = {"kind", "min", "above", "max", "below", "choices", "equals"}
ANY = Key()


@dataclass(frozen=True)
class Setting:
    """A setting of runs, a field of `hyperparameters`. In the open division every setting is free, except for limits of
    a log's key that apply in both divisions."""

    limits: Key | None = None  # its own limits in the closed division
    key: Key | None = None  # the log's key that repeats it, whose limits apply
    optional: bool = False  # whether a log may leave it out

    def within(self, division: str) -> Key:
        """Return what it must be in a division."""
        if division == "closed":
            return self.limits or self.key or ANY
        return self.key if self.key and not self.key.closed else ANY


def settings_of(
    values: Mapping[str, Any], keys: Mapping[str, Key], configured: Mapping[str, str], where: str
) -> dict[str, Setting]:
    """Parse settings by name; a value is free, key, or limits. `keys` are the log's; `configured` maps those
    that repeat a setting to it. Raises ValueError, which begins with `where`, if limits are stated twice or nowhere."""
    repeated = {name: keys[key] for key, name in configured.items() if key in keys}
    return {name: _setting(value, repeated.get(name), f"{where}: settings.{name}") for name, value in values.items()}


def _setting(value: Any, key: Key | None, where: str) -> Setting:
    closed = key is not None and key.closed
    if closed != (value == "key"):
        wanted = "key, as a key of the log that repeats it" if closed else "no key, as none of the log that repeats it"
        raise ValueError(f"{where}: found {value!r}, wanted {wanted} has limits of the closed division")
    if value in ("free", "key"):
        return Setting(key=key)
    if isinstance(value, dict) and value.get("optional") is True:
        rest = {name: limit for name, limit in value.items() if name != "optional"}
        return dataclasses.replace(_setting(rest, key, where), optional=True)
    if not isinstance(value, dict) or not value or not value.keys() <= LIMITS:
        raise ValueError(f"{where}: found {value!r}, wanted free, key or limits: {', '.join(sorted(LIMITS))}")
    return Setting(limits=build(Key, value, where), key=key)
