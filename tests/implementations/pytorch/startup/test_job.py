"""What becomes of a run: its files, its exit code, and its entries in the ledger of its set."""

import hashlib
from concurrent.futures.process import BrokenProcessPool

import pytest
import torch
import torch.distributed as dist

from benchmark.ledger import End, Start, read_ledger
from benchmark.run.errors import Aborted, WrongData
from benchmark.run.files import LEDGER, weights_path
from benchmark.run.ledger import commitment
from benchmark.run.log import RunLog
from implementations.pytorch.startup import job


def test_every_start_is_in_the_ledger_and_in_its_log(tiny, endless, events, tmp_path):
    logs = [tmp_path / "result_0.txt", tmp_path / "result_1.txt"]
    done, aborted = tiny.train(logs[0]), endless.train(logs[1], "epochs=1")
    ledger = read_ledger(tmp_path / LEDGER)
    assert not ledger.faults
    assert [type(e.said) for e in ledger.entries] == [Start, End, Start, End]
    for log, start, end in zip(logs, ledger.entries[::2], ledger.entries[1::2], strict=True):
        found = {e.key: e for e in events(log)}
        wanted = [found[key].value for key in ("source", "config_digest", "problem_digest")]
        assert [start.said.source, start.said.config, start.said.problem] == wanted
        assert start.said.seed_commitment == commitment(found["seed"].value)
        assert found["seed"].metadata["source"] == "os.urandom"
        assert found["init_start"].time_ms <= start.time_ms <= found["run_start"].time_ms <= end.time_ms
        digest = hashlib.sha256(log.read_bytes()).hexdigest()
        assert end.said == End(start.number, found["run_stop"].metadata["status"], digest)
    assert f"head {ledger.entries[1].line}" in done.stderr and "head" not in aborted.stderr
    assert [weights_path(log).exists() for log in logs] == [True, False]


@pytest.mark.parametrize(("seconds", "told"), [(1.0, None), (-3600.4, "-3600"), (3600.4, "+3600")])
def test_a_clock_that_was_set_and_a_ledger_that_is_gone_are_told(tmp_path, monkeypatch, capsys, seconds, told):
    """The run has its time all the same."""
    monkeypatch.setattr(job, "set_by", lambda: seconds)
    log = RunLog(tmp_path / "log.txt")
    log.start("run")
    log.start_number = 1
    log.stop("success")
    job.finish(log)
    *clock, ledger = capsys.readouterr().err.splitlines()
    assert ledger == f"train.py: {tmp_path / LEDGER}: found no ledger, wanted that of start 1"
    assert [line.partition(" meanwhile")[0] for line in clock] == [
        f"train.py: found the system's clock set by {told} s"
    ] * bool(told)
    assert not (tmp_path / LEDGER).exists()


@pytest.mark.parametrize(("backend", "devices"), [("nccl", [3]), ("gloo", None)])
def test_ranks_end_together_on_their_own_devices(monkeypatch, backend, devices):
    waited = []
    monkeypatch.setattr(dist, "get_backend", lambda: backend)
    monkeypatch.setattr(dist, "barrier", lambda device_ids: waited.append(device_ids))
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 3)
    monkeypatch.setattr(job.os, "_exit", lambda code: waited.append(code))
    job.end_rank(0)
    assert waited == [devices, 0]
    job.end_rank(1)  # others may be gone: it waits for nobody
    assert waited == [devices, 0, 1]


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (WrongData("a.h5: damaged"), (2, "a.h5: damaged", False)),
        (WrongData("manifest", everywhere=True), (2, "manifest", True)),
        (Aborted("why"), (1, "why", True)),
        (OSError(28, "No space left on device", "log.txt"), (1, "log.txt: No space left on device", False)),
        (BrokenProcessPool("more\nlines"), (1, "a reader process died", False)),
        (RuntimeError("[gloo] Connection closed\nmore"),
         (1, "another rank ended or cannot be reached: [gloo] Connection closed", False)),
    ],
)  # fmt: skip
def test_what_ends_a_run_has_its_exit_code_and_one_line(error, found, capsys):
    assert job.outcome(error) == found
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("error", [KeyError("x"), RuntimeError("size mismatch"), ConnectionResetError(104, "reset")])
def test_a_mistake_of_the_program_shows_where_it_is(error, capsys):
    code, why, told_once = job.outcome(error)
    assert (code, told_once) == (1, False)
    assert ("Traceback" in capsys.readouterr().err or repr(error) in why) is not isinstance(error, OSError)
