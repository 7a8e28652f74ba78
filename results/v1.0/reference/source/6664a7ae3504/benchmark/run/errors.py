"""The errors that end a run early, and their reasons."""


class Aborted(Exception):
    """The run cannot or must not go on. The text says why. All ranks raise it together. Exit code 1."""


class WrongData(Exception):
    """The dataset is not the problem's. The text names the file, what was found and what was wanted. Exit code 2."""

    def __init__(self, reason: str, everywhere: bool = False):
        super().__init__(reason)
        self.everywhere = everywhere  # whether all ranks raise it together


class OutOfOrder(RuntimeError):
    """An implementation logs an event where it does not belong: a mistake of the program."""


def reason(error: BaseException) -> str:
    """Return in one line why something cannot be read or written."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename2 or error.filename or ''}: {error.strerror}".removeprefix(": ")
    return str(error).partition("\n")[0] or repr(error)
