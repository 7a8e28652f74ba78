"""An edition that is based on another one: what its limits.yaml says, on top of the other's."""

from typing import Any

from benchmark.config import suggest


def patched(base: dict[str, Any], changes: dict[str, Any], where: str) -> dict[str, Any]:
    """`base` with `changes` on top, as in JSON Merge Patch (RFC 7396): mappings entry by entry, null takes an entry
    away, all else replaces what was there.

    `where` opens every message. Raises ValueError for a change that changes nothing: each number is written once.
    """
    result = dict(base)
    for name, value in changes.items():
        at = f"{where}: {name}"
        if value is None:
            if name not in base:
                raise ValueError(f"{at}: found null, wanted something to take away{suggest(str(name), base)}")
            del result[name]
        elif isinstance(value, dict) and isinstance(base.get(name), dict):
            result[name] = patched(base[name], value, at)
        elif name in base and base[name] == value:
            raise ValueError(f"{at}: found {value!r}, which the edition that it is based on says already")
        else:
            result[name] = value
    return result
