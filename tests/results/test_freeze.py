"""Freezing a round through the command."""

import json
import os

import pytest

from compliance.engine import judge
from compliance.finding import errors
from results import freeze
from results.freeze import NAME
from rules.registry import Registry, Request


@pytest.fixture
def home(tree, new_log):
    """A round with two submissions."""
    for org in ("a", "b"):
        tree.set([new_log.scaffold(50)], org=org)
    return tree.root / "v1.0"


@pytest.fixture
def call(capsys):
    def run(*args):
        code = freeze.main([str(a) for a in args])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def test_a_round_as_it_was(home, call):
    assert call(home, "--with-errors") == (0, f"wrote {home / NAME}: 4 files\n")
    assert call(home, "--check") == (0, "4 files as frozen\n")
    assert [line.split(" ")[2] for line in (home / NAME).read_text().splitlines()] == sorted(freeze.listed(home))
    assert not [f for f in judge([home]).findings if f.code == "TREE13"]


def test_changes_are_told_by_both(home, call):
    call(home, "--with-errors")
    (log,) = home.glob("a/results/*/*/*/result_0.txt")
    log.write_text(log.read_text() + "\n")
    for path in sorted(home.glob("b/**/*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    code, out = call(home, "--check")
    assert code == 1 and f"{log}: changed\n" in out and f"{home}/b/systems/box.json: absent\n" in out
    assert out.endswith("4 files were frozen; 3 are not as they were\n")
    assert [f.path for f in judge([home]).findings if f.code == "TREE13"] == [str(log)]


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "code"), [(1500, 0), (3000, 2)])
def test_folders_in_folders(home, call, depth, code, monkeypatch):
    """Python calls itself a thousand times at most; Linux takes paths of 4,095 bytes."""
    monkeypatch.chdir(home / "a")
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    os.mknod("x")
    try:
        found, said = call(home, "--with-errors")
    finally:  # shutil.rmtree calls itself, too
        os.unlink("x")
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("d")
    assert (found, said.count("\n")) == (code, 1)
    assert said == f"wrote {home / NAME}: 5 files\n" if code == 0 else "File name too long" in said


def test_a_folder_that_cannot_be_read_is_named(home, monkeypatch, call):
    def scandir(path, real=os.scandir):
        if str(path).endswith("systems"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(freeze.os, "scandir", scandir)
    code, said = call(home, "--with-errors")
    assert code == 2 and "Permission denied" in said and "systems" in said


def test_refusals(home, call, tmp_path):
    assert call(home, "--check") == (2, f"freeze.py: {home}: found no {NAME}, wanted a round that is frozen\n")
    assert call(home / "a", "--with-errors")[0] == 2 and "named as an edition" in call(home / "a", "--with-errors")[1]
    (tmp_path / "v1.0").mkdir()
    assert "found no file, wanted submissions" in call(tmp_path / "v1.0")[1]
    (home / "a" / "link").symlink_to("/etc")
    assert "wanted a plain file or folder" in call(home, "--with-errors")[1] and not (home / NAME).exists()
    (home / "a" / "link").unlink()
    call(home, "--with-errors")
    code, out = call(home, "--with-errors")
    assert code == 2 and "the round is frozen" in out


@pytest.fixture
def published(tree, new_log):
    """The log of a run in a round with a submission in order."""
    return tree.published(new_log.sets[0], "mlperf-hpc-v0.7") / "result_1.txt"


def test_a_round_with_errors_is_frozen_if_all_are_waived(published, call, tmp_path):
    """Or if that is asked for; a round in order always."""
    home = published.parents[4]
    assert call(home)[0] == 0
    (home / NAME).unlink()
    published.write_text(published.read_text().replace('"value": "LAMB"', '"value": "SGD"'))
    code, said = call(home)
    assert code == 2 and not (home / NAME).exists()
    assert f"freeze.py: {home}: found " in said and "waive them (--waivers FILE), or say --with-errors" in said
    assert "HYP" in said and str(published) in said
    known = {"organisation": published.parents[3].name, "path": "result_1.txt", "reason": "known", "reviewer": "R"}
    entries = [{**known, "code": code} for code in sorted({f.code for f in errors(judge([home]).findings)})]
    for waived, wanted in ((entries[:-1], 2), (entries, 0)):
        (tmp_path / "waivers.yaml").write_text(json.dumps(waived))
        assert call(home, "--waivers", tmp_path / "waivers.yaml")[0] == wanted
    (home / NAME).unlink()
    assert call(home, "--with-errors")[0] == 0 and (home / NAME).exists()


def test_who_registered_and_never_handed_in_is_listed(home, call):
    registry = Registry("v1.0")
    for organisation, problem in (("crux", "smoke"), ("A", "smoke"), ("crux", "tiny"), ("dove", "smoke")):
        request = Request(organisation, "box", "scaffold", problem, "1" * 64, "2" * 64)
        registry.draw(request, "2026-03-31T22:40:00Z", f"{len(registry.entries):064d}")
    (home / "registry.yaml").write_text(registry.text)
    said = (
        "registered and never handed in: crux (registry.yaml, entry 1, 3)\n"
        "registered and never handed in: dove (registry.yaml, entry 4)\n"
    )
    assert call(home, "--with-errors") == (0, f"wrote {home / NAME}: 5 files\n{said}")
    assert call(home, "--check") == (0, f"5 files as frozen\n{said}")
    (home / NAME).unlink()
    (home / "registry.yaml").write_text("- {}\n")
    assert call(home, "--with-errors") == (0, f"wrote {home / NAME}: 5 files\n")
