"""Passes over the split by several ranks."""

from compliance.engine import judge


def test_ranks_share_a_trial(tiny_trial, tmp_path):
    log = tmp_path / "result_0.txt"
    more = ("--compute-seconds", "0.005", "--layout", "1,2,1,1", "--io-epochs", "1", "cache_gib=0")
    (total,) = [e.value for e in tiny_trial.ran(log, *more, ranks=2) if e.key == "io_trial"]
    whole = 7 * 2 * 16**3
    assert total["ranks"] == 2
    assert total["logical_bytes"] == {"total": whole, "least_by_rank": whole // 2, "most_by_rank": whole // 2}
    waits = total["wait_seconds"]
    assert waits["least"] <= waits["mean"] <= waits["most"] <= waits["slowest"] <= total["seconds"] * (1 + 1e-9)
    assert [f.code for f in judge([str(log)]).findings if f.severity == "error"] == ["LOG12"]
