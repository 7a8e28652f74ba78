"""A page for each edition of the rules: the text of every rule in force, with its code as the anchor."""

import re
from itertools import groupby

from compliance.output.explain import severity
from rules.edition import Edition, load
from rules.text import Rule

WORDS = {"error": "error", "warning": "warning", "review": "for review", "info": "information", "people": "by people"}


def page(name: str) -> str:
    """The Markdown of an edition's rules, by family. Raises ValueError for an unknown edition."""
    edition = load(name)
    limits = f"rules/{name}/limits.yaml"
    intro = f"""# Rules {name}

{edition.limits.title}. {len(edition.rules)} rules are in force. The numbers are in [limits.yaml](/{limits}). On the
command line, `python compliance/check.py --explain CODE` prints a rule.
"""
    parts = [intro]
    for family, group in groupby(edition.rules.values(), lambda rule: rule.code.rstrip("0123456789")):
        rules = list(group)
        title = rules[0].path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").strip()
        parts.append(f"## {title} {{#{family}}}\n")
        parts += [section(rule, edition) for rule in rules]
    return "\n".join(parts)


def section(rule: Rule, edition: Edition) -> str:
    """A rule's sentence, severity and text."""
    place = rule.place.partition(":")[0]
    said = f"{WORDS[severity(rule.code, edition)]} · [text](/{place})"
    return f"### {rule.code} {escaped(rule.sentence)} {{#{rule.code}}}\n\n{said}\n{{.severity}}\n\n{rule.reason}\n"


def escaped(sentence: str) -> str:
    """A sentence for a heading: markup outside of code is escaped."""
    parts = re.split(r"(`[^`]*`)", sentence)
    return "".join(p if p.startswith("`") else re.sub(r"([_<>*])", r"\\\1", p) for p in parts)
