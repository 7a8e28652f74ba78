"""SYS: the system description exists, is complete, and has values of the right type."""

from collections.abc import Iterator
from typing import Any

from compliance.finding import Fault, show
from compliance.reading.files import Description, SubmissionFiles
from compliance.reading.values import count_of
from compliance.rule import rule


@rule("SYS01", "submission")
def systems_are_described(files: SubmissionFiles) -> Iterator[Fault]:
    """A system with results has a description, systems/<system>.json"""
    for system in files.submission.names("results"):
        if system not in files.descriptions:
            place = files.submission.place("systems", f"{system}.json")
            yield Fault(1, "no such file", "the description of the system", path=place)


@rule("SYS02", "submission")
def descriptions_are_json(files: SubmissionFiles) -> Iterator[Fault]:
    """A system description is a JSON object"""
    for description in files.descriptions.values():
        if description.problem:
            place = files.submission.place(*description.parts)
            yield Fault(description.line, description.problem, "a JSON object", path=place)
        elif description.twice:  # a person reads the first, a program the last
            place = files.submission.place(*description.parts)
            found, line = f"the field {show(description.twice)} twice", description.line_of(description.twice)
            mild = "warning" if files.edition.limits.tolerant else ""
            yield Fault(line, found, "each field once", path=place, severity=mild)


@rule("SYS03", "submission")
def descriptions_are_complete(files: SubmissionFiles) -> Iterator[Fault]:
    """A system description has every field that the rules ask for"""
    for description in files.descriptions.values():
        for name in files.edition.limits.system_fields:
            if description.data is not None and name not in description.data:
                place = files.submission.place(*description.parts)
                yield Fault(1, f"no {name}", "one", path=place)


@rule("SYS04", "submission")
def descriptions_have_their_types(files: SubmissionFiles) -> Iterator[Fault]:
    """A field of a system description has its type"""
    for description, name, value, kind in _fields(files):
        if type(kind) is str and not FIELD_KINDS[kind][0](value):
            place = files.submission.place(*description.parts)
            yield Fault(description.line_of(name), f"{name} {show(value)}", FIELD_KINDS[kind][1], path=place)


@rule("SYS05", "submission")
def descriptions_use_known_values(files: SubmissionFiles) -> Iterator[Fault]:
    """A field of a system description that the rules list has one of the listed values"""
    for description, name, value, kind in _fields(files):
        if type(kind) is list and value not in kind:
            place = files.submission.place(*description.parts)
            yield Fault(description.line_of(name), f"{name} {show(value)}", f"one of {', '.join(kind)}", path=place)


@rule("SYS06", "submission", severity="warning")
def descriptions_have_results(files: SubmissionFiles) -> Iterator[Fault]:
    """A described system has results"""
    systems = files.submission.names("results")
    for name, description in files.descriptions.items() if not files.submission.prepared else ():
        if name not in systems:
            place = files.submission.place(*description.parts)
            yield Fault(1, f"no results/{name}", "results of every system described", path=place)


def _fields(files: SubmissionFiles) -> Iterator[tuple[Description, str, Any, Any]]:
    """Yield (description, name, value, the kind or the values that the rules ask for) of each field that is there."""
    for description in files.descriptions.values():
        for name, kind in files.edition.limits.system_fields.items():
            if name in (description.data or ()):
                yield description, name, description.data[name], kind


FIELD_KINDS = {  # kind -> whether a value is of it, and the kind in words
    "text": (lambda v: type(v) is str and bool(v.strip()), "text"),
    "any text": (lambda v: type(v) is str, "text, which may be empty"),
    "any": (lambda v: True, "anything"),
    "count": (lambda v: count_of(v) is not None, "an integer from 0 on"),
    "positive": (lambda v: bool(count_of(v)), "an integer from 1 on"),
    "count or text": (lambda v: type(v) is str or count_of(v) is not None, "an integer from 0 on, or text"),
}
