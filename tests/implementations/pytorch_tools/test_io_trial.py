"""A trial of the input, from the command to what the checker says of its log."""

import pytest

from compliance.engine import judge
from implementations.pytorch_tools.input_trial.options import STORED
from implementations.pytorch_tools.input_trial.trial import Trial, Variant, trial_of

SAMPLE, SAMPLES = 2 * 16**3, 7  # bytes of volume and label; to train on


def values(found, key):
    return [e.value for e in found if e.key == key]


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
    assert (setup["sample_bytes"], setup["dataset_bytes"]) == (SAMPLE, files)
    passes = [e for e in found if e.key == "io_epoch"]
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
    totals = [e for e in found if e.key == "io_trial"]
    assert [e.metadata["samples_count"] for e in totals] == [2 * SAMPLES] * 3


def test_the_first_pass_is_proved_and_a_checkpoint_timed(tried):
    _, found, said = tried
    proofs = [e for e in found if e.key == "dataset_fingerprint"]
    assert [(e.metadata["split"], e.metadata["samples_count"]) for e in proofs] == [("train", SAMPLES)]
    (checkpoint,) = values(found, "io_checkpoint")
    assert checkpoint["bytes"] > 10_000 and checkpoint["parts"] == 1 and checkpoint["fsync"] is True
    assert min(checkpoint["written_seconds"], checkpoint["read_seconds"]) > 0
    assert "AU of the loop without reads: " in said and said.count("scratch") >= 3


def test_the_network_computes_with_the_runs_seconds(tiny_trial, tmp_path, events):
    log = tmp_path / "result_0.txt"
    done = tiny_trial.train(log, "--emulate", "device", "--io-epochs", "1", "cache_gib=0")
    assert done.returncode == 0, done.stderr
    (setup,), (total,) = values(events(log), "io_setup"), values(events(log), "io_trial")
    assert setup["compute_source"] == "the network" and 0.5 < setup["null_au"] <= 1 and 0 < total["au"]["mean"] <= 1


def test_damaged_data_end_the_trial(tiny_trial, tmp_path):
    done = tiny_trial.train(tmp_path / "log.txt", data=tmp_path / "nothing")
    assert done.returncode == 2 and "no manifest" in done.stderr


def test_variants(tmp_path):
    trial = Trial(1, "spin", None, ("raw", STORED), (tmp_path / "b",), tmp_path / "s")
    assert [(v.form, v.place) for v in trial.variants(tmp_path / "a", None)] == [
        (STORED, "data"), (STORED, "from 1"), ("raw", "scratch")
    ]  # fmt: skip
    alone = Trial(1, "spin", None, (STORED,), (), None)
    assert list(alone.variants(tmp_path, object())) == [Variant(STORED, tmp_path, "staged")]


def test_a_log_that_says_no_seconds_is_refused(tmp_path):
    class Arguments:
        compute_seconds, compute_from = None, tmp_path / "nothing"

    with pytest.raises(ValueError, match="nothing: No such file"):
        trial_of(Arguments)
