"""The checklist of a submission: the rules that people must judge, and the reviews of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from compliance.finding import counted
from compliance.reviewing.entries import day
from compliance.safe import printable

ACCEPT, OBJECT, OPEN = "accept", "object", "open"
VERDICTS = (ACCEPT, OBJECT, OPEN)


@dataclass(frozen=True)
class Review:
    """One reviewer's verdict on one rule in one submission, signed with name and day (YYYY-MM-DD).

    `submission` is the end of its path, in whole names. An open entry needs no signature; an objection needs a note.
    """

    rule: str
    submission: str
    verdict: str
    who: str = ""
    when: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict: found {self.verdict!r}, wanted one of {', '.join(VERDICTS)}")
        wanted = ["rule", "submission"]
        wanted += ["who", "when"] if self.verdict != OPEN else []
        wanted += ["note"] if self.verdict == OBJECT else []
        for name in wanted:
            if not getattr(self, name).strip(" /"):
                raise ValueError(f"{name}: found nothing, wanted text, since the verdict is {self.verdict}")
        if self.when:
            day(self.when, "when")

    def text(self) -> str:
        """Return the review in words: the verdict, by whom, when, and the note."""
        said = {ACCEPT: "accepted", OBJECT: "objection", OPEN: "open"}[self.verdict]
        by = f" by {self.who}" if self.who else ""
        return printable(f"{said}{by}{f', {self.when}' if self.when else ''}{f': {self.note}' if self.note else ''}")


@dataclass(frozen=True)
class Point:
    """A rule that people must judge, with its reviews."""

    code: str
    reviews: tuple[Review, ...] = ()

    @property
    def verdict(self) -> str:
        """An objection outweighs every acceptance. A point without a signature, or that a signed review leaves open, is
        open."""
        said = {review.verdict for review in self.reviews if review.who}
        return OBJECT if OBJECT in said else ACCEPT if said == {ACCEPT} else OPEN


@dataclass(frozen=True)
class Checklist:
    """All points of a submission that people must judge."""

    points: tuple[Point, ...]

    def of(self, verdict: str) -> list[Point]:
        """Return the points with that verdict."""
        return [point for point in self.points if point.verdict == verdict]

    def words(self) -> str:
        """Return the counts in words, such as "9 of 11 points accepted, 1 objection"."""
        objections = len(self.of(OBJECT))
        against = f", {counted(objections, 'objection')}" if objections else ""
        return f"{len(self.of(ACCEPT))} of {counted(len(self.points), 'point')} accepted{against}"


def checklist(codes: Sequence[str], reviews: Sequence[Review]) -> Checklist:
    """Return the checklist of the rules `codes`, and of further rules that reviews name."""
    every = dict.fromkeys([*codes, *(review.rule for review in reviews)])
    return Checklist(tuple(Point(code, tuple(r for r in reviews if r.rule == code)) for code in every))
