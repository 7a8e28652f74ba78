"""Compare names of organisations and systems."""


def same_name(a: object, b: object) -> bool:
    """Return whether two names are equal apart from case, spaces and punctuation."""
    return folded(a) == folded(b)


def folded(name: object) -> str:
    """Return a name without case, spaces and punctuation."""
    return "".join(c for c in str(name).casefold() if c.isalnum())
