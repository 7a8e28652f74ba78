"""How the scripts of this folder end."""

import functools
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def want(least: float, **options: float) -> None:
    """Raise ValueError for an option that is not a number, or less than `least`."""
    for name, found in options.items():
        if not least <= found < math.inf:
            raise ValueError(f"--{name.replace('_', '-')}: found {found}, wanted at least {least}")


def script(main: Callable[[Sequence[str] | None], int | None]) -> Callable[..., int]:
    """A script's `main`, which parses the arguments. It returns the exit code: 2, after a line on stderr, for OSError
    and ValueError; otherwise what it returned, 0 for None. A closed pipe ends it without a line."""

    @functools.wraps(main)
    def run(arguments: Sequence[str] | None = None) -> int:
        try:
            code = main(arguments) or 0
            print(end="", flush=True)
            return code
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left has nowhere to go at the end
            return 2
        except (OSError, ValueError) as error:
            print(f"{Path(main.__code__.co_filename).name}: {error}", file=sys.stderr)
            return 2

    return run
