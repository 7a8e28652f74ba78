"""A trial of the input, from the command to what the checker says of its log."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace

import pytest

from compliance.engine import judge
from tests.support import ROOT
from tests.support.forked import Warm, can_be_forked
from tests.support.lines import of, values
from tests.support.tiny import Tiny, environment

IO_TRIAL = ROOT / "implementations" / "pytorch_tools" / "io_trial.py"
SAMPLE, SAMPLES = 2 * 16**3, 7  # bytes of volume and label; to train on


@pytest.fixture(scope="module")
def tiny_trial(tiny) -> Iterator[Tiny]:
    """The tiny problem, whose `train` makes trials of the input."""
    with Warm(environment=environment(), script=IO_TRIAL) if can_be_forked() else nullcontext() as warm:
        yield replace(tiny, warm=warm, script=IO_TRIAL)


@pytest.fixture(scope="module")
def tried(tiny_trial, tmp_path_factory, events):
    """The log of a trial of two formats that sleeps, with a reader process and a checkpoint, and what it said."""
    folder = tmp_path_factory.mktemp("trial")
    more = ("--compute-seconds", "0.01", "--emulate", "sleep", "--formats", "stored", "raw", "--scratch", f"{folder}/s")
    more = (*more, "--from", str(tiny_trial.data), "--checkpoint", f"{folder}/c", "workers=1", "cache_gib=0")
    done = tiny_trial.train(folder / "result_0.txt", *more)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""  # no time to target, which tools would read
    return folder / "result_0.txt", events(folder / "result_0.txt"), done.stderr


def test_the_log_is_no_runs(tried):
    path, found, _ = tried
    keys = {e.key for e in found}
    assert values(found, "io_only") == [True]
    assert not {"epoch_start", "eval_start", "eval_accuracy", "tracked_stats", "throughput_only", "ledger"} & keys
    (log,) = (verdict := judge([str(path)])).logs
    assert log.run.throughput_only and not log.run.converged
    errors = [f.code for f in verdict.findings if f.severity == "error"]
    assert errors == ["LOG12"]  # the rules don't publish `tiny`


def test_bytes_are_the_samples_and_the_files(tried, tiny):
    _, found, _ = tried
    files = sum(p.stat().st_size for p in (tiny.data / "train").glob("*.h5"))
    (setup,) = values(found, "io_setup")
    assert setup["sample_bytes"] == SAMPLE and setup["staging"] is setup["least_au"] is None
    passes = of(found, "io_epoch")
    assert [(e.metadata["format"], e.metadata["place"]) for e in passes] == [
        *[("stored", "data")] * 2, *[("stored", "from 1")] * 2, *[("raw", "scratch")] * 2
    ]  # fmt: skip
    for e in passes:
        assert e.metadata["samples_count"] == SAMPLES and e.metadata["steps"] == 2
        assert e.value["logical_bytes"]["total"] == SAMPLE * SAMPLES
        assert e.value["ranks"] == 1 and 0 < e.value["au"]["mean"] <= 1
    raw = passes[-1].value
    assert raw["read_bytes"]["total"] == SAMPLE * SAMPLES and raw["requests"]["total"] <= 3 * SAMPLES
    assert passes[0].value["read_bytes"]["total"] > files / 2
    totals = of(found, "io_trial")
    assert [e.metadata["samples_count"] for e in totals] == [2 * SAMPLES] * 3
    sizes = [e.value["dataset_bytes"] for e in totals]
    assert sizes == [files, files, SAMPLE * SAMPLES]
    assert [e.value["dataset_over_memory"] * setup["memory_bytes"] for e in totals] == pytest.approx(sizes)


def test_the_first_pass_is_proved_and_a_checkpoint_timed(tried):
    _, found, said = tried
    proofs = of(found, "dataset_fingerprint")
    assert [(e.metadata["split"], e.metadata["samples_count"]) for e in proofs] == [("train", SAMPLES)]
    (checkpoint,) = values(found, "io_checkpoint")
    assert checkpoint["bytes"] > 10_000 and checkpoint["parts"] == 1 and checkpoint["fsync"] is True
    assert min(checkpoint["written_seconds"], checkpoint["read_seconds"]) > 0
    assert "AU of the loop without reads: " in said and said.count("scratch") >= 3


@pytest.mark.slow
def test_copies_are_proved_and_staging_is_timed_to_the_disk(tiny_trial, tiny, tmp_path, events):
    more = ("--compute-seconds", "0.001", "--emulate", "sleep", "--io-epochs", "2", "cache_gib=0", "workers=1")
    log, copies = tmp_path / "result_0.txt", ("--copies", "3", "--scratch", str(tmp_path), "--least-au", "1e-9")
    done = tiny_trial.train(log, *more, *copies, "--stage", str(tmp_path / "staged"))
    assert done.returncode == 0, done.stderr
    found = events(log)
    (setup,), (total,) = values(found, "io_setup"), of(found, "io_trial")
    assert total.metadata["place"] == "copies" and total.metadata["samples_count"] == 2 * 3 * SAMPLES
    files = {k: sorted((tmp_path / "copies" / k).rglob("*.h5")) for k in ("0", "1", "2")}
    assert [len(paths) for paths in files.values()] == [SAMPLES] * 3
    assert total.value["dataset_bytes"] == sum(p.stat().st_size for paths in files.values() for p in paths)
    assert setup["staging"]["synced_seconds"] >= setup["staging"]["seconds"] > 0
    assert setup["staging"]["bytes"] > 1000 and "staging of" in done.stderr
    assert "stored (copies), 1 accelerator: pass: AU" in done.stderr
    assert [f.code for f in judge([str(log)]).findings if f.severity == "error"] == ["LOG12"]
    files["1"][0].write_bytes(bytes(files["1"][0].stat().st_size))  # as large as it was
    damaged = tiny_trial.train(tmp_path / "result_1.txt", *more, *copies)
    assert damaged.returncode == 2 and "copies/1/train" in damaged.stderr


def test_the_network_computes_with_the_runs_seconds(tiny_trial, log):
    found = tiny_trial.ran(log, "--emulate", "device", "--io-epochs", "1", "cache_gib=0")
    (setup,), (total,) = values(found, "io_setup"), values(found, "io_trial")
    assert setup["compute_source"] == "the network" and 0.5 < setup["null_au"] <= 1 and 0 < total["au"]["mean"] <= 1


def test_ranks_share_a_trial(tiny_trial, log):
    more = ("--compute-seconds", "0.005", "--layout", "1,2,1,1", "--io-epochs", "1", "cache_gib=0")
    (total,) = values(tiny_trial.ran(log, *more, ranks=2), "io_trial")
    whole = SAMPLE * SAMPLES
    assert total["ranks"] == 2
    assert total["logical_bytes"] == {"total": whole, "least_by_rank": whole // 2, "most_by_rank": whole // 2}
    assert [f.code for f in judge([str(log)]).findings if f.severity == "error"] == ["LOG12"]
