"""How a set of runs stands with the checker: the findings that concern it, and whether they leave it its figure."""

from collections.abc import Iterable
from dataclasses import dataclass

from compliance.finding import Finding, counted, errors, sort_key
from compliance.verdict import LogVerdict, SetVerdict


@dataclass(frozen=True)
class Standing:
    """`findings` concern the set: its logs, its folder, the system and the source that it ran on. `aside` are those in
    pruned logs: a throughput does not rest on these, and what is wrong there (mostly, that a run was given up
    half-way) takes no number away."""

    findings: tuple[Finding, ...] = ()
    aside: tuple[Finding, ...] = ()
    alone: bool = False  # given without its submission: nobody looked at source, description and the rest
    judged: bool = True

    @property
    def errors(self) -> list[Finding]:
        """Errors that no waiver covers, but for those in pruned logs."""
        return errors(self.findings)

    @property
    def pruned_errors(self) -> list[Finding]:
        """Errors in pruned logs that no waiver covers."""
        return errors(self.aside)

    @property
    def reviews(self) -> list[Finding]:
        """What a person must look at, and none has."""
        return [f for f in self.findings if f.severity == "review" and not f.waived]

    @property
    def waived(self) -> list[Finding]:
        """What a waiver covers that would otherwise be an error, or for a person to look at."""
        return [f for f in self.everything if f.waived and f.severity in ("error", "review")]

    @property
    def everything(self) -> tuple[Finding, ...]:
        """All findings, those in pruned logs last."""
        return (*self.findings, *self.aside)

    @property
    def objection(self) -> str | None:
        """Why no number stands, None where one does."""
        if not self.errors:
            return None
        which = f"{len(self.errors)} errors, the first: " if len(self.errors) > 1 else ""
        return f"not in order: {which}{self.errors[0].code} {self.errors[0].message()}"

    @property
    def word(self) -> str:
        """A word for a table."""
        waived = f"{len(self.waived)} waived" if self.waived else ""
        if self.errors:
            said = counted(len(self.errors), "error")
        elif self.reviews:
            said = "review"
        elif self.pruned_errors:
            said = counted(len(self.pruned_errors), "pruned error")
        elif not self.judged:
            said = "not judged"
        else:
            return waived or ("clean as a set" if self.alone else "clean")
        return f"{said}, {waived}" if waived else said


def standing(runs: SetVerdict, logs: Iterable[LogVerdict]) -> Standing:
    """The standing of a set, or of some of its logs: each finding once, in the order of their places."""
    logs = list(logs)
    live = (f for log in logs if not log.run.pruned for f in log.findings)
    aside = (f for log in logs if log.run.pruned for f in log.findings)
    found = ordered((*runs.about, *runs.findings, *live))
    return Standing(found, ordered(aside), not runs.submission, not runs.unjudged)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each once, by place."""
    return tuple(sorted(dict.fromkeys(findings), key=sort_key))
