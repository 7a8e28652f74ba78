"""Right launch ledgers for tests to damage: what runs would have written, for logs that are lists of events."""

import hashlib
from pathlib import Path

from benchmark.ledger import End, Event, Note, Start, line_of
from benchmark.run.files import LEDGER
from benchmark.run.ledger import commitment
from tests.compliance.logs import log_text, logged


def value(events, key):
    """The first value of a key."""
    return next(e["value"] for e in events if e["key"] == key)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def time_of(events, key):
    """The time of the last event of a key."""
    return next(e["time_ms"] for e in reversed(events) if e["key"] == key)


class Campaign:
    """A ledger as it is written, line by line."""

    def __init__(self):
        self.lines: list[bytes] = []

    def add(self, said: Event, time_ms: int) -> int:
        """Another line; its number."""
        previous = sha256(self.lines[-1]) if self.lines else None
        self.lines.append(line_of(len(self.lines) + 1, previous, time_ms, said))
        return len(self.lines)

    def start(self, events, name: str, resumes: int | None = None, time_ms: int | None = None, **other) -> int:
        """The start of the run that a log tells of; its number. `other` are fields that differ."""
        told = {
            "run": name,
            "source": value(events, "source"),
            "config": value(events, "config_digest"),
            "problem": value(events, "problem_digest"),
            "seed_commitment": commitment(value(events, "seed")),
            "resumes": resumes,
        }
        return self.add(Start(**{**told, **other}), time_of(events, "init_stop") if time_ms is None else time_ms)

    def state(self, events, number: int) -> None:
        """Lets a log state the start of that number, just before init_stop, in place of what it stated before."""
        events[:] = [e for e in events if e["key"] != "ledger"]
        at = next(i for i, e in enumerate(events) if e["key"] == "init_stop")
        line = sha256(self.lines[number - 1])
        events.insert(at, logged(events[at]["time_ms"], "ledger", number, line=line))

    def end(self, of: int, text: str, status: str, time_ms: int) -> int:
        """The end of a start, whose log has that text; its number."""
        return self.add(End(of, status, sha256(text.encode())), time_ms)

    def finish(self, of: int, events, text: str) -> int:
        """The end of a start just after its log's run_stop; its number."""
        stop = next(e for e in reversed(events) if e["key"] == "run_stop")
        return self.end(of, text, stop["metadata"]["status"], stop["time_ms"] + 3)

    def note(self, of: int, text: str, time_ms: int) -> int:
        """A note; its number."""
        return self.add(Note(of, text), time_ms)

    def run(self, events, name: str) -> int:
        """A run from its start to its end, stated in its log; the number of its start."""
        number = self.start(events, name)
        self.state(events, number)
        self.finish(number, events, log_text(events))
        return number

    @property
    def text(self) -> bytes:
        """What the file holds."""
        return b"".join(line + b"\n" for line in self.lines)

    def write(self, folder: Path) -> Path:
        """Writes the ledger beside the logs."""
        path = folder / LEDGER
        path.write_bytes(self.text)
        return path
