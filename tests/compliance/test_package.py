"""The command that packs submissions and looks at packages."""

import functools
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compliance import package
from tests.support import ROOT


@pytest.fixture
def run(law, call):
    """Runs the command: (exit code, lines, errors)."""

    def command(*arguments):
        code, out, errors = call(functools.partial(package.main, rules=law), *arguments)
        return code, out.splitlines(), errors

    return command


def test_packed_verified_unpacked(launched, run, tmp_path):
    out = tmp_path / "acme.tar.gz"
    code, lines, _ = run(launched.root, "--out", out)
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    assert code == 0 and lines[1] == f"sha256 of the package: {digest}"
    assert lines[3] == "5 logs, passed, 0 warnings and 0 reviews to read"
    line = json.loads(lines[4].removeprefix("for the organisers: "))
    assert (line["submission"], line["edition"], line["package"], line["entries"]) == ("acme", "v1.0", digest, [])
    assert [len(head) for head in line["ledgers"].values()] == [64]
    assert lines[5].startswith(f"next: python compliance/package.py --verify {out}")
    assert run("--verify", out) == (0, lines[:3], "")
    code, lines, _ = run("--unpack", out, "--to", tmp_path / "new" / "v1.0")
    assert (code, lines[0]) == (0, str(tmp_path / "new" / "v1.0" / "acme"))
    assert run("--unpack", out, "--to", tmp_path / "new" / "v1.0")[0] == 2


def test_anonymous_and_back(registered, run, tmp_path):
    lines = run(registered.root, "--out", tmp_path / "named.tar.gz")[1]
    assert json.loads(lines[4].partition(": ")[2])["entries"] == [2]
    files = tmp_path / "a.tar.gz", tmp_path / "a.key"
    code, lines, errors = run(registered.root, "--out", files[0], "--anonymous", "--key", files[1])
    assert (code, errors) == (0, "")
    told = json.loads(lines[5].partition(": ")[2])
    assert told["key"] == hashlib.sha256(files[1].read_bytes()).hexdigest() and "entries" not in told
    assert any(line.startswith("words of the published source, left in source: acme, box") for line in lines)
    assert "seeds come from the registry: who has it can tell whose they are" in lines
    code, lines, _ = run("--restore", files[0], "--key", files[1], "--to", tmp_path / "v2")
    assert (code, lines[0]) == (0, str(tmp_path / "v2" / "acme"))


def test_errors_are_exit_1_and_named(broken, run, tmp_path):
    code, lines, errors = run(broken.root, "--out", tmp_path / "a.tar.gz")
    assert (code, lines) == (1, []) and "nothing was packed" in errors and "result_1.txt:8: SEED0" in errors


def test_a_package_that_is_none_is_exit_1_and_one_line(run, tmp_path):
    (tmp_path / "p").write_bytes(b"PK")
    code, lines, errors = run("--verify", tmp_path / "p")
    assert (code, lines) == (1, []) and errors.startswith(f"package.py: {tmp_path / 'p'}: package: found no gzip (")
    assert errors.endswith("), wanted one\n") and errors.count("\n") == 1


@pytest.mark.parametrize("words", ["--verify none", "none --out x", "--restore p --key none --to x"])
def test_what_cannot_be_done_is_exit_2_and_one_line(run, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, lines, errors = run(*words.split())
    assert (code, lines) == (2, []) and errors.startswith("package.py: none: ") and errors.count("\n") == 1


def test_places_that_cannot_be_written_are_one_line(tree, run, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, errors = run(tree.root, "--out", tmp_path / "file" / "a.tar.gz")
    assert code == 2 and errors.count("\n") == 1 and "file" in errors


@pytest.mark.parametrize(
    "words",
    ["", "a", "a --verify b", "a --out b --anonymous", "a --out b --key c", "a --out b --hide c", "--restore a --to b"],
)
def test_commands_that_say_too_little_or_too_much(words, run):
    with pytest.raises(SystemExit) as ended:
        run(*words.split())
    assert ended.value.code == 2


def test_it_runs_as_a_file_and_without_torch(tree, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError")
    command = [sys.executable, str(ROOT / "compliance" / "package.py"), str(tree.root), "--out", str(tmp_path / "a")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1 and "nothing was packed" in done.stderr  # the published rules know no tiny problem


def test_what_to_type_next_is_no_command_of_a_strangers():
    assert package.unpacked(Path("new/$(rm -rf x)"))[1] == "next: python compliance/check.py 'new/$(rm -rf x)'"
