"""CITATION.cff says what the project's other files say."""

import tomllib

import yaml

from tests.support import ROOT


def test_the_citation_is_of_this_project():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (found["version"], found["license"]) == (project["version"], project["license"])
    assert f"# {found['title']}" == (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[0]
    assert {"cff-version", "message", "authors", "type"} <= found.keys()
