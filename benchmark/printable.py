"""Make names and values that strangers wrote safe to print on a terminal."""


def printable(text: str) -> str:
    """Return `text` on one line, with control and reordering characters and lone surrogates escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
