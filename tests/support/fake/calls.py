"""The implementation that learns nothing: what it is told to do, and what it notes of its starts."""

import json
from dataclasses import dataclass
from pathlib import Path

FAKE = Path(__file__).parent  # its folder


@dataclass(frozen=True)
class Calls:
    """A folder with its files ACTS and CALLS."""

    folder: Path

    def acts(self, *words: str) -> None:
        """What the next runs do."""
        (self.folder / "ACTS").write_text("\n".join(words))

    def starts(self) -> list[dict]:
        """What was started since the last call: options, and variables."""
        path = self.folder / "CALLS"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [json.loads(line) for line in lines]

    def runs(self) -> list[str]:
        """The names of the logs of runs that were started since the last call."""
        options = [start["options"] for start in self.starts()]
        return [Path(words[words.index("--log") + 1]).name for words in options]
