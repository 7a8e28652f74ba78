"""What the judge says of a set of runs. The door to `compliance`."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from compliance import engine
from compliance.finding import Finding
from compliance.verdict import LogVerdict, SetVerdict, SubmissionVerdict
from results.submission import RunSet


@dataclass(frozen=True)
class Verdict:
    """The findings that touch a set: of its logs, its folder, and its submission. `judged` is False where nobody
    asked. `aside` are the findings in pruned logs: a throughput does not rest on those, and what is wrong there
    (mostly, that a run was given up half-way) takes no number away."""

    judged: bool
    findings: tuple[Finding, ...] = ()
    aside: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Errors that no waiver covers, but for those in pruned logs."""
        return errors(self.findings)

    @property
    def pruned_errors(self) -> tuple[Finding, ...]:
        """Errors in pruned logs that no waiver covers."""
        return errors(self.aside)

    @property
    def everything(self) -> tuple[Finding, ...]:
        """All findings, those in pruned logs last."""
        return (*self.findings, *self.aside)

    @property
    def reviews(self) -> tuple[Finding, ...]:
        """What a person must look at."""
        return tuple(f for f in self.findings if f.severity == "review" and not f.waived)

    def without(self, logs: Iterable[str]) -> "Verdict":
        """Without what was found in these logs."""
        paths = {os.path.abspath(log) for log in logs}
        kept = [tuple(f for f in found if os.path.abspath(f.path) not in paths) for found in (self.findings, self.aside)]
        return Verdict(self.judged, *kept)

    @property
    def objection(self) -> str | None:
        """Why the judge lets no number stand, None where it does."""
        if not self.errors:
            return None
        which = f"{len(self.errors)} errors, the first: " if len(self.errors) > 1 else ""
        return f"not in order: {which}{self.errors[0].code} {self.errors[0].message()}"

    @property
    def word(self) -> str:
        """A word for a table."""
        if not self.judged:
            return "not judged"
        if self.errors:
            return counted(len(self.errors), "error")
        if self.reviews:
            return "review"
        return counted(len(self.pruned_errors), "pruned error") if self.pruned_errors else "clean"


def errors(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(f for f in findings if f.severity == "error" and not f.waived)


def counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


UNJUDGED = Verdict(False)
Progress = Callable[[int, int], None]


def judge(
    sets: Sequence[RunSet], paths: Iterable[Path], edition: str | None = None, progress: Progress | None = None
) -> dict[str, Verdict]:
    """A verdict for every set, by its name. `paths` are those that the sets were found under.

    Raises ValueError for an unknown edition.
    """
    found = engine.judge([str(p) for p in paths], edition, progress=progress)
    places: dict[str, list[tuple[LogVerdict, SetVerdict | None, SubmissionVerdict | None]]] = {}
    for submission in found.submissions:
        for s in submission.sets:
            note(places, s.logs, s, submission)
    for s in found.sets:
        note(places, s.logs, s, None)
    note(places, found.logs, None, None)
    return {runs.name: verdict(runs, places) for runs in sets}


def note(places: dict, logs: Iterable[LogVerdict], s: SetVerdict | None, submission: SubmissionVerdict | None) -> None:
    """Remember where each log was judged; one that was given twice is judged in each place."""
    for log in logs:
        places.setdefault(os.path.abspath(log.facts.file), []).append((log, s, submission))


def verdict(runs: RunSet, places: dict) -> Verdict:
    """All findings that touch a set, each once, in the order of their places."""
    findings: dict[Finding, None] = {}
    aside: dict[Finding, None] = {}
    pruned = frozenset(runs.pruned)
    for log in (*runs.logs, *runs.pruned):
        for judged, s, submission in places.get(str(log), ()):
            own = aside if log in pruned else findings
            own |= dict.fromkeys(judged.findings)
            findings |= dict.fromkeys(s.findings if s else ())
            findings |= dict.fromkeys(f for f in (submission.findings if submission else ()) if touches(f, runs))
    return Verdict(True, ordered(findings), ordered(aside))


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=engine.sort_key))


def touches(finding: Finding, runs: RunSet) -> bool:
    """Whether a finding of a submission concerns this set: not if it is about another system or benchmark."""
    parts = Path(finding.path).parts
    for folder, name in (("systems", f"{runs.id.system}.json"), ("benchmarks", runs.id.benchmark)):
        if folder in parts[:-1]:
            below = parts[len(parts) - 1 - parts[::-1].index(folder) + 1]
            if folder == "systems" or "implementations" in parts:
                return below == name
    return True
