"""How the scripts of this folder end."""

import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def script(main: Callable[[Sequence[str] | None], int | None]) -> Callable[..., int]:
    """A script's `main`, which parses the arguments. It returns the exit code: 2, after a line on stderr, for OSError
    and ValueError; otherwise what it returned, 0 for None."""

    @functools.wraps(main)
    def run(arguments: Sequence[str] | None = None) -> int:
        try:
            return main(arguments) or 0
        except (OSError, ValueError) as error:
            print(f"{Path(main.__code__.co_filename).name}: {error}", file=sys.stderr)
            return 2

    return run
