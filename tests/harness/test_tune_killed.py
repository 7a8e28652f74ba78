"""A campaign that is killed five times in the middle, and goes on by the same command: the same trials."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmark.collect import files_in
from benchmark.ledger import read_ledger
from benchmark.tree import campaign_path
from benchmark.tuning.folder import open_folder
from benchmark.tuning.points import point
from compliance.engine import judge
from harness import tune
from harness.status import read_status
from results.tuning.score import campaigns

FILE = """
problem: tiny
batch_size: 2
space: {learning_rate: {low: 1.0e-3, high: 1.0e-2, scale: log}}
settings: {threads: 1}
trials: 4
budget: {epochs: 2}
parallel: 2
confirmations: 3
"""
PATIENCE = 240  # seconds for what a machine under load may need


def lines(path: Path) -> int:
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def kill_at(command: list[str], moment) -> None:
    """Start it, and kill it at a moment, by SIGKILL; what it has started ends with it."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE
    while not moment() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    assert process.poll() is None, "it ended before the moment came"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def over(folder: Path) -> dict[str, str]:
    """The digests of the logs of trials that are over."""
    try:
        return {name: digest for name, digest in files_in(folder).items() if is_over(folder / name)}
    except FileNotFoundError:  # moved aside meanwhile
        return {}


def is_over(path: Path) -> bool:
    return path.name.startswith("result_") and path.exists() and read_status(path).finished


def test_killed_five_times_it_has_the_same_trials(tiny, published, events, tmp_path):
    file, out = tmp_path / "first.yaml", tmp_path / "v1.0"
    file.write_text(FILE)
    options = {"problems": tiny.problems, "config": tiny.config, "data": tiny.data, "out": out}
    command = [sys.executable, tune.__file__, str(file), "--org", "Us", "--system", "laptop"]
    command += [part for name, value in options.items() for part in (f"--{name}", str(value))]
    folder = campaign_path(out / "Us", "laptop", "scaffold", "first")
    ledger, confirmation = folder / "ledger.jsonl", folder / "confirmation"
    moments = [
        lambda: (folder / "campaign.json").exists(),  # before or while the shift is drawn
        lambda: lines(ledger) >= 3,  # the first trial has started
        lambda: len(over(folder)) >= 1,  # a trial is over, another one goes on
        lambda: len(over(folder)) >= 3,
        lambda: lines(confirmation / "ledger.jsonl") >= 1,  # in the first confirmation run
    ]
    digest, shift, kept = "", None, {}
    for moment in moments:
        kill_at(command, moment)
        now = over(folder)
        assert kept.items() <= now.items()  # what was over stayed as it was
        kept = now
        if lines(ledger) >= 2:
            opened = open_folder(folder)
            assert shift in (None, opened.shift) and digest in ("", opened.campaign.digest)
            digest, shift = opened.campaign.digest, opened.shift
    assert subprocess.run(command, timeout=PATIENCE, capture_output=True).returncode == 0
    opened = open_folder(folder)
    assert (opened.campaign.digest, opened.shift) == (digest, shift) and kept.items() <= over(folder).items()
    for index in range(4):
        found = {e.key: e.value for e in events(folder / f"result_{index}.txt")}
        assert found["trial"] == {"index": index, "campaign": digest, "line": opened.line}
        assert found["hyperparameters"]["learning_rate"] == point(opened.campaign, shift, index)["learning_rate"]
    assert not read_ledger(ledger).faults
    verdict = judge([str(out / "Us")], rules=published(folder / "result_0.txt", tmp_path / "rules"))
    assert [(f.code, f.found) for f in verdict.findings if f.severity == "error"] == []
    (scored,) = campaigns(verdict)
    assert scored.solution and scored.lost > 0 and len(scored.trials) == 4
