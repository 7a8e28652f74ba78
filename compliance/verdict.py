"""What judging gives: verdicts on logs, sets and submissions, and every finding. Results are made from nothing else."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from compliance.checklist import Checklist
from compliance.finding import Finding, errors
from compliance.reading.run import Run

NOT_CONVERGED = "EVL07"  # forgiven within limits: such a run counts as infinite
NO_STOP = ("CLK01", "no run_stop")  # code and what was found: a log that breaks off


@dataclass(frozen=True)
class LogVerdict:
    """A judged log, with the findings at its place."""

    run: Run
    findings: tuple[Finding, ...]
    edition: str = ""

    @property
    def in_order(self) -> bool:
        """Whether the log has no error. A run that only failed to converge is in order: it counts as infinite."""
        return all(f.code == NOT_CONVERGED for f in errors(self.findings))


@dataclass(frozen=True)
class SetVerdict:
    """A judged set of runs. `findings` are those of the folder; its logs have their own. `round`, `org`, `system`,
    `scaling` and `benchmark` are the names of its folders, "" where they don't say."""

    path: str  # as findings call it
    folder: Path
    round: str
    org: str
    system: str
    scaling: str
    benchmark: str
    edition: str
    logs: tuple[LogVerdict, ...]
    findings: tuple[Finding, ...]
    required: int | None = None  # runs that the rules want; None where they know no such benchmark
    description: dict[str, Any] = field(default_factory=dict)  # of the system, as it stands
    submission: str = ""  # what findings call the submission; "" where the set was judged by itself
    unjudged: str = ""  # why it wasn't judged by all the rules, and so can have no figure
    about: tuple[Finding, ...] = ()  # what was found outside the set and concerns it: description, source
    reviewed: str = ""  # what reviewers have said of its submission, in words; "" where nobody was asked
    campaign: str = ""  # of tuning, whose trials these are, or, if it is a `confirmation`, whose confirmation runs
    confirmation: bool = False

    @property
    def in_order(self) -> bool:
        """Whether neither the set nor one of its logs has an error."""
        return not errors(self.findings) and all(log.in_order for log in self.logs)


@dataclass(frozen=True)
class SubmissionVerdict:
    """A judged submission. `findings` are those outside its sets: source, system descriptions, layout, logs that belong
    to no set."""

    path: str
    org: str
    edition: str
    sets: tuple[SetVerdict, ...]
    findings: tuple[Finding, ...]
    source: str = ""  # whether it is the reference's; "" where the edition's rules do not ask
    checklist: Checklist | None = None  # what reviewers have said, where their file was given

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

    def with_findings(self, marked: dict[Finding, Finding]) -> "Verdict":
        """The same with some findings replaced, wherever they stand: waived ones."""

        def of(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
            return tuple(marked.get(f, f) for f in findings)

        def log(v: LogVerdict) -> LogVerdict:
            return replace(v, findings=of(v.findings))

        def runs(v: SetVerdict) -> SetVerdict:
            logs = tuple(map(log, v.logs))
            return replace(v, logs=logs, findings=of(v.findings), about=of(v.about))

        def submission(v: SubmissionVerdict) -> SubmissionVerdict:
            return replace(v, sets=tuple(map(runs, v.sets)), findings=of(v.findings))

        return replace(
            self,
            submissions=tuple(map(submission, self.submissions)),
            sets=tuple(map(runs, self.sets)),
            logs=tuple(map(log, self.logs)),
            findings=of(self.findings),
        )
