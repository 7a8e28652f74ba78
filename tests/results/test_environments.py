"""Differences of environments, in the comparison as text and as a page."""

import json
from hashlib import sha256

import pytest

from compliance.reading.environment import parse
from results import compare
from results.differences import LONGEST
from results.environments import MOST_ROWS, table
from tests.compliance import environments
from tests.support.effort import lines_run


@pytest.fixture
def surveyed(tree, new_log):
    """The function that makes a set of two runs whose manifests have these packages, or none."""

    def make(org, *packages):
        logs, texts = [], []
        for i, installed in enumerate(packages):
            content = environments.manifest()
            content["nodes"][0]["facts"]["packages"]["value"] = installed
            texts.append(json.dumps(content))
            more = {"bytes": len(texts[-1]), "path": f"environment_{i}.json"}
            log = new_log.scaffold(50 + i, seed=900 + i)
            at = next(n for n, line in enumerate(log.lines) if '"run_start"' in line)
            log.add("environment", sha256(texts[-1].encode()).hexdigest(), **more)
            log.lines.insert(at, log.lines.pop())
            logs.append(log if installed is not None else new_log.scaffold(50 + i, seed=900 + i))
        folder = tree.set(logs, org=org)
        for i, text in enumerate(texts):
            (folder / f"environment_{i}.json").write_text(text)
        return folder

    return make


def test_facts_that_differ_are_told(surveyed, run, tmp_path):
    a = surveyed("a", {"numpy": "2.4.6", "h5py": "3"}, {"numpy": "2.4.7", "h5py": "3"})
    b = surveyed("b", *[{"numpy": "2.4.6", "tqdm": "4", "h5py": "3"}] * 2)
    page, file = tmp_path / "page.html", tmp_path / "text.txt"
    assert run(a, b, "--output", page, "--output", file, command=compare)[0] == 0
    text = file.read_text().partition("environment (differences)\n")[2].partition("\n\n")[0]
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["manifests", "2", "of", "2", "runs", "2", "of", "2", "runs"],
        ["packages.numpy", "2.4.6,", "in", "other", "runs", "2.4.7", "2.4.6"],
        ["packages.tqdm", "-", "4"],
    ]
    assert "Environment: differences" in page.read_text() and "packages.tqdm" in page.read_text()


def test_sets_without_manifests_differ_in_that_alone(surveyed, run):
    a, b = surveyed("a", *[{"numpy": "2.4.6"}] * 2), surveyed("b", None, None)
    text = run(a, b, command=compare)[1].out.partition("environment (differences)\n")[2].partition("\n\n")[0]
    assert [line.split() for line in text.splitlines()[1:]] == [["manifests", "2", "of", "2", "runs", "-"]]
    assert "environment" not in run(b, b, command=compare)[1].out.partition("source (")[0]


def test_nothing_of_a_manifest_is_unbounded():
    content = environments.manifest()
    content["nodes"][0]["facts"]["packages"]["value"] = {"n" * 500: "v" * 5000}
    number, found = table(iter([parse(json.dumps(content).encode())]))
    assert number == 1
    assert max(map(len, found)) == 100 and max(map(len, found.values())) <= LONGEST and MOST_ROWS < 1000


def test_values_of_one_name_take_no_time():
    """Names that are cut to the same one, each with another value."""
    content, lines = environments.manifest(), []
    for names in (200, 400, 800):
        sides = []
        for run in range(4):
            values = {"n" * 100 + str(i): f"{run}.{i}" for i in range(names)}
            content["nodes"][0]["facts"]["variables"]["value"] = values
            sides.append(parse(json.dumps(content).encode()))
        lines.append(lines_run(lambda made=sides: table(made)))
    assert lines[2] - lines[1] <= 2.1 * (lines[1] - lines[0])
    value = next(value for key, value in table(sides)[1].items() if "nnn" in key)
    assert value == "0.0, in other runs 0.1 or 0.2 or 0.3 or 0.4"
