"""Make what strangers wrote safe to print on a terminal, and say why it cannot be read."""

import re

# Letters and marks that are shown as nothing, by which two names look alike: Python calls them printable
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def printable(text: str) -> str:
    """Return `text` on one line, with control, reordering and invisible characters and lone surrogates escaped."""
    if text.isprintable() and not INVISIBLE.search(text):
        return text
    return "".join(c if c.isprintable() and not INVISIBLE.match(c) else escaped(c) for c in text)


def escaped(character: str) -> str:
    """Return Python's escape of a character."""
    return character.encode("unicode_escape", "surrogatepass").decode()


def reason(error: Exception) -> str:
    """Return why a text could not be parsed. What is nested too deeply gets the same words from every Python."""
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)
