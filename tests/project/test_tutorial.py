"""The tutorial's commands print what the page says. UPDATE=1 writes what they print into the page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)


def printed(command: str, lesson: Path) -> str:
    """What a command of the page prints, with a folder of the test in place of build/lesson."""
    command = command.replace("build/lesson", str(lesson))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "80"}
    done = subprocess.run(
        command, shell=True, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.stdout.replace(str(lesson), "build/lesson")


@pytest.mark.slow
def test_every_command_prints_what_the_page_says(tmp_path):
    page = PAGE.read_text(encoding="utf-8")

    def run(block: re.Match) -> str:
        commands = [line for line in block[0].splitlines() if line.startswith("$ ")]
        return "".join(f"{line}\n{printed(line[2:], tmp_path / 'lesson')}" for line in commands)

    found = BLOCK.sub(run, page)
    if os.environ.get("UPDATE"):
        PAGE.write_text(found, encoding="utf-8")
    assert found == page
