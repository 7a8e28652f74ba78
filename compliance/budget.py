"""What judging one submission may cost. A submission that needs more has not been looked at: that is said, with what
was left, and the others are judged as ever.

Its bytes are limited before any file is opened (reading/discovery.py), so that the cost of each step is; time and
memory are added up from step to step.
"""

import time
from dataclasses import dataclass, field

SECONDS = 600.0  # for one submission: the largest of MLPerf HPC's rounds takes 1, and the most source that is parsed 6
KEPT = 512 << 20  # bytes kept of a submission's logs until all are judged: an honest log has some 20 KiB, at most 2 MiB


class Spent(Exception):
    """The budget of a submission is used up."""


@dataclass
class Account:
    """What a submission, or a set or a log given by itself, has cost so far; `most` in seconds. `spent`: what was used
    up, and what was left; "" as long as there is some of all."""

    logs: int
    most: float = SECONDS
    seconds: float = 0.0
    kept: int = 0
    judged: int = 0  # logs
    spent: str = ""
    _since: float = field(default_factory=time.monotonic)

    def charge(self, seconds: float, kept: int, name: str) -> None:
        """Add what a log cost. What it was called is said where the budget ends with it."""
        self.seconds, self.kept, self.judged = self.seconds + seconds, self.kept + kept, self.judged + 1
        left = f"left: {self.logs - self.judged} of {self.logs} logs, those after {name}, and all that they are part of"
        if self.seconds > self.most:
            self.spent = f"judging it took more than {self.most:g} s; {left}"
        elif self.kept > KEPT:
            self.spent = f"what its logs say takes more than {KEPT >> 20} MiB; {left}"

    def begin(self) -> None:
        """From here on the clock runs."""
        self._since = time.monotonic()

    def look(self, at: str) -> None:
        """Raises Spent where the time is up in the midst of judging the submission as a whole; `at` is the rule."""
        if self.seconds + time.monotonic() - self._since > self.most:
            self.spent = f"judging it took more than {self.most:g} s; left: the rules from {at} on"
            raise Spent(self.spent)
