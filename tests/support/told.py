"""What entrants tell a witness, and logs that they tell of."""

from dataclasses import asdict
from pathlib import Path

from rules.registry import Request, canonical
from rules.witness import Start
from tests.support.lines import line

REQUEST = Request("acme", "box", "scaffold", "smoke", "a" * 64, "b" * 64)
START = Start(**asdict(REQUEST), run="1" * 32, log="result_0.txt")
TEXT = canonical(asdict(START))


def write(log: Path, *keys: str) -> None:
    """Append events to a log."""
    with log.open("a") as file:
        file.writelines(map(line, keys))
