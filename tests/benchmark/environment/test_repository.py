import subprocess

import pytest

from benchmark.environment.commands import Asked
from benchmark.environment.repository import blob, questions, state


@pytest.fixture
def repository(tmp_path):
    """A repository with two files, whose configuration would run programs."""

    def git(*words):
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        done = subprocess.run(
            ("git", *identity, "-C", str(tmp_path), *words), capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    git("init", "-q")
    (tmp_path / "a.py").write_text("1\n")
    (tmp_path / "b [x].py").write_text("2\n")
    git("add", ".")
    git("commit", "-qm", "x")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "filter.x.clean", "filter.x.smudge", "core.sshCommand"):
        git("config", name, str(trap))
    git("config", "core.hooksPath", str(tmp_path))
    (tmp_path / ".gitattributes").write_text("* filter=x\n")
    return tmp_path, git("rev-parse", "HEAD")


def asked(root, files):
    return state(root, files, Asked(questions(root, files), 30))


def test_a_commit_and_what_differs_from_it(repository):
    root, commit = repository
    files = ["a.py", "b [x].py"]
    assert asked(root, files) == {"commit": commit, "dirty": False, "changed": 0, "files": []}
    (root / "b [x].py").write_text("3\n")
    assert asked(root, files) == {"commit": commit, "dirty": True, "changed": 1, "files": ["b [x].py"]}
    assert not (root / "sprung").exists()


def test_a_file_that_no_commit_has(repository):
    root, _ = repository
    (root / "new.py").write_text("4\n")
    assert asked(root, ["a.py", "new.py"])["files"] == ["new.py"]


def test_no_repository(tmp_path):
    with pytest.raises(ValueError, match="exit code 128"):
        asked(tmp_path, ["a.py"])


def test_names_of_bytes(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"")
    assert blob(path, "") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert len(blob(path, "a" * 64)) == 64 and blob(tmp_path / "none", "") == ""
