"""What an entrant sends to the organisers, read from logs."""

import functools
import json
import os
import subprocess
import sys

import pytest

from compliance import register
from rules.registry import parse_request
from tests.support import ROOT


@pytest.fixture
def run(call):
    return functools.partial(call, register.main)


def wanted(log):
    """The line of a log."""
    return json.dumps({name: log.one(key)["value"] for key, name in register.KEYS.items()}, sort_keys=True) + "\n"


def test_a_log_a_set_and_a_submission_give_the_line_once(tree, run):
    line = wanted(tree.logs[0])
    for path in (tree.path(0), tree.path(0).parent, tree.root, tree.root.parent):
        assert run(path) == (0, line, "")
    assert run(tree.path(0), tree.path(1)) == (0, line, "")
    assert parse_request(line).organisation == "acme"


def test_other_settings_are_another_line(tree, run):
    tree.settings(3, cache_gib=2)
    assert run(tree.root) == (0, wanted(tree.logs[0]) + wanted(tree.logs[3]), "")


def test_a_rehearsal_that_breaks_off_and_a_log_of_steps_will_do(study, run):
    log = study.logs[0]
    log.events = log.events[: log.events.index(log.one("source")) + 1]
    study.changed("seed", 0, metadata={"source": "rehearsal"}, value=1)
    for index in (0, 6):
        assert run(study.path(index)) == (0, wanted(log), "")


@pytest.mark.parametrize("key", register.KEYS)
def test_a_log_that_lacks_a_part_is_refused(tree, run, key):
    tree.removed(key)
    code, out, err = run(tree.path(2))
    assert (code, out) == (2, "")
    assert err == f"register.py: {tree.path(2)}: found no {key}, wanted {', '.join(register.KEYS)}\n"
    assert run(tree.root)[:2] == (2, "")


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("submission_org", "a/b", "organisation 'a/b'"),
        ("problem", None, "problem None"),
        ("config_digest", {"a": "b"}, "config {'a': 'b'}"),
    ],
)
def test_a_value_that_cannot_be_registered_is_refused(tree, run, key, value, found):
    tree.changed(key, value=value)
    code, out, err = run(tree.path(2))
    assert (code, out) == (2, "") and f"{tree.path(2)}: found {found}, wanted " in err


@pytest.mark.parametrize("files", [None, [], {"a.py": "0" * 64}, {"../a.py": "0" * 64}, {"\udcff": "0" * 64}])
def test_a_source_that_is_not_the_digest_of_its_files_is_refused(tree, run, files):
    line = tree.changed("source", metadata={"files": files})
    code, out, err = run(tree.path(2))
    assert (code, out) == (2, "") and f"{tree.path(2)}:{line}: found source '" in err


@pytest.mark.parametrize("make", [lambda path: None, os.mkdir, os.mkfifo])
def test_nothing_to_read_is_2(tmp_path, run, make):
    make(tmp_path / "given")
    code, out, err = run(tmp_path / "given")
    assert (code, out) == (2, "") and err.startswith(f"register.py: {tmp_path / 'given'}: ")


def test_what_is_no_log_is_2(tmp_path, run):
    (tmp_path / "result_0.txt").write_bytes(b":::MLLOG " + b"[" * 500_000)
    assert "found no submission_org" in run(tmp_path)[2]


def test_the_reference_can_be_registered(tmp_path):
    """As entrant and organisers do it: register, draw, verify."""
    entrant = [sys.executable, "compliance/register.py", "results/v1.0/reference"]
    sent = subprocess.run(entrant, cwd=ROOT, capture_output=True, text=True)
    assert (sent.returncode, sent.stderr) == (0, "")
    requests = [parse_request(line) for line in sent.stdout.splitlines()]
    assert {r.benchmark for r in requests} == {"cosmoflow", "deepcam", "scaffold"}
    organisers = [sys.executable, "rules/draw.py", str(tmp_path / "v1.0" / "registry.yaml")]
    drawn = subprocess.run(organisers, cwd=ROOT, capture_output=True, text=True, input=sent.stdout)
    assert (drawn.returncode, drawn.stderr) == (0, "")
    verified = subprocess.run([*organisers, "--verify"], cwd=ROOT, capture_output=True, text=True)
    assert verified.stdout == drawn.stdout.splitlines(keepends=True)[-1]
