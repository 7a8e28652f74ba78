"""Writing to whoever started a command: what it prints, and what it says beside it."""

import os
import sys

from compliance.safe import printable


def put(text: str) -> None:
    """Write text to stdout. A reader who has seen enough and gone is fine; raises OSError where there is no stdout, or
    no room."""
    if sys.stdout is None:  # it was closed before the start
        raise OSError("stdout: found it closed, wanted a place to write to")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may know fewer letters than a name has
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left has nowhere to go at the end
        if not isinstance(error, BrokenPipeError):
            raise OSError(f"stdout: cannot be written: {error.strerror}") from None


def tell(line: str) -> None:
    """Say something on stderr, if there is one."""
    if sys.stderr is not None:
        print(printable(line), file=sys.stderr)
