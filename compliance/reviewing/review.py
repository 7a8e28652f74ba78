"""Reviews: a file, outside of what is judged, in which reviewers accept or object to the points that people judge.

It is a YAML list of {rule, submission, verdict, who, when, note}. `compliance/audit.py --review-template` prints one to
fill in.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmark.config import suggest
from compliance.reviewing.checklist import Checklist, Review, checklist
from compliance.reviewing.entries import read_entries
from compliance.safe import tell
from compliance.verdict import SubmissionVerdict, Verdict
from rules.current import ROOT
from rules.edition import TEXTS, Edition
from rules.text import read_texts

MOST_IDLE = 3  # entries for submissions that were not judged, listed one by one


@dataclass(frozen=True)
class Reviews:
    """A file of reviews, each with its line."""

    path: str
    reviews: tuple[tuple[int, Review], ...]

    def of(self, submission: str) -> list[Review]:
        """Return the reviews of the submission at that path."""
        return [review for _, review in self.reviews if _names(review, submission)]

    def idle(self, verdict: Verdict) -> list[str]:
        """Return a line for each entry whose submission was not judged."""
        judged = [s.path for s in verdict.submissions]
        lines = [
            f"{self.path}:{line}: found submission {review.submission!r}, wanted one that was judged"
            for line, review in self.reviews
            if not any(_names(review, path) for path in judged)
        ]
        rest = len(lines) - MOST_IDLE
        return lines if rest <= 0 else [*lines[:MOST_IDLE], f"{self.path}: and {rest} more such entries"]


def _names(review: Review, path: str) -> bool:
    wanted = [p for p in review.submission.split("/") if p]
    return list(Path(path).resolve().parts[-len(wanted) :]) == wanted


def read_reviews(path: Path, judged: Iterable[str | Path]) -> Reviews:
    """Return the reviews of a file. Raises ValueError if it can't be read, is incomplete, names an unknown rule, has
    two entries by one reviewer for one rule, or lies in what is judged."""
    found = read_entries(path, judged, Review, "reviews")
    known = read_texts(ROOT / TEXTS)
    seen: dict[tuple[str, str, str], int] = {}
    for line, review in found:
        if review.rule not in known:
            raise ValueError(f"{path}:{line}: unknown rule {review.rule!r}{suggest(review.rule, known)}")
        first = seen.setdefault((review.rule, review.submission, review.who), line)
        if first != line:
            who = review.who or "nobody"
            raise ValueError(f"{path}:{line}: found {review.rule} of {review.submission} by {who} as in line {first}")
    return Reviews(str(path), found)


def points(submission: SubmissionVerdict, edition: Edition) -> list[str]:
    """Return the codes that people must judge: the rules that no program checks, and those with findings for review."""
    every = [*submission.everything(), *(finding for runs in submission.sets for finding in runs.about)]
    found = {f.code for f in every if f.severity == "review" and not f.waived}
    return [code for code, rule in edition.rules.items() if rule.by_review or code in found]


def checklists(verdict: Verdict, reviews: Reviews, editions: dict[str, Edition]) -> dict[str, Checklist]:
    """Return the checklist of each submission by its path. Writes a line to stderr for each entry whose submission was
    not judged."""
    for line in reviews.idle(verdict):
        tell(line)
    return {s.path: checklist(points(s, editions[s.edition]), reviews.of(s.path)) for s in verdict.submissions}


def with_reviews(verdict: Verdict, reviews: Reviews, editions: dict[str, Edition]) -> Verdict:
    """Return the verdict with the state of the reviews at each set, for results."""
    listed = checklists(verdict, reviews, editions)

    def reviewed(one: SubmissionVerdict) -> SubmissionVerdict:
        return replace(one, sets=tuple(replace(s, reviewed=listed[one.path].words()) for s in one.sets))

    return replace(verdict, submissions=tuple(map(reviewed, verdict.submissions)))
