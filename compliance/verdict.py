"""The checker's verdicts on logs, sets and submissions. Results are computed from these alone."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from compliance.finding import Finding, ancestors, errors
from compliance.reading.run import Run

NOT_CONVERGED = "EVL07"  # forgiven within limits: such a run counts as infinite


@dataclass(frozen=True)
class LogVerdict:
    """A judged log, with the findings at its place."""

    run: Run
    findings: tuple[Finding, ...]
    edition: str = ""
    seconds: float = field(default=0.0, compare=False)  # that judging it took


@dataclass(frozen=True)
class SetVerdict:
    """A judged set of runs. `findings` are those on the folder; its logs have their own. `round`, `org`, `system`,
    `scaling` and `benchmark` come from the names of its folders, "" if they don't say."""

    path: str  # as findings give it
    folder: Path
    round: str
    org: str
    system: str
    scaling: str
    benchmark: str
    edition: str
    logs: tuple[LogVerdict, ...]
    findings: tuple[Finding, ...]
    required: int | None = None  # number of runs by the rules; None for an unknown benchmark
    description: dict[str, Any] = field(default_factory=dict)  # the system's, as submitted
    submission: str = ""  # path of the submission; "" for a set given by itself
    unjudged: str = ""  # why it was not judged by all rules, and so has no figure; "" if it was
    about: tuple[Finding, ...] = ()  # findings outside the set that concern it: on description and source
    reviewed: str = ""  # the state of the submission's reviews in words; "" without a file of reviews
    campaign: str = ""  # the campaign of tuning to which the runs belong, "" for none
    confirmation: bool = False  # whether they confirm its winner; else they are its trials


@dataclass(frozen=True)
class SubmissionVerdict:
    """A judged submission. `findings` are those outside its sets: on source, system descriptions, layout, and logs in
    no set."""

    path: str
    org: str
    edition: str
    sets: tuple[SetVerdict, ...]
    findings: tuple[Finding, ...]
    source: str = ""  # whether it is the reference's; "" if the edition's rules do not ask

    def everything(self) -> list[Finding]:
        """Return the findings of the submission, its sets and their logs."""
        inner = [f for s in self.sets for f in (*s.findings, *(f for log in s.logs for f in log.findings))]
        return [*self.findings, *inner]


@dataclass(frozen=True)
class Verdict:
    """All that was judged. `findings` holds every finding in the order of places; `missed` holds (path, why) of what
    could not be judged."""

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
        """The number of judged logs."""
        return sum(len(s.logs) for s in self.all_sets) + len(self.logs)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 errors found, 2 could not be checked (or there was nothing to check)."""
        if errors(self.findings):
            return 1
        return 2 if self.missed or not (self.looked or self.submissions) else 0

    def of(self, paths: Iterable[str]) -> "Verdict":
        """Return the part on what lies at or below one of the paths."""
        wanted = {path.rstrip("/") for path in paths}

        def has(path: str) -> bool:
            return not wanted.isdisjoint(ancestors(path))

        return replace(
            self,
            submissions=tuple(s for s in self.submissions if has(s.path)),
            sets=tuple(s for s in self.sets if has(s.path)),
            logs=tuple(log for log in self.logs if has(log.run.path)),
            findings=tuple(f for f in self.findings if has(f.path)),
            missed=tuple((path, why) for path, why in self.missed if has(path)),
        )
