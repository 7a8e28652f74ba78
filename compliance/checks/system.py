"""SYS: the system description, and that logs, folder and description speak of one system."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from compliance.facts import Facts
from compliance.finding import Fault, show
from compliance.material import Description, Material, read_description
from compliance.rule import rule
from compliance.run import Law, is_number


@rule("SYS01", "submission")
def systems_are_described(material: Material) -> Iterator[Fault]:
    """A system with results has a description, systems/<system>.json"""
    for system in material.submission.names("results"):
        if system not in material.descriptions:
            place = material.submission.place("systems", f"{system}.json")
            yield Fault(1, "no such file", "the description of the system", path=place)


@rule("SYS02", "submission")
def descriptions_are_json(material: Material) -> Iterator[Fault]:
    """A system description is a JSON object"""
    for description in material.descriptions.values():
        if description.problem:
            place = material.submission.place(*description.parts)
            yield Fault(description.line, description.problem, "a JSON object", path=place)


@rule("SYS03", "submission")
def descriptions_are_complete(material: Material) -> Iterator[Fault]:
    """A system description has every field that the rules ask for"""
    for description in material.descriptions.values():
        for name in material.edition.limits.system_fields:
            if description.data is not None and name not in description.data:
                place = material.submission.place(*description.parts)
                yield Fault(1, f"no {name}", "one", f"The description has no {name}", path=place)


@rule("SYS04", "submission")
def descriptions_have_their_types(material: Material) -> Iterator[Fault]:
    """A field of a system description has its type"""
    for description in material.descriptions.values():
        for name, kind in material.edition.limits.system_fields.items():
            value = (description.data or {}).get(name)
            if description.data is None or name not in description.data or type(kind) is not str:
                continue
            if not FIELD_KINDS[kind](value):
                place = material.submission.place(*description.parts)
                yield Fault(description.line_of(name), f"{name} {show(value)}", FIELD_WORDS[kind], path=place)


@rule("SYS05", "submission")
def descriptions_use_known_values(material: Material) -> Iterator[Fault]:
    """A field of a system description that the rules list has one of the listed values"""
    for description in material.descriptions.values():
        for name, kind in material.edition.limits.system_fields.items():
            if description.data is None or type(kind) is not list or name not in description.data:
                continue
            value = description.data[name]
            if value not in kind:
                place = material.submission.place(*description.parts)
                yield Fault(description.line_of(name), f"{name} {show(value)}", f"one of {', '.join(kind)}", path=place)


@rule("SYS06", "submission", severity="warning")
def descriptions_have_results(material: Material) -> Iterator[Fault]:
    """A described system has results"""
    systems = material.submission.names("results")
    for name, description in material.descriptions.items():
        if name not in systems:
            place = material.submission.place(*description.parts)
            yield Fault(1, f"no results/{name}", "results of every system described", path=place)


@rule("RUN11", "set")
def organisation_is_the_folders(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The logs' organisation is the submission's"""
    said = _usual(runs, "submission_org")
    if said is None or place.submission is None:
        return
    description = described(place)
    names = [place.submission.org, (description.data or {}).get("submitter") if description else None]
    if not any(same_name(said, n) for n in names if n):
        run = next(r for r in runs if r.value("submission_org") == said)
        yield Fault(run.line("submission_org"), f"submission_org {show(said)}", show(names[0]), path=run.path)


@rule("RUN12", "set")
def platform_is_the_folders(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The logs' platform is the system that their folder names"""
    said = _usual(runs, "submission_platform")
    if said is not None and place.system and not same_name(said, place.system):
        run = next(r for r in runs if r.value("submission_platform") == said)
        yield Fault(
            run.line("submission_platform"), f"submission_platform {show(said)}", show(place.system), path=run.path
        )


@rule("RUN13", "set")
def division_is_the_descriptions(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The logs' division is the system description's"""
    yield from _against(runs, place, law, "submission_division", "division")


@rule("RUN14", "set")
def status_is_the_descriptions(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The logs' status is the system description's"""
    yield from _against(runs, place, law, "submission_status", "status")


@rule("RUN15", "set")
def nodes_are_the_descriptions(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The logs' number of nodes is the system description's"""
    if place.scaling != "weak":
        yield from _against(runs, place, law, "number_of_nodes", "number_of_nodes")


@rule("RUN16", "set")
def accelerators_are_the_descriptions(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The logs' number of accelerators per node is the system description's"""
    yield from _against(runs, place, law, "accelerators_per_node", "accelerators_per_node")


def described(place: Any) -> Description | None:
    """The description of a set's system, or None."""
    if place.submission is None:
        return None
    entry = place.submission.at.get(("systems", f"{place.system}.json"))
    return read_description(place.submission.path, entry) if entry else None


def same_name(a: object, b: object) -> bool:
    """Whether two names are the same but for case, spaces and punctuation."""
    one, two = ("".join(c for c in str(x).casefold() if c.isalnum()) for x in (a, b))
    return one == two


def _against(runs: list[Facts], place: Any, law: Law, key: str, name: str) -> Iterator[Fault]:
    """What most logs say against a field of the description; logs that differ from the others are RUN07's."""
    said, description = _usual(runs, key), described(place)
    if said is None or description is None or description.data is None or name not in description.data:
        return
    value, known = description.data[name], law.edition.limits.system_fields.get(name)
    if type(known) is list and value not in known:
        return  # SYS05 says so
    if not _equal(said, value):
        at = place.submission.place(*description.parts)
        yield Fault(description.line_of(name), f"{name} {show(value)}", f"{show(said)}, as in the logs", path=at)


def _equal(said: object, value: object) -> bool:
    if is_number(said):
        number = _number(value)
        return number is None or number == said
    return type(value) is not str or same_name(said, value)


def _number(value: object) -> float | None:
    if is_number(value):
        return value
    try:
        return float(value) if type(value) is str else None
    except ValueError:
        return None


def _usual(runs: list[Facts], key: str) -> Any:
    told = [r.value(key) for r in runs if key in r.values]
    if not told:
        return None
    usual = Counter(json.dumps(v, sort_keys=True) for v in told).most_common(1)[0][0]
    return json.loads(usual)


def _text(value: object) -> bool:
    return type(value) is str and bool(value.strip())


def _count(value: object) -> bool:
    """MLPerf HPC writes numbers as text."""
    return (type(value) is int and value >= 0) or (type(value) is str and value.strip().isdecimal())


FIELD_KINDS = {
    "text": _text,
    "any text": lambda v: type(v) is str,
    "any": lambda v: True,
    "count": _count,
    "positive": lambda v: _count(v) and int(v) > 0,
    "count or text": lambda v: type(v) is str or _count(v),
}
FIELD_WORDS = {
    "text": "text",
    "any text": "text, which may be empty",
    "any": "anything",
    "count": "an integer from 0 on",
    "positive": "an integer from 1 on",
    "count or text": "an integer from 0 on, or text",
}
