"""Write the settings of runs as tables: what each means, its default, and what each division allows.

The meaning is the comment at the field of the config, the default is in configs/<problem>.yaml, and what may change is
in the rules. `train.py --settings` prints the tables, and docs/submitting.md contains them. No run loads this module.
"""

import inspect
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass

from benchmark.config import read_yaml
from benchmark.problem import load_problem
from benchmark.workload import problem_files
from rules.edition import load
from rules.key import Key, plain
from rules.settings import Setting

from .config import RunConfig, config_path, load_config
from .task import config_class
from .training.events import EDITION

FIELD = re.compile(r"^    (\w+): [^#\n]*?  # (.+)$", re.MULTILINE)
HEADER = ("setting", "meaning", "default", "closed division", "open division")
UNKNOWN = "the rules do not know it: a person decides"


def tables(problem: str | None = None) -> str:
    """Return Markdown with the settings of one problem, or of all benchmarks with the defaults of all their problems.
    Raises ValueError for an unknown problem."""
    if problem:
        return table(load_problem(problem).workload, [problem])
    found = {file.parent.name: list(read_yaml(file)) for file in problem_files()}
    return "\n\n".join(f"### {workload}\n\n{table(workload, problems)}" for workload, problems in found.items())


def table(workload: str, problems: Sequence[str]) -> str:
    """Return a Markdown table with a row for each setting. Those that change what is trained come first."""
    cls, rules = config_class(workload), load(EDITION).benchmarks[workload].settings
    said, configs = meanings(cls), {p: load_config(cls, config_path(p), []).fields() for p in problems}
    names = sorted(configs[problems[0]], key=lambda name: name in rules and rules[name].machine)
    rows = [
        (
            f"`{name}`",
            said.get(name, ""),
            default({problem: plain(config[name]) for problem, config in configs.items()}),
            *(change(rules.get(name), division) for division in ("closed", "open")),
        )
        for name in names
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (HEADER, ("---",) * len(HEADER), *rows))


def meanings(cls: type[RunConfig]) -> dict[str, str]:
    """Return the comment at each field. A field that only changes a default has the comment of the class below."""
    bases = [base for base in reversed(cls.__mro__) if is_dataclass(base)]
    return {name: comment for base in bases for name, comment in FIELD.findall(inspect.getsource(base))}


def default(values: Mapping[str, str]) -> str:
    """Return the value of most problems, and those of the others: "1 (smoke: 8; scale6: 4)"."""
    usual = Counter(values.values()).most_common(1)[0][0]
    others = dict.fromkeys(value for value in values.values() if value != usual)
    named = [f"{', '.join(p for p, value in values.items() if value == other)}: {other}" for other in others]
    return usual + (f" ({'; '.join(named)})" if named else "")


def change(setting: Setting | None, division: str) -> str:
    """Return whether a setting may change in a division, and within which limits."""
    key = setting.within(division) if setting else Key()
    if setting is None and division == "closed":
        return UNKNOWN
    return ("no: " if key.fixed else "yes: " if key.words else "yes") + key.words
