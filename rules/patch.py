"""Merge the limits.yaml of an edition into that of the edition on which it is based."""

from typing import Any

from benchmark.config import suggest


def patched(base: dict[str, Any], changes: dict[str, Any], where: str) -> dict[str, Any]:
    """Return `base` with `changes` by JSON Merge Patch (RFC 7396): mappings are merged entry by entry, null removes an
    entry, and anything else replaces it.

    Raises ValueError, which begins with `where`, for a change that has no effect: each number is written once.
    """
    result = dict(base)
    for name, value in changes.items():
        at = f"{where}: {name}"
        if value is None:
            if name not in base:
                raise ValueError(f"{at}: found null, wanted an entry that can be removed{suggest(str(name), base)}")
            del result[name]
        elif isinstance(value, dict) and isinstance(base.get(name), dict):
            result[name] = patched(base[name], value, at)
        elif name in base and base[name] == value:
            raise ValueError(f"{at}: found {value!r}, which the edition that it is based on says already")
        else:
            result[name] = value
    return result
