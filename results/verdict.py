"""What the judge says of a set of runs. The only door to `compliance`."""

from collections.abc import Iterable
from dataclasses import dataclass

from results.submission import RunSet


@dataclass(frozen=True)
class Finding:
    """One finding of the judge, as it prints it."""

    path: str
    line: int | None
    code: str
    severity: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line or 1}: {self.code} {self.sentence}"


@dataclass(frozen=True)
class Verdict:
    """`judged` is False where no rules are known, or nobody asked."""

    judged: bool
    findings: tuple[Finding, ...] = ()

    def count(self, severity: str) -> int:
        return sum(f.severity == severity for f in self.findings)

    @property
    def objection(self) -> str | None:
        """Why the judge lets no number stand, None where it does."""
        errors = [f for f in self.findings if f.severity == "error"]
        if not errors:
            return None
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return f"not in order: {errors[0].code} {errors[0].sentence}{more}"

    @property
    def word(self) -> str:
        """One word for a table."""
        if not self.judged:
            return "not judged"
        errors = self.count("error")
        return f"{errors} error{'s' if errors > 1 else ''}" if errors else "review" if self.count("review") else "clean"


UNJUDGED = Verdict(False)


def judge(sets: Iterable[RunSet]) -> dict[str, Verdict]:
    """A verdict for every set, by its name."""
    return {}
