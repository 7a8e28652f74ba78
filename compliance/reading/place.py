"""The surroundings of a set of runs."""

from dataclasses import dataclass
from typing import Any

from compliance.finding import Fault
from compliance.reading.files import Description
from compliance.reading.ledger import SetLedger
from compliance.reading.rounds import RoundRegistry
from compliance.reading.tree import Set, Submission


@dataclass(frozen=True)
class SetPlace:
    """The surroundings of a set, for its checks: names of folders, submission, description of the system, registry of
    the round, launch ledger."""

    runs: Set
    submission: Submission | None
    description: Description | None
    registry: RoundRegistry | None = None
    ledger: SetLedger | None = None

    @property
    def described(self) -> dict[str, Any]:
        """The fields of the system description, {} without one."""
        return (self.description.data or {}) if self.description else {}

    def fault_of(self, name: str, value: str, wanted: str) -> Fault:
        """Return a fault of a field of the system description, with its value in words, at its line. The files around a
        set that is given by itself get no findings, so that the set has it."""
        if self.submission is None or self.description is None:
            return Fault(1, f"{name} {value} in the system description", wanted)
        line = self.description.line_of(name)
        return self.submission.fault(self.description.parts, f"{name} {value}", wanted, line)
