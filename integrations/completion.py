"""Write the completion of the project's commands for bash.

    python integrations/completion.py > build/completion.bash        (make completion)
    source build/completion.bash

The script knows every option, its choices and whether it takes a file. Scripts are completed where they are named after
`python`, `torchrun` or `python -m`, or started by themselves. Completing starts no Python.
"""

import argparse
import importlib
import sys
from pathlib import Path
from unittest.mock import patch

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import shtab
import yaml

from rules.edition import editions

ROOT = Path(__file__).resolve().parents[1]

COMMANDS = (
    "compliance.check",
    "compliance.audit",
    "compliance.package",
    "results.summarize",
    "results.compare",
    "results.site",
    "implementations.pytorch.train",
    "implementations.pytorch.submit",
    "implementations.pytorch.init",
    "implementations.pytorch.tune",
    "implementations.pytorch.launch.render",
    "benchmark.generate",
)
PATHS = ("PATH", "SUBMISSION")  # what usage calls an argument that is a path
STARTERS = ("python", "python3", "torchrun")
# Finds the script among the words, and has the rest completed as its own.
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


class Found(Exception):
    """A parser, at the moment when it was to parse."""


def parser_of(module: str) -> argparse.ArgumentParser:
    """The parser of a command's options, which its `main` makes. Raises ValueError for one that makes none."""

    def stop(parser: argparse.ArgumentParser, *_: object) -> None:
        raise Found(parser)

    name = module.rpartition(".")[2] + ".py"
    main = importlib.import_module(module).main
    with patch.object(argparse.ArgumentParser, "parse_known_args", stop), patch.object(sys, "argv", [name]):
        try:
            main()
        except Found as found:
            parser = found.args[0]
            parser.prog = name
            return parser
    raise ValueError(f"{module}: found no parser, wanted an ArgumentParser in main()")


def problems() -> list[str]:
    """The names of the published problems."""
    files = sorted(ROOT.glob("benchmark/*/problems.yaml"))
    return [name for file in files for name in yaml.safe_load(file.read_text(encoding="utf-8"))]


def with_values(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser, whose arguments say what may be their values."""
    for action in parser._actions:
        if action.dest == "problem":
            action.choices = problems()
        elif action.metavar == "EDITION":
            action.choices = editions()
        elif action.choices:
            action.choices = list(action.choices)  # shtab takes a mapping of a positional's for commands
        elif action.nargs != 0 and (action.type is Path or action.metavar in PATHS):
            action.complete = shtab.FILE
    return parser


def script() -> str:
    """The text of the completion for bash."""
    parsers = [with_values(parser_of(module)) for module in COMMANDS]
    written = [shtab.complete(parser, shell="bash") for parser in parsers]
    names = " ".join(parser.prog for parser in parsers)
    return "\n".join([*written, DELEGATE.format(names=names, starters=" ".join(STARTERS))])


def main() -> int:
    """Write it; the exit code."""
    try:
        sys.stdout.write(script())
        sys.stdout.flush()
    except (ValueError, OSError) as error:
        print(f"completion.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
