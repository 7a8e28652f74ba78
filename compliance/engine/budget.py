"""The limits of time and memory for judging one submission.

A submission that exceeds them counts as not judged; the report names it and what was left. Other submissions are judged
as usual. reading/discovery.py limits the bytes before any file is opened, which bounds each step. Time and memory are
added up from step to step.
"""

import time
from dataclasses import dataclass, field

SECONDS = 600.0  # for one submission: the largest of MLPerf HPC takes 1 s, the most source that is parsed 6 s
KEPT = 512 << 20  # bytes kept of a submission's logs until all are judged: usually 20 KiB a log
OF_A_FINDING = 1200  # bytes that a finding takes, as measured


class Spent(Exception):
    """The budget of a submission is used up."""


@dataclass
class Account:
    """The cost so far of a submission, or of a set or log given by itself."""

    logs: int  # in all
    most: float = SECONDS  # seconds that judging may take
    seconds: float = 0.0
    kept: int = 0  # bytes
    judged: int = 0  # logs
    spent: str = ""  # which limit was exceeded, and what was left unjudged; "" within the limits
    _since: float = field(default_factory=time.monotonic)

    def charge(self, seconds: float, kept: int, name: str) -> None:
        """Add the seconds and bytes of the log `name`. Sets `spent` if this exceeds a limit."""
        self.seconds, self.kept, self.judged = self.seconds + seconds, self.kept + kept, self.judged + 1
        left = f"left: {self.logs - self.judged} of {self.logs} logs, those after {name}, and all that they are part of"
        if self.seconds > self.most:
            self.spent = f"judging it took more than {self.most:g} s; {left}"
        elif self.kept > KEPT:
            self.spent = f"what its logs say takes more than {KEPT >> 20} MiB; {left}"

    def begin(self) -> None:
        """Start the clock for judging the submission as a whole."""
        self._since = time.monotonic()

    def look(self, at: str) -> None:
        """Raise Spent if the time is up. `at` is the code of the rule that is being checked."""
        if self.seconds + time.monotonic() - self._since > self.most:
            self.spent = f"judging it took more than {self.most:g} s; left: the rules from {at} on"
            raise Spent(self.spent)
