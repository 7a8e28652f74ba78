"""Complete a system description with what people wrote in their implementation's systems/*.json."""

import difflib
import json
from collections.abc import Mapping
from pathlib import Path

TEMPLATE = "template.json"


def filled_in(folder: Path, system: str, fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a system description, with those that people filled in for that system, or for all systems.
    Raises ValueError for a file that is no description, and for an unknown field."""
    files = (folder / f"{system}.json", folder / TEMPLATE)
    path = next((path for path in files if path.is_file()), None)
    if path is None:
        return dict(fields)
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: found no JSON ({error!s:.80}), wanted fields of a system description") from None
    if not isinstance(told, dict):
        raise ValueError(f"{path}: found a {type(told).__name__}, wanted an object with fields of a system description")
    for name in told:
        if name not in fields:
            near = difflib.get_close_matches(name, fields, 1)
            wanted = f"did you mean {near[0]!r}?" if near else "wanted one of those that submit.py writes"
            raise ValueError(f"{path}: found the field {name!r:.80}, {wanted}")
    return {**fields, **{name: value for name, value in told.items() if value not in ("", None)}}
