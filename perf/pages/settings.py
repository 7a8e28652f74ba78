"""The tables of docs/settings.md: all settings of a run, with the values that each division allows."""

import re

from implementations.pytorch_tools.settings import tables
from perf.pages.generated import table

FIRST = "| `eval_batch_size` |"  # the first row of the machine's, which are the last of each table


def parts() -> dict[str, str]:
    """Return a table of what is trained for each workload, and one of the machine's settings."""
    found = re.findall(r"^### (\w+)\n\n((?:\|.*\n?)+)", tables(), re.MULTILINE)
    trained = []
    machine: dict[tuple[str, str], dict[str, str]] = {}  # by name and meaning: defaults by workload
    for workload, rows in found:
        first, _, rest = rows.partition(FIRST)
        trained.append(f"## {workload}\n\n{first}")
        for row in (FIRST + rest).splitlines():
            name, meaning, default = (cell.strip() for cell in row.split("|")[1:4])
            machine.setdefault((name, meaning), {})[workload] = default
    workloads = [workload for workload, _ in found]
    cells = [(*said, *(defaults.get(one, "") for one in workloads)) for said, defaults in machine.items()]
    return {"settings": "\n".join(trained), "machine": table(("setting", "meaning", *workloads), cells)}
