"""The law's text: what --explain and --list print."""

import compliance.checks  # noqa: F401  registers the checks
from benchmark.config import suggest
from compliance.rule import CHECKS
from rules.edition import Edition, editions, load


def explain(code: str, edition: str | None) -> str:
    """A rule's heading and reason, in the editions that have it. Raises ValueError for an unknown one."""
    code = code.upper()
    told: dict[tuple[str, str], list[Edition]] = {}
    for law in _editions(edition):
        if code in law.rules:
            told.setdefault((law.rules[code].sentence, law.rules[code].reason), []).append(law)
    if not told:
        raise ValueError(
            f"no rule {code!r}{suggest(code, sorted({c for law in _editions(edition) for c in law.rules}))}"
        )
    parts = []
    for (sentence, reason), laws in told.items():
        where = "\n".join(
            f"  {law.name}: {_severity(code, law)} (rules/{law.name}/rules.md:{law.rules[code].line})" for law in laws
        )
        parts.append(f"{code} {sentence}\n\n{reason}\n\nIn force in\n{where}\n")
    return "\n".join(parts)


def listing(edition: str | None) -> str:
    """Every rule, one a line: code, severity by edition where it differs, sentence."""
    lines = []
    for law in _editions(edition):
        lines.append(f"{law.name}: {law.limits.title}")
        lines += [f"  {code:<7}{_severity(code, law):<9}{rule.sentence}" for code, rule in law.rules.items()]
    return "\n".join(lines) + "\n"


def _editions(name: str | None) -> list[Edition]:
    return [load(n) for n in ([name] if name else editions())]


def _severity(code: str, law: Edition) -> str:
    if law.rules[code].by_review:
        return "people"
    return law.limits.severity.get(code, CHECKS[code].severity)
