"""Text that a terminal obeys in nothing, for names and values that others wrote."""


def printable(text: str) -> str:
    """`text` on one line: controls, marks that reorder text, odd separators and lone surrogates are escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
