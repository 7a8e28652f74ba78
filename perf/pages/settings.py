"""docs/settings.md: all settings of a run, with the values that each division allows."""

import re

from implementations.pytorch_tools.settings import tables

INTRO = """# Settings

A run takes its settings from `implementations/pytorch/configs/<problem>.yaml`; words `name=value` on the command line
override them. The first tables have the settings that change what is trained, for each benchmark; [the
last](#settings-of-the-machine) has those that change only how a machine computes.

- **Default** is the value that most problems of the benchmark have. Problems with another value are in brackets.
- **The two divisions** allow any value ("yes"), values within limits ("yes: from 1") or this value alone ("no: 1").
  [Submitting](submitting.md#4-what-may-change) explains them.

`python implementations/pytorch_tools/settings.py --problem smoke` prints the table of one problem.
`python perf/contract.py` writes this page.

"""
MACHINE = """## Settings of the machine

Both divisions allow any value. The columns have the defaults of each benchmark.

"""
FIRST = "| `eval_batch_size` |"  # the first row of the machine's, which are the last of each table


def page() -> str:
    """The Markdown of the settings: a table for each workload, and one of the machine's settings."""
    found = re.findall(r"^### (\w+)\n\n((?:\|.*\n?)+)", tables(), re.MULTILINE)
    trained = ""
    machine: dict[tuple[str, str], dict[str, str]] = {}  # by name and meaning: defaults by workload
    for workload, table in found:
        first, _, rest = table.partition(FIRST)
        trained += f"## {workload}\n\n{first}\n"
        for row in (FIRST + rest).splitlines():
            name, meaning, default = (cell.strip() for cell in row.split("|")[1:4])
            machine.setdefault((name, meaning), {})[workload] = default
    workloads = [workload for workload, _ in found]
    rows = [("setting", "meaning", *workloads), ("---",) * (2 + len(workloads))]
    rows += [(*said, *(defaults.get(one, "") for one in workloads)) for said, defaults in machine.items()]
    return INTRO + trained + MACHINE + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"
