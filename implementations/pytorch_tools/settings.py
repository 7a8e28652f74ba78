"""Print the settings of runs as tables: what each means, its default, and what each division allows.

    python implementations/pytorch_tools/settings.py --problem smoke
    python implementations/pytorch_tools/settings.py --implementation acme      # of a copy, all benchmarks

The meaning is the comment at the field of the config, and the default is in configs/<problem>.yaml. The rules say what
may change; settings of the machine may be anything. docs/settings.md has the tables of the reference. Exit codes: 0
printed, 2 an unknown problem or implementation.
"""

import argparse
import importlib
import inspect
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.config import load_settings, machine_settings, read_bytes, read_yaml
from benchmark.problem import load_problem
from benchmark.workload import problem_files
from benchmark.writing import put
from rules.current import EDITION
from rules.edition import load
from rules.key import Key, plain
from rules.settings import Setting

REFERENCE = "pytorch"
VALUE = r"(?:setting\((?:[^()]|\([^()]*\))*\)|[^#\n]*?)"  # a field's default, which may be on several lines
FIELD = re.compile(rf"^    (\w+): [^=\n]+= {VALUE}  # (.+)$", re.MULTILINE)
HEADER = ("setting", "meaning", "default", "closed division", "open division")
ANY = "yes"  # of a setting of the machine
UNKNOWN = "the rules do not know it: a person decides"


def tables(problem: str | None = None, implementation: str = REFERENCE) -> str:
    """Return Markdown with the settings of one problem, or of all benchmarks with the defaults of all their problems.
    Raises ValueError for an unknown problem, and for an implementation that is no copy of the reference."""
    if problem:
        return table(load_problem(problem).workload, [problem], implementation)
    found = {file.parent.name: list(read_yaml(file)) for file in problem_files()}
    parts = [(name, table(name, problems, implementation)) for name, problems in found.items()]
    return "\n\n".join(f"### {workload}\n\n{text}" for workload, text in parts)


def table(workload: str, problems: Sequence[str], implementation: str = REFERENCE) -> str:
    """Return a Markdown table with a row for each setting. Those that change what is trained come first."""
    config, task = (part_of(implementation, name) for name in ("config", "task"))
    cls, rules = task.config_class(workload), load(EDITION).benchmarks[workload].settings
    said, paths = meanings(cls), {problem: config.config_path(problem) for problem in problems}
    configs = {problem: load_settings(cls, path, read_bytes(path), []).fields() for problem, path in paths.items()}
    machine = machine_settings(cls)
    names = sorted(configs[problems[0]], key=lambda name: name in machine)
    rows = [
        (
            f"`{name}`",
            said.get(name, ""),
            default({problem: plain(config[name]) for problem, config in configs.items()}),
            *(ANY if name in machine else change(rules.get(name), division) for division in ("closed", "open")),
        )
        for name in names
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (HEADER, ("---",) * len(HEADER), *rows))


def part_of(implementation: str, name: str) -> Any:
    """Return a module of a copy of the reference. Raises ValueError if there is none."""
    try:
        return importlib.import_module(f"implementations.{implementation}.{name}")
    except ModuleNotFoundError:
        raise ValueError(
            f"--implementation: found no {name}.py in {implementation}, wanted a copy of pytorch"
        ) from None


def meanings(cls: type) -> dict[str, str]:
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", help="one problem alone, with its own defaults")
    parser.add_argument("--implementation", default=REFERENCE, help=f"a copy of the reference (default: {REFERENCE})")
    args = parser.parse_args(arguments)
    try:
        put(f"{tables(args.problem, args.implementation)}\n")
        return 0
    except (ValueError, OSError) as error:
        print(f"settings.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
