"""What people must judge of a submission, point by point, and what reviewers have said of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from compliance.entries import day
from compliance.finding import counted
from compliance.safe import printable

ACCEPT, OBJECT, OPEN = "accept", "object", "open"
VERDICTS = (ACCEPT, OBJECT, OPEN)


@dataclass(frozen=True)
class Review:
    """What one reviewer says of one rule in one submission, signed with name and day (YYYY-MM-DD).

    `submission` is the end of its path, in whole names. An open entry need not be signed; an objection says why.
    """

    rule: str
    submission: str
    verdict: str
    who: str = ""
    when: str = ""
    note: str = ""

    def __post_init__(self):
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict: found {self.verdict!r}, wanted one of {', '.join(VERDICTS)}")
        wanted = ["rule", "submission"]
        wanted += ["who", "when"] if self.verdict != OPEN else []
        wanted += ["note"] if self.verdict == OBJECT else []
        for name in wanted:
            if not getattr(self, name).strip(" /"):
                raise ValueError(f"{name}: found nothing, wanted some text, where the verdict is {self.verdict}")
        if self.when:
            day(self.when, "when")

    def text(self) -> str:
        """Who says what, and when."""
        said = {ACCEPT: "accepted", OBJECT: "objection", OPEN: "open"}[self.verdict]
        by = f" by {self.who}" if self.who else ""
        return printable(f"{said}{by}{f', {self.when}' if self.when else ''}{f': {self.note}' if self.note else ''}")


@dataclass(frozen=True)
class Point:
    """A rule that people must judge, and all that was said of it."""

    code: str
    reviews: tuple[Review, ...] = ()

    @property
    def verdict(self) -> str:
        """One objection stands against all that accept; what nobody has signed, or somebody has left open, is open."""
        said = {review.verdict for review in self.reviews if review.who}
        return OBJECT if OBJECT in said else ACCEPT if said == {ACCEPT} else OPEN


@dataclass(frozen=True)
class Checklist:
    """All points of a submission."""

    points: tuple[Point, ...]

    def of(self, verdict: str) -> list[Point]:
        """The points with that verdict."""
        return [point for point in self.points if point.verdict == verdict]

    def words(self) -> str:
        """How many points there are, and what became of them."""
        objections = len(self.of(OBJECT))
        against = f", {counted(objections, 'objection')}" if objections else ""
        return f"{len(self.of(ACCEPT))} of {counted(len(self.points), 'point')} accepted{against}"


def checklist(codes: Sequence[str], reviews: Sequence[Review]) -> Checklist:
    """The points of these rules, and of those that reviews name beside them."""
    every = dict.fromkeys([*codes, *(review.rule for review in reviews)])
    return Checklist(tuple(Point(code, tuple(r for r in reviews if r.rule == code)) for code in every))
