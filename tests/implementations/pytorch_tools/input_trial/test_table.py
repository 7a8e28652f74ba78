"""The table of what was tried."""

from implementations.pytorch_tools.input_trial.table import HEAD, line, passed, table, verdict

ROW = {
    "format": "stored", "place": "data", "file_system": "ext4", "throughput": 10.0, "seconds": 2.0,
    "au": {"least": 0.8, "mean": 0.9, "most": 1.0}, "au_over_ceiling": 0.95, "au_waiting": 0.91, "au_barrier": 0.85,
    "logical_bytes": {"total": 4_000_000}, "read_bytes": {"total": 2_000_000}, "physical_bytes": None,
    "requests": {"total": 40}, "request_bytes": 50_000.0,
    "wait_seconds": {"p50": 0.001, "p99": 0.02, "longest": 0.3}, "dataset_over_memory": 5.123,
    "ranks": 4, "cache": "cannot be told: nfs",
}  # fmt: skip


def test_a_row_has_every_column():
    assert line(ROW) == (
        "stored", "data, ext4", "10", "90.0", "95.0", "91.0", "85.0", "2", "1", "-", "40", "50", "1", "20", "300",
        "5.12", "cannot be told: nfs",
    )  # fmt: skip
    text = table([ROW, ROW | {"au": None, "au_over_ceiling": None, "request_bytes": None}], 0.987)
    assert len(line(ROW)) == len(HEAD) and len(text.splitlines()) == 4
    assert text.endswith("AU of the loop without reads: 98.7 %")


def test_a_trial_passes_at_the_least_au():
    assert passed(ROW, 0.9) and not passed(ROW, 0.9001) and not passed(ROW | {"au": None}, 0.1)
    assert verdict([ROW], None) == []
    assert verdict([ROW, ROW], 0.95)[1] == (
        "stored (data), 4 accelerators: fail: AU 90.0 %, wanted 95.0 %; cannot be told: nfs"
    )
