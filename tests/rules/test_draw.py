import fcntl
import io
import os
import subprocess
import sys
import threading
import time
from unittest.mock import Mock

import pytest

from benchmark import atomic
from rules import draw
from rules.registry import FIRST, Request, read_registry

LINE = Request("acme", "box", "scaffold", "smoke", "5" * 64, "c" * 64).text
OTHER = Request("acme", "box", "scaffold", "smoke", "5" * 64, "d" * 64).text


@pytest.fixture
def path(tmp_path):
    """Where a round's registry lies."""
    (tmp_path / "v1.0").mkdir()
    return tmp_path / "v1.0" / "registry.yaml"


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command: (exit code, output, errors)."""

    def command(*arguments, sent=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent.encode())))
        code = draw.main([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return command


def test_an_entry_is_appended_with_a_nonce_of_the_systems(run, path, monkeypatch):
    monkeypatch.setattr(os, "urandom", lambda size: bytes(range(size)))
    before = time.time() - 1
    code, out, err = run(path, sent=LINE + "\n")
    (entry,) = read_registry(path, "v1.0").entries
    assert (code, err) == (0, "")
    assert out == f"entry 1: acme, box, scaffold, smoke\n{path}: 1 entries, head {entry.digest}\n"
    assert entry.nonce == bytes(range(32)).hex()
    assert before <= entry.drawn_ms / 1000 <= time.time()
    first = path.read_bytes()
    monkeypatch.undo()
    assert run(path, sent=OTHER)[0] == 0 and path.read_bytes().startswith(first)
    assert read_registry(path, "v1.0").entries[1].before == entry.digest


def test_the_same_source_and_settings_are_drawn_once(run, path):
    run(path, sent=LINE)
    before = path.read_bytes()
    for again in (LINE, LINE.replace("acme", "ACME"), f"{OTHER}\n{LINE}", f"{OTHER}\n{OTHER}"):
        code, out, err = run(path, sent=again)
        assert (code, out) == (2, "") and "with the source and settings of entry" in err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("", "found 0 lines on standard input, wanted 1 to 100"),
        (f"{LINE}\n" * 101, "found 101 lines"),
        ("{}", "line 1: found no field 'benchmark'"),
        (f"{LINE}\nhello", "line 2: found 'hello', wanted a mapping in JSON"),
    ],
)
def test_a_line_that_is_no_request_is_refused(run, path, sent, message):
    code, out, err = run(path, sent=sent)
    assert (code, out) == (2, "") and err.startswith("draw.py: ") and message in err
    assert not path.exists()


def test_as_many_requests_as_are_allowed_make_an_entry_each(run, path):
    path.parent.rmdir()
    sent = [LINE.replace("acme", f"acme{i}") for i in range(100)]
    code, out, _ = run(path, sent="\n".join(sent))
    assert code == 0 and len(out.splitlines()) == 101
    assert len(read_registry(path, "v1.0").entries) == 100


def test_nothing_is_appended_to_a_registry_that_is_not_whole(run, path):
    run(path, sent=f"{LINE}\n{OTHER}")
    damaged = path.read_text().replace("c" * 64, "e" * 64)
    path.write_text(damaged)
    code, out, err = run(path, sent=LINE.replace("box", "crate"))
    assert (code, out) == (2, "") and f"{path}:2: found before" in err
    assert path.read_text() == damaged


def test_a_disk_that_is_full_leaves_what_was_there(run, path, monkeypatch):
    run(path, sent=LINE)
    before = path.read_bytes()

    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic, "sync", full)
    code, _, err = run(path, sent=OTHER)
    assert code == 2 and "No space left" in err
    assert path.read_bytes() == before and os.listdir(path.parent) == ["registry.yaml"]


def test_who_draws_at_the_same_time_waits(run, path):
    handle = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    other = threading.Thread(target=lambda: draw.draw(path, "v1.0", draw.requests(LINE.encode())))
    other.start()
    other.join(0.2)
    assert other.is_alive() and not path.exists()
    os.close(handle)
    other.join(60)
    assert len(read_registry(path, "v1.0").entries) == 1


def test_a_folder_that_cannot_be_locked_is_named(run, path, monkeypatch):
    monkeypatch.setattr(draw.fcntl, "flock", Mock(side_effect=OSError(37, "No locks available")))
    wanted = f"draw.py: {path.parent}: cannot be locked (No locks available), wanted a local disk\n"
    assert run(path, sent=LINE) == (2, "", wanted) and not path.exists()


def test_an_entry_that_nobody_reads_is_drawn(path):
    command = [sys.executable, draw.__file__, str(path)]
    ends = os.pipe()
    os.close(ends[0])
    done = subprocess.run(command, input=LINE.encode(), stdout=ends[1], stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"") and len(read_registry(path, "v1.0").entries) == 1


def test_a_registry_that_grows_too_large_is_refused(run, path, monkeypatch):
    run(path, sent=LINE)
    monkeypatch.setattr(draw, "LARGEST", 900)
    code, _, err = run(path, sent=OTHER)
    assert code == 2 and "bytes with the new entries, wanted at most 900" in err
    monkeypatch.setattr(draw, "LARGEST", int(err.split(" bytes")[0].rpartition(" ")[2]))
    assert run(path, sent=OTHER)[0] == 0


def test_verify_says_whether_the_chain_holds(run, path):
    assert run(path, "--verify") == (2, "", f"draw.py: {path}: found no file, wanted a registry\n")
    path.write_text("")
    assert run(path, "--verify") == (0, f"{path}: 0 entries, head {FIRST}\n", "")
    assert run(path, "--verify", "")[0] == 1
    run(path, sent=f"{LINE}\n{OTHER}")
    one, two = read_registry(path, "v1.0").entries
    whole = f"{path}: 2 entries, head {two.digest}\n"
    for noted in ([], [one.digest], [two.digest]):
        assert run(path, "--verify", *noted) == (0, whole, "")
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    assert run(path, "--verify", one.digest)[0] == 0
    code, out, err = run(path, "--verify", two.digest)
    assert (code, out) == (1, "") and f"{path}:1: found no entry with the digest" in err
    path.write_text(path.read_text().replace("acme", "bolt") + "- {}\n")
    code, out, err = run(path, "--verify")
    assert (code, out) == (1, "") and f"{path}:2: found no field 'before'" in err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("v1.0/other.yaml", "found 'other.yaml', wanted registry.yaml"),
        ("v9.9/registry.yaml", "no edition 'v9.9'"),
        ("mlperf-hpc-v3.0/registry.yaml", "found a round of mlperf-hpc-v3.0, which has no registry"),
    ],
)
def test_a_registry_lies_in_the_folder_of_a_round(run, tmp_path, name, message):
    code, _, err = run(tmp_path / name, sent=LINE)
    assert code == 2 and message in err
    assert not (tmp_path / name).exists()
