"""The checker's findings about a set of runs, and whether they leave it a score."""

from collections.abc import Iterable
from dataclasses import dataclass

from compliance.finding import Finding, counted, errors, sort_key
from compliance.verdict import LogVerdict, SetVerdict


@dataclass(frozen=True)
class Standing:
    """The findings about a set: in its logs, its folder, its system description and its source.

    `aside` are the findings in pruned logs. They take no score away, since a throughput does not rest on pruned models.
    """

    findings: tuple[Finding, ...] = ()
    aside: tuple[Finding, ...] = ()
    alone: bool = False  # given without its submission: source, description and the rest were not checked
    judged: bool = True

    @property
    def errors(self) -> list[Finding]:
        """The errors that no waiver covers, without those in pruned logs."""
        return errors(self.findings)

    @property
    def pruned_errors(self) -> list[Finding]:
        """The errors in pruned logs that no waiver covers."""
        return errors(self.aside)

    @property
    def reviews(self) -> list[Finding]:
        """The findings that a person must judge and no waiver covers."""
        return [f for f in self.findings if f.severity == "review" and not f.waived]

    @property
    def waived(self) -> list[Finding]:
        """The errors and findings for a person that a waiver covers."""
        return [f for f in self.everything if f.waived and f.severity in ("error", "review")]

    @property
    def everything(self) -> tuple[Finding, ...]:
        """All findings, those in pruned logs last."""
        return (*self.findings, *self.aside)

    @property
    def objection(self) -> str | None:
        """Why the errors leave the set without score; None without errors."""
        if not self.errors:
            return None
        which = f"{len(self.errors)} errors, the first: " if len(self.errors) > 1 else ""
        return f"failed the check: {which}{self.errors[0].code} {self.errors[0].message()}"

    @property
    def word(self) -> str:
        """The standing in a few words, for a table: "clean", "2 errors, 1 review, 1 waived"."""
        found = {"error": self.errors, "pruned error": self.pruned_errors, "review": self.reviews}
        said = [counted(len(some), what) for what, some in found.items() if some]
        said += [f"{len(self.waived)} waived"] if self.waived else []
        said += [] if self.judged else ["not judged"]
        return ", ".join(said) or ("clean as a set" if self.alone else "clean")


def standing(runs: SetVerdict, logs: Iterable[LogVerdict]) -> Standing:
    """The standing of a set, or of some of its logs; each finding once, in the order of their places."""
    logs = list(logs)
    live = (f for log in logs if not log.run.pruned for f in log.findings)
    aside = (f for log in logs if log.run.pruned for f in log.findings)
    found = ordered((*runs.about, *runs.findings, *live))
    return Standing(found, ordered(aside), not runs.submission, not runs.unjudged)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each once, in the order of their places."""
    return tuple(sorted(dict.fromkeys(findings), key=sort_key))
