"""What --explain and --list print: the texts of the rules, and in which editions they are in force."""

import compliance.checks  # noqa: F401  registers the checks
from benchmark.config import suggest
from compliance.rule import CHECKS
from rules.edition import Edition, editions, load


def explain(code: str, name: str | None) -> str:
    """A rule's sentence and text, its severity by edition, and where the text stands. `name` of an edition looks at
    that one alone. Raises ValueError for a rule or an edition that there isn't."""
    code, known = code.upper(), _editions(name)
    having = [edition for edition in known if code in edition.rules]
    if not having:
        raise ValueError(f"no rule {code!r}{suggest(code, sorted({c for e in known for c in e.rules}))}")
    rule = having[0].rules[code]
    where = "\n".join(f"  {edition.name}: {_severity(code, edition)}" for edition in having)
    return f"{code} {rule.sentence}\n\n{rule.reason}\n\nIn force in\n{where}\n\nText: {rule.place}\n"


def listing(name: str | None) -> str:
    """The rules by edition, one a line: code, severity, sentence, and where the text stands."""
    lines = []
    for edition in _editions(name):
        lines.append(f"{edition.name}: {edition.limits.title}")
        for code, rule in edition.rules.items():
            lines.append(f"  {code:<7}{_severity(code, edition):<9}{rule.sentence} ({rule.place})")
    return "\n".join(lines) + "\n"


def _editions(name: str | None) -> list[Edition]:
    return [load(n) for n in ([name] if name else editions())]


def _severity(code: str, edition: Edition) -> str:
    """The edition's, else the check's own; "people" for a rule that no program checks."""
    if edition.rules[code].by_review:
        return "people"
    return edition.limits.severity.get(code, CHECKS[code].severity)
