"""Texts of the rules and the editions in which they are in force (`check.py --explain` and `--list`)."""

import compliance.families  # noqa: F401  registers the checks
from benchmark.config import suggest
from compliance.rule import CHECKS
from rules.current import editions
from rules.edition import Edition, load


def explain(wanted: str, name: str | None) -> str:
    """Return the texts of rules. `wanted` lists codes or families, separated by commas: `SEED,RUN05`. `name` restricts
    them to one edition. Raises ValueError for an unknown rule or edition."""
    known = _editions(name)
    codes = sorted({code for edition in known for code in edition.rules})
    families = sorted({code.rstrip("0123456789") for code in codes})
    chosen: dict[str, None] = {}
    for part in (p.strip().upper() for p in wanted.split(",") if p.strip()):
        found = [code for code in codes if part in (code, code.rstrip("0123456789"))]
        if not found:
            raise ValueError(f"no rule or family {part!r}{suggest(part, codes if part[-1:].isdigit() else families)}")
        chosen |= dict.fromkeys(found)
    if not chosen:
        raise ValueError(f"found {wanted!r}, wanted rules or families such as SEED,RUN05; --list names them")
    return f"\n{'-' * 80}\n\n".join(_explained(code, known) for code in chosen)


def _explained(code: str, known: list[Edition]) -> str:
    """Return a rule's sentence and text, its severity in each edition, and the place of the text."""
    having = [edition for edition in known if code in edition.rules]
    rule = having[0].rules[code]
    where = "\n".join(f"  {edition.name}: {severity(code, edition)}" for edition in having)
    return f"{code} {rule.sentence}\n\n{rule.reason}\n\nIn force in\n{where}\n\nText: {rule.place}\n"


def listing(name: str | None) -> str:
    """Return the rules by edition, one a line: code, severity, sentence, and the place of the text."""
    lines = []
    for edition in _editions(name):
        lines.append(f"{edition.name}: {edition.limits.title}")
        for code, rule in edition.rules.items():
            lines.append(f"  {code:<7}{severity(code, edition):<9}{rule.sentence} ({rule.place})")
    return "\n".join(lines) + "\n"


def _editions(name: str | None) -> list[Edition]:
    return [load(n) for n in ([name] if name else editions())]


def severity(code: str, edition: Edition) -> str:
    """Return the severity of the edition, else the check's own; "people" for a rule that no program checks."""
    if edition.rules[code].by_review:
        return "people"
    return edition.limits.severity.get(code, CHECKS[code].severity)
