"""Write findings as workflow commands of GitHub Actions: annotations at the files' lines.

GitHub shows ten annotations of each kind for a step. So there is one for each rule and set, the worst first, and the
tenth of a kind says how many are left out.
"""

from collections.abc import Iterator, Sequence

from compliance.finding import Finding, counted
from compliance.output.grouping import label, shown
from compliance.output.report import ORDER, WAIVED, Report
from compliance.safe import command, command_property

COMMANDS = {"error": "error", "warning": "warning", "review": "notice", "info": "notice", WAIVED: "notice"}
MOST = 10
REST = "compliance/check.py --all has each place, --format markdown a page for people"


def render(report: Report) -> str:
    """Return one command a line. Waived findings are notices."""
    lines: dict[str, list[tuple[str, int]]] = {name: [] for name in ("error", "warning", "notice")}
    for path, why in report.missed:
        lines["error"].append((f"::error file={command_property(path)}::{command(f'could not be checked: {why}')}", 1))
    for name, line, findings in _commands(report):
        lines[name].append((line, findings))
    return "".join(f"{line}\n" for name, some in lines.items() for line in _limited(name, some))


def _commands(report: Report) -> Iterator[tuple[str, str, int]]:
    """Yield (kind of command, command, number of findings that it stands for), the worst first."""
    kinds = [kind for _, some in shown(report) for kind in some]
    groups = [(i, kind.severity, group) for kind in kinds for i, group in enumerate(kind.groups)]
    groups.sort(key=lambda group: (ORDER.index(group[1]), group[0]))  # of each rule the first set before its others
    for _, severity, findings in groups:
        name = COMMANDS[severity]
        yield name, _command(name, findings), len(findings)


def _limited(name: str, commands: Sequence[tuple[str, int]]) -> Iterator[str]:
    most = len(commands) if len(commands) <= MOST else MOST - 1
    yield from (line for line, _ in commands[:most])
    if rest := sum(findings for _, findings in commands[most:]):
        yield f"::{name}::{command(counted(rest, f'more {name}') + ' not shown here: ' + REST)}"


def _command(name: str, findings: tuple[Finding, ...]) -> str:
    first, others = findings[0], len(findings) - 1
    more = f" [and {others} more]" if others else ""
    waived = f" [waived by {first.waived}]" if first.waived else ""
    place = f"file={command_property(first.path)},line={max(1, first.line)},title={command_property(first.code)}"
    text = f"{first.code} {label(first)}: {first.said()}{waived}{more}"
    return f"::{name} {place}::{command(text)}"
