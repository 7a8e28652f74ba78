"""Write the bash completion of the project's commands.

    python integrations/completion.py > build/completion.bash        (make completion)
    source build/completion.bash

It completes options, their choices and file names, after `python`, `torchrun` and `python -m`, and for scripts that are
started by themselves. Completing does not start Python.
"""

import argparse
import sys
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import shtab
import yaml

from benchmark.writing import put
from perf.pages.scripts import parser_of
from rules.current import editions

ROOT = Path(__file__).resolve().parents[1]

COMMANDS = (
    "compliance/check.py",
    "compliance/audit.py",
    "compliance/package.py",
    "results/summarize.py",
    "results/compare.py",
    "results/site.py",
    "implementations/pytorch/train.py",
    "harness/submit.py",
    "harness/init.py",
    "harness/tune.py",
    "harness/launch/render.py",
    "benchmark/generate.py",
)
PATHS = ("PATH", "SUBMISSION")  # names of arguments that are paths
STARTERS = ("python", "python3", "torchrun")
# Finds the script among the words of the command line, and completes the rest by its options.
DELEGATE = """
_complete_a_script() {{
  local at name
  for ((at = 0; at < COMP_CWORD; at++)); do
    name=${{COMP_WORDS[at]}}
    if ((at)) && [[ ${{COMP_WORDS[at - 1]}} == -m ]]; then name=${{name//.//}}.py; fi
    name=${{name##*/}}
    if [[ " {names} " == *" $name "* ]]; then
      COMP_WORDS=("${{COMP_WORDS[@]:at}}")
      COMP_CWORD=$((COMP_CWORD - at))
      "_shtab_${{name//./_}}"
      return
    fi
  done
}}
complete -o default -o bashdefault -F _complete_a_script {starters}
"""


def problems() -> list[str]:
    """The names of the published problems."""
    files = sorted(ROOT.glob("benchmark/*/problems.yaml"))
    return [name for file in files for name in yaml.safe_load(file.read_text(encoding="utf-8"))]


def completed(script: str) -> argparse.ArgumentParser:
    """The parser of a script, with the values that its arguments may have."""
    parser, _ = parser_of(script)
    parser.prog = Path(script).name
    for action in parser._actions:
        if action.dest == "problem":
            action.choices = problems()
        elif action.metavar == "EDITION":
            action.choices = editions()
        elif action.choices:
            action.choices = list(action.choices)  # shtab takes a mapping for subcommands
        elif action.nargs != 0 and (action.type is Path or action.metavar in PATHS):
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # which shtab adds
    return parser


def script() -> str:
    """The text of the completion script."""
    parsers = list(map(completed, COMMANDS))
    written = [shtab.complete(parser, shell="bash") for parser in parsers]
    names = " ".join(parser.prog for parser in parsers)
    return "\n".join([*written, DELEGATE.format(names=names, starters=" ".join(STARTERS))])


def main() -> int:
    """Write the script, and return the exit code."""
    try:
        put(script())
    except (ValueError, OSError) as error:
        print(f"completion.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
