"""WAI: the reviewer's file of waivers."""

from collections.abc import Iterable, Iterator

from compliance.finding import Fault
from compliance.rule import rule


@rule("WAI01", "waiver", severity="warning")
def waivers_cover_a_finding(unused: Iterable[tuple[int, str]]) -> Iterator[Fault]:
    """`unused` has the line of each waiver that covers nothing, with the rule and the place that it names."""
    for line, named in unused:
        yield Fault(line, f"no {named}", "a finding that it covers")


@rule("WAI02", "waiver", severity="warning")
def waivers_have_not_expired(expired: Iterable[tuple[int, str]]) -> Iterator[Fault]:
    """`expired` has the line of each expired waiver with its last day."""
    for line, day in expired:
        yield Fault(line, f"expires {day}", "a later day, where the reviewer still agrees")
