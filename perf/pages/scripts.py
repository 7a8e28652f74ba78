"""The command-line scripts of the repository, and their options as --help prints them."""

import argparse
import importlib
import inspect
import os
import re
from functools import partialmethod
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
STARTED = re.compile(r"^if __name__ ==", re.MULTILINE)
METHODS = ("parse_args", "parse_known_args", "parse_intermixed_args")
WIDTH = "100"  # columns of a help text


class Found(Exception):
    """Raised in place of parsing: a parser, and the method by which its script parses."""


def scripts(folder: str) -> list[str]:
    """The scripts of a folder that read a command line."""
    files = {p.relative_to(ROOT).as_posix(): p for p in sorted((ROOT / folder).rglob("*.py"))}
    texts = {name: p.read_text(encoding="utf-8") for name, p in files.items() if not re.match(r"results/v\d", name)}
    return [name for name, text in texts.items() if STARTED.search(text) and "ArgumentParser(" in text]


def parser_of(script: str, arguments: list[str] | None = None) -> tuple[argparse.ArgumentParser, str]:
    """(parser of a script, method by which it parses). The script is imported, and its `main` is called up to the point
    where it parses. Raises ValueError for an unknown script, and for one that parses nothing."""
    if not (ROOT / script).is_file():
        raise ValueError(f"found no {script}")
    main = importlib.import_module(script.removesuffix(".py").replace("/", ".")).main
    with mock.patch.multiple(argparse.ArgumentParser, **{name: partialmethod(_stop, name) for name in METHODS}):
        try:
            main(*([arguments or []] if inspect.signature(main).parameters else []))
        except Found as found:
            return found.args
    raise ValueError(f"{script}: its main reads no command line")


def _stop(self: argparse.ArgumentParser, name: str, *_, **__):
    raise Found(self, name)


def help_of(script: str) -> str:
    """The help text of a script, at a fixed width."""
    parser, _ = parser_of(script)
    parser.prog = f"python {script}"
    with mock.patch.dict(os.environ, {"COLUMNS": WIDTH}):
        return parser.format_help().replace(f"{ROOT}/", "")


def page(folder: str) -> str:
    """The Markdown of a folder's scripts and their options."""
    parts = [f"# Commands of {folder}/\n\nWhat each script prints with `--help`.\n"]
    parts += [f"## {script}\n\n```text\n{help_of(script).rstrip()}\n```\n" for script in scripts(folder)]
    return "\n".join(parts)
