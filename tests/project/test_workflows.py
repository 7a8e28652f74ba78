"""Workflows of continuous integration: fixed actions, no more rights than reading, commands that exist."""

import re

import pytest
import yaml

from tests.support import ROOT

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]


def test_it_may_only_read_and_its_actions_cannot_change():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert not [name for name, job in WORKFLOW["jobs"].items() if "permissions" in job]
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]) for step in STEPS if "uses" in step)
    checkouts = [step for step in STEPS if step.get("uses", "").startswith("actions/checkout@")]
    assert len(checkouts) == len(WORKFLOW["jobs"])
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_every_supported_python_is_tried():
    least, below = re.search(r"\(3, (\d+)\) <= v < \(3, (\d+)\)", (ROOT / "Makefile").read_text()).groups()
    tried = {*WORKFLOW["jobs"]["python"]["strategy"]["matrix"]["version"]}
    tried |= {
        step["with"]["python-version"] for step in WORKFLOW["jobs"]["whole"]["steps"] if "python-version" in str(step)
    }
    assert tried == {f"3.{minor}" for minor in range(int(least), int(below))}


@pytest.mark.parametrize("command", [step["run"] for step in STEPS if "run" in step])
def test_its_commands_name_what_there_is(command):
    assert "${{" not in command
    targets = re.findall(r"^(\S+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = [word for word in command.split() if "/" in word]
    assert all((ROOT / word).exists() for word in named)
    assert named or (command.split()[0] == "make" and command.split()[1] in targets)
