"""Write a command's output to stdout, and its messages and progress to stderr."""

import os
import sys
from collections.abc import Callable

from compliance.safe import printable


def put(text: str) -> None:
    """Write text to stdout. A closed pipe is no error. Raises OSError if stdout is closed or the disk is full."""
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
    """Write a line to stderr, if there is one."""
    if sys.stderr is not None:
        print(printable(line), file=sys.stderr)


def progress() -> Callable[[int, int], None] | None:
    """Return a function that shows on stderr how many of all logs are done, None if stderr is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        if done % 16 == 0 or done == total:
            line = f"{done} of {total} logs" if done < total else f"{' ' * 40}\r"
            print(f"\r{line}", end="", file=sys.stderr, flush=True)

    return show
