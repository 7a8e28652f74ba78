"""RUN23 beside mlperf_logging's own checker, on sets that are written for it."""

import json

import pytest

from perf import mlperf_points


def event(key, value=None, time=0, **metadata):
    kind = "INTERVAL_START" if key.endswith("_start") else "INTERVAL_END" if key.endswith("_stop") else "POINT_IN_TIME"
    fields = {"namespace": "", "time_ms": 1_660_000_000_000 + time, "event_type": kind, "key": key, "value": value}
    return ":::MLLOG " + json.dumps({**fields, "metadata": {"file": "train.py", "lineno": 1, **metadata}})


def log(epochs, batch):
    """A run of CosmoFlow that meets its target after so many epochs."""
    facts = {"submission_benchmark": "cosmoflow", "submission_division": "closed", "global_batch_size": batch}
    lines = [event(key, value) for key, value in facts.items()] + [event("run_start")]
    for e in range(1, epochs + 1):
        score = 0.12 if e == epochs else 0.3 - e / 1000
        lines += [
            event("epoch_start", time=1000 * e, epoch_num=e),
            event("epoch_stop", time=1000 * e + 900, epoch_num=e),
        ]
        lines += [event("eval_error", score, 1000 * e + 950, epoch_num=e)]
    return "\n".join([*lines, event("run_stop", time=1000 * epochs + 990, status="success")]) + "\n"


def write(root, org, epochs, batch=512):
    folder = root / "v2.0" / org / "results" / "box" / "strong" / "cosmoflow"
    folder.mkdir(parents=True)
    for i, n in enumerate(epochs):
        (folder / f"result_{i}.txt").write_text(log(n, batch))


@pytest.mark.parametrize(("epochs", "found"), [([22] * 10, True), ([23] * 10, False), ([21, *[23] * 8, 60], False)])
def test_both_find_the_same_sets(tmp_path, capsys, epochs, found):
    write(tmp_path, "acme", epochs)
    assert mlperf_points.main([str(tmp_path / "v2.0")]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "1 sets, 0 differ" and len(told) == 1 + found
    assert not found or told[0].endswith("strong/cosmoflow: RUN23 found, mlperf_logging found")


def test_a_batch_beyond_all_points_is_compared_by_neither(tmp_path, capsys):
    write(tmp_path, "acme", [3] * 10, 4096)
    assert mlperf_points.main([str(tmp_path / "v2.0")]) == 0
    assert "RUN23 clean, mlperf_logging Missing RCP" in capsys.readouterr().out


def test_a_difference_is_told(tmp_path, capsys, monkeypatch):
    write(tmp_path, "acme", [22] * 10)
    monkeypatch.setattr(mlperf_points, "ours", lambda runs: "clean")
    assert mlperf_points.main([str(tmp_path / "v2.0")]) == 1
    assert capsys.readouterr().out.endswith("1 sets, 1 differ\n")
