"""What judging gives: verdicts on logs, sets and submissions, and every finding."""

from dataclasses import dataclass

from compliance.facts import Facts
from compliance.finding import Finding

NOT_CONVERGED = "EVL07"  # forgiven within limits: such a run counts as infinite
NO_STOP = ("CLK01", "no run_stop")  # code and what was found: a log that breaks off


def errors(findings: tuple[Finding, ...]) -> list[Finding]:
    """The errors among findings that no waiver covers."""
    return [f for f in findings if f.severity == "error" and not f.waived]


@dataclass(frozen=True)
class LogVerdict:
    """A judged log, with the findings at its place."""

    facts: Facts
    findings: tuple[Finding, ...]
    edition: str = ""

    @property
    def in_order(self) -> bool:
        """Whether the log has no error. A run that only failed to converge is in order: it counts as infinite."""
        return all(f.code == NOT_CONVERGED for f in errors(self.findings))


@dataclass(frozen=True)
class SetVerdict:
    """A judged set of runs. `findings` are those of the folder; its logs have their own."""

    path: str
    system: str
    scaling: str
    benchmark: str
    edition: str
    logs: tuple[LogVerdict, ...]
    findings: tuple[Finding, ...]

    @property
    def in_order(self) -> bool:
        """Whether neither the set nor one of its logs has an error."""
        return not errors(self.findings) and all(log.in_order for log in self.logs)


@dataclass(frozen=True)
class SubmissionVerdict:
    """A judged submission. `findings` are those outside its sets: source, system descriptions, layout."""

    path: str
    org: str
    edition: str
    sets: tuple[SetVerdict, ...]
    findings: tuple[Finding, ...]

    @property
    def in_order(self) -> bool:
        """Whether nothing in the submission has an error."""
        return not errors(self.findings) and all(s.in_order for s in self.sets)

    def everything(self) -> list[Finding]:
        """The findings of the submission, its sets and their logs."""
        inner = [f for s in self.sets for f in (*s.findings, *(f for log in s.logs for f in log.findings))]
        return [*self.findings, *inner]


@dataclass(frozen=True)
class Verdict:
    """All that was judged. `findings` holds every finding in the order of places; `missed` (path, why) what
    couldn't be looked at."""

    submissions: tuple[SubmissionVerdict, ...]
    sets: tuple[SetVerdict, ...]  # given by themselves
    logs: tuple[LogVerdict, ...]  # given by themselves
    findings: tuple[Finding, ...]
    missed: tuple[tuple[str, str], ...]
    editions: tuple[str, ...]

    @property
    def all_sets(self) -> tuple[SetVerdict, ...]:
        """Every set, of submissions and given by itself."""
        return (*(s for sub in self.submissions for s in sub.sets), *self.sets)

    @property
    def looked(self) -> int:
        """How many logs were judged."""
        return sum(len(s.logs) for s in self.all_sets) + len(self.logs)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 errors found, 2 could not look (or there was nothing to look at)."""
        return self.exit_with(self.findings)

    def exit_with(self, findings: tuple[Finding, ...]) -> int:
        """The exit code if these were the findings (some ignored, some waived)."""
        if errors(findings):
            return 1
        return 2 if self.missed or not (self.looked or self.submissions) else 0
