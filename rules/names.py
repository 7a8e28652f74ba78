"""Compare names of organisations and systems."""

import unicodedata


def same_name(a: object, b: object) -> bool:
    """Return whether two names are equal apart from case, spaces and punctuation."""
    return folded(a) == folded(b)


def folded(name: object) -> str:
    """Return a name without case, spaces and punctuation, and the same for a letter and its accent as for both in one
    character, as file systems write either."""
    composed = unicodedata.normalize("NFC", str(name))
    return "".join(c for c in composed.casefold() if c.isalnum())
