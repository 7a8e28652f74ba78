"""What pages tell people to type: scripts that exist, with options that they have; links that lead somewhere."""

import argparse
import re
import shlex

import pytest

from harness.implementation import find_implementation
from harness.launcher import Launcher
from harness.options import Setup
from harness.system import fields_of
from perf.pages.scripts import parser_of
from rules.edition import load
from tests.support import ROOT

FENCE = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCS = "submitting handing-in implementing organising tuning io procurement centres registry weights"
READMES = ("compliance/", "rules/", "harness/", "implementations/pytorch/", "")
PAGES = (*(f"docs/{name}.md" for name in DOCS.split()), *(f"{folder}README.md" for folder in READMES))
SHORT = 4  # commands that the shortest of these pages has


def commands(text: str) -> list[str]:
    """The commands `python SCRIPT ...` of a page, in blocks and within lines, without comments and redirections."""
    lines = [line for block in FENCE.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    lines += re.findall(r"`(python [^`\n]+)`", FENCE.sub("", text))
    found = [re.split(r"\s+#\s|\s[<>|]|\s&&\s", line)[0].strip() for line in lines if line.startswith("python ")]
    return [command for command in found if "..." not in command]  # which leaves something out


def parse(command: str) -> argparse.Namespace:
    """What a command's script reads from it. Raises ValueError for a script or an option that there is not."""
    _, script, *arguments = shlex.split(command)
    if script == "-m":
        module, *arguments = arguments
        script = f"{module.replace('.', '/')}.py"
    script = re.sub(r"^implementations/acme(-open)?/", "implementations/pytorch/", script)
    try:
        parser, method = parser_of(script, arguments)
        return getattr(parser, method)(arguments)
    except SystemExit:
        raise ValueError(f"{command}: {script} does not take it") from None


@pytest.mark.parametrize("page", PAGES)
def test_commands_can_be_typed(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    found = commands(text)
    assert len(found) >= SHORT and not re.search(r"`python [^`\n]*\n", FENCE.sub("", text)), "a command is broken off"
    for command in found:
        parse(command)


@pytest.mark.parametrize("words", ["compliance/chek.py x", "compliance/check.py --explian HYP01", "rules/draw.py"])
def test_commands_that_cannot_are_seen(words, capsys):
    with pytest.raises(ValueError, match=words.split()[0]):
        parse(f"python {words}")


def test_commands_are_found_in_blocks_and_in_lines():
    text = (
        "Type `python a.py --x` or `make`:\n\n```\n. b\npython c.py 1   # d\npython e.py > f && g\n```\n`python h.py`\n"
    )
    assert commands(text) == ["python c.py 1", "python e.py", "python a.py --x", "python h.py"]


def test_the_table_of_a_system_description_has_its_fields():
    text = (ROOT / "docs" / "description.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)`( \*)? \|.*\|$", text, re.M)
    asked = load("v1.0").limits.system_fields
    setup = Setup(find_implementation("pytorch"), Launcher(), "smoke", ROOT, ROOT, "acme", "box")
    assert [name for name, _ in rows] == list(fields_of(setup, None))
    assert {name for name, star in rows if star} == asked.keys()
