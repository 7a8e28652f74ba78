"""What a run enters into the ledger of its set."""

import hashlib
import signal
import subprocess
import time

from benchmark.ledger import End, Start, commitment, read_ledger
from benchmark.tree import LEDGER


def test_every_start_is_in_the_ledger_and_in_its_log(tiny, endless, events, tmp_path):
    logs = [tmp_path / "result_0.txt", tmp_path / "result_1.txt"]
    heads = [tiny.train(logs[0]), endless.train(logs[1], "epochs=1")]
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
    assert f"head {ledger.head}" in heads[1].stderr


def test_a_run_that_goes_on_resumes_its_start(endless, tmp_path):
    log = tmp_path / "result_0.txt"
    more = ("--checkpoint", str(tmp_path / "c"), "--resume", "epochs=4")
    with subprocess.Popen(endless.command(log, *more), stderr=subprocess.DEVNULL) as process:
        while not (log.exists() and '"eval_accuracy"' in log.read_text()):
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGTERM)
    assert endless.train(log, *more).returncode == 1
    first, aborted, second, end = (e.said for e in read_ledger(tmp_path / LEDGER).entries)
    assert (first.resumes, aborted.of, aborted.status) == (None, 1, "aborted")
    assert (second.resumes, end.of) == (1, 3)
    assert end.log == hashlib.sha256(log.read_bytes()).hexdigest() != aborted.log


def test_measurements_are_in_no_ledger(tiny, tmp_path):
    assert tiny.train(tmp_path / "result_0.txt", "--steps", "1").returncode == 0
    assert not (tmp_path / LEDGER).exists()
