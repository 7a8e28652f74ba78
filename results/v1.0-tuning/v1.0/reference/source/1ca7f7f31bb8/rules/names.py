"""Names of organisations and systems, as they are compared."""


def same_name(a: object, b: object) -> bool:
    """Whether two names are the same but for case, spaces and punctuation."""
    return folded(a) == folded(b)


def folded(name: object) -> str:
    """A name without what does not tell it from others: case, spaces and punctuation."""
    return "".join(c for c in str(name).casefold() if c.isalnum())
