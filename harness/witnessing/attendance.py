"""Attend the runs that a command makes: one thread for each run tells the round's witness what it does."""

import os
import sys
import threading
from pathlib import Path

from benchmark.tree import receipts_path
from harness.witnessing.telling import TOKEN, Ask, ask, attend, tell_start
from rules.registry import Request


class Attendance:
    """What is told of the runs of a set. `request` is what they are; `metric` is the key of their evaluations."""

    def __init__(self, tell: Ask, request: Request, metric: str):
        self.tell, self.request, self.metric = tell, request, metric
        self.attended: dict[Path, tuple[threading.Event, threading.Thread]] = {}

    def begin(self, log: Path) -> list[str]:
        """Tell the start of a run, unless it is one that is resumed, and attend it from now on. Return the options by
        which it takes its seed from the receipt. Raises OSError or ValueError where the start can't be told."""
        if not log.exists():
            receipts_path(log).unlink(missing_ok=True)  # of a start that never wrote a log; the witness knows of it
            tell_start(self.tell, self.request, log)
        over = threading.Event()
        thread = threading.Thread(target=self._attend, args=(log, over), daemon=True)
        self.attended[log] = over, thread
        thread.start()
        return ["--registry", str(receipts_path(log)), "--entry", "1"]

    def end(self, log: Path) -> None:
        """Wait until what a run did is told, which takes no longer than `attend` has patience."""
        over, thread = self.attended.pop(log)
        over.set()
        thread.join()

    def _attend(self, log: Path, over: threading.Event) -> None:
        try:
            attend(self.tell, log, self.metric, over.is_set)
        except (OSError, ValueError) as error:
            again = "tell the rest by harness/witness.py tell LOG"
            print(f"{log.stem}: the witness was not told everything: {error}; {again}", file=sys.stderr, flush=True)


def attendance(where: str, request: Request, metric: str) -> Attendance:
    """Return the attendance of a set of runs by the witness at an address. Raises ValueError without a token."""
    if not (token := os.environ.get(TOKEN)):
        raise ValueError(f"--witness: found no {TOKEN} in the environment, wanted the token that the organisers gave")
    return Attendance(ask(where, token), request, metric)
