"""A log that is where it was asked for, or the run says so; and what a run enters into the ledger of its set."""

import errno
import hashlib
import os
import resource
import signal
import sys
import time

import pytest

from benchmark.ledger import End, Start, commitment, read_ledger
from benchmark.log import LogWriter
from benchmark.tree import LEDGER
from implementations.pytorch.training.events import RunLog, open_log


@pytest.fixture
def log(tmp_path) -> RunLog:
    log = open_log(tmp_path / "log.txt", False)
    log.start("run")
    return log


def replace(path) -> None:
    """A file of the same content in its place."""
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.replace(other, path)


LOST = [(os.remove, "no file"), (replace, "another file")]


@pytest.mark.parametrize(("lose", "found"), LOST)
def test_a_log_that_is_gone_ends_the_run_at_the_next_event(log, lose, found):
    log.event("before", 1)
    lose(log.path)
    with pytest.raises(OSError, match=f"found {found} there, wanted the log that this run writes") as caught:
        log.event("after", 1)
    assert (caught.value.filename, caught.value.errno) == (str(log.path), errno.ESTALE)


@pytest.mark.parametrize(("lose", "found"), LOST)
def test_a_success_without_a_log_is_none(log, lose, found):
    lose(log.path)
    with pytest.raises(OSError, match=f"found {found} there"):
        log.stop("success")
    log.stop("aborted", "the first reason stands")  # and nothing is raised while the run ends


@pytest.mark.parametrize(("lose", "found"), LOST)
def test_a_run_that_is_aborted_ends_without_its_log(log, lose, found):
    lose(log.path)
    log.stop("aborted", "why")


@pytest.mark.parametrize(("lose", "found"), LOST)
def test_an_end_is_that_of_the_runs_own_log(log, lose, found):
    """A run that is slow to end, whose log was moved aside, enters no digest of the log that is there now."""
    log.started = 1
    log.stop("aborted", "SIGTERM")
    lose(log.path)
    with pytest.raises(OSError, match=f"found {found} there"):
        log.finish()
    assert not (log.path.parent / LEDGER).exists()


def test_a_success_on_a_full_disk_is_none(log):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.path.stat().st_size, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            log.stop("success")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_is_told_once(log, monkeypatch):
    """The writer, whose buffer can't be emptied, and the ledger, which is on the same disk, fail once more."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    log.started = 1
    monkeypatch.setattr(log.writer, "event", full)
    monkeypatch.setattr(log.writer, "close", full)
    monkeypatch.setattr("implementations.pytorch.training.events.append", full)
    with pytest.raises(OSError, match="No space left"):
        log.event("loss", 1.0)
    assert log.finish() == ""
    log.started, log.lost = 1, False
    with pytest.raises(OSError, match="No space left"):  # nobody has told of it
        log.finish()


def test_the_end_is_written_once(log, events):
    log.stop("success")
    log.stop("aborted", "too late")
    log.event("too late", 1)
    assert [(e.key, e.metadata.get("status")) for e in events(log.path)] == [
        ("run_start", None),
        ("run_stop", "success"),
    ]


def test_a_run_that_is_resumed_writes_its_own_log_on(tmp_path, events):
    path = tmp_path / "log.txt"
    writer = LogWriter(path)
    writer.start("run_start")
    writer.close()
    with path.open("a") as file:
        file.write(':::MLLOG {"namespace"')
    log = open_log(path, True)
    log.event("said", "already")
    log.go_on(2)
    log.event("new", 1)
    assert [e.key for e in events(path)] == ["run_start", "new"] and log.again == {"said": "already"}


def test_ranks_without_a_log_write_nothing():
    log = open_log(None, False)
    log.start("run")
    log.stop("success")
    assert log.file is None


def in_a_file(path):
    path.write_text("")
    return path / "log.txt"


@pytest.mark.parametrize(
    ("place", "reasons"),
    [
        (lambda path: path, ("Is a directory", "found a log, wanted a new name: nothing is overwritten")),
        (lambda path: in_a_file(path / "file"), ("Not a directory", "File exists")),
    ],
)
def test_a_log_that_cannot_be_written_is_said_in_one_line(tiny, tmp_path, place, reasons):
    done = tiny.train(place(tmp_path))
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"train.py: {tmp_path}")
    assert done.stderr.rstrip().endswith(tuple(f": {text}" for text in reasons)), done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="removes a file that is open")
def test_a_run_whose_log_is_deleted_fails(endless, tmp_path):
    log = tmp_path / "log.txt"
    with endless.start(log, "epochs=1000000") as process:
        deadline = time.monotonic() + 300
        while not (log.exists() and "eval_accuracy" in log.read_text()):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        log.unlink()
        _, said = process.communicate(timeout=300)
    assert process.returncode == 1 and not log.exists() and "Traceback" not in said
    assert said.splitlines()[-1] == f"train.py: rank 0: {log}: found no file there, wanted the log that this run writes"


def test_every_start_is_in_the_ledger_and_in_its_log(tiny, endless, events, tmp_path):
    logs = [tmp_path / "result_0.txt", tmp_path / "result_1.txt"]
    done, aborted = tiny.train(logs[0]), endless.train(logs[1], "epochs=1")
    ledger = read_ledger(tmp_path / LEDGER)
    assert not ledger.faults
    assert [type(e.said) for e in ledger.entries] == [Start, End, Start, End]
    for log, start, end, status in zip(
        logs, ledger.entries[::2], ledger.entries[1::2], ("success", "aborted"), strict=True
    ):
        found = {e.key: e for e in events(log)}
        assert (start.said.run, start.said.resumes) == (log.name, None)
        wanted = [found[key].value for key in ("source", "config_digest", "problem_digest")]
        assert [start.said.source, start.said.config, start.said.problem] == wanted
        assert start.said.seed_commitment == commitment(found["seed"].value)
        assert (found["ledger"].value, found["ledger"].metadata["line"]) == (start.number, start.line)
        assert (end.said.of, end.said.status) == (start.number, status)
        assert end.said.log == hashlib.sha256(log.read_bytes()).hexdigest()
        assert found["init_start"].time_ms <= start.time_ms <= found["run_start"].time_ms <= end.time_ms
    assert f"head {ledger.entries[1].line}" in done.stderr and "head" not in aborted.stderr


def test_a_run_that_goes_on_resumes_its_start(endless, events, tmp_path):
    log = tmp_path / "result_0.txt"
    more = ("--checkpoint", str(tmp_path / "c"), "--resume", "epochs=4")
    with endless.start(log, *more) as process:
        while not (log.exists() and '"eval_accuracy"' in log.read_text()):
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGTERM)
        process.wait(300)
    assert endless.train(log, *more).returncode == 1
    first, aborted, second, end = (e.said for e in read_ledger(tmp_path / LEDGER).entries)
    assert (first.resumes, aborted.of, aborted.status) == (None, 1, "aborted")
    assert (second.resumes, end.of) == (1, 3)
    assert end.log == hashlib.sha256(log.read_bytes()).hexdigest() != aborted.log
    found = {event.key: event.value for event in events(log)}
    manifests = [hashlib.sha256((tmp_path / f"environment_0{n}.json").read_bytes()).hexdigest() for n in ("", "_1")]
    assert manifests == [found["environment"], found["resumed"]["environment"]]


def test_measurements_are_in_no_ledger(tiny, tmp_path):
    assert tiny.train(tmp_path / "result_0.txt", "--steps", "1").returncode == 0
    assert not (tmp_path / LEDGER).exists()
