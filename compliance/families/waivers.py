"""WAI: the reviewer's file of waivers."""

from collections.abc import Iterator, Sequence

from compliance.finding import Fault
from compliance.reviewing.waiver import Waiver
from compliance.rule import rule


@rule("WAI01", "waiver", severity="warning")
def waivers_cover_a_finding(waivers: Sequence[tuple[int, Waiver]], used: set[int]) -> Iterator[Fault]:
    for line, waiver in waivers:
        if line not in used:
            place = waiver.path + (f":{waiver.line}" if waiver.line else "")
            yield Fault(line, f"no {waiver.code} at {place}", "a finding that it covers")


@rule("WAI02", "waiver", severity="warning")
def waivers_have_not_expired(waivers: Sequence[tuple[int, Waiver]], expired: set[int]) -> Iterator[Fault]:
    for line, waiver in waivers:
        if line in expired:
            yield Fault(line, f"expires {waiver.expires}", "a later day, where the reviewer still agrees")
