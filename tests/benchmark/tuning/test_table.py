import hashlib
import json

import pytest

from benchmark.tuning.table import read_table, row_for, settings_for_batch, taken


def row(batch, rate, samples, **more):
    said = {"mean": samples, "low": 0.9 * samples, "high": None}
    return {"BS": batch, "Hyperparams": {"rate": rate, **more}, "Samples to converge": said}


@pytest.fixture
def table(tmp_path):
    rows = {"smoke_2": row(2, 1e-3, 800, ramp=1), "smoke_8": row(8, 4e-3, 3200, ramp=4), "smoke_1": row(1, 1e-3, 700)}
    path = tmp_path / "hpo_table.json"
    path.write_text(json.dumps(rows))
    return path


def test_measured_rows_are_as_they_are(table):
    rows, _ = read_table(table, "smoke")
    assert [r.batch for r in rows] == [1, 2, 8] and row_for(rows, 8) is rows[2] and rows[2].between is None
    found = settings_for_batch(f"{table}:8", "smoke")
    assert found.settings == ["rate=0.004", "ramp=4", "batch_size=8"]
    assert found.told == "settings for batch size 8 are measured: 3200 samples to the target (2880 to unknown)"
    with pytest.raises(ValueError, match="found the row 'smoke_2', wanted rows of scale6"):
        settings_for_batch(f"{table}:2", "scale6")


def test_between_two_rows_logarithms_are_linear_or_those_from_1(table):
    found = row_for(read_table(table)[0], 4)
    assert "interpolated between 2 and 8" in settings_for_batch(f"{table}:4", "smoke").told
    assert found.between == (2, 8) and found.settings == {"rate": 0.002, "ramp": 2}
    assert [found.samples.mean, found.samples.low] == pytest.approx([1600, 1440]) and found.samples.high is None
    rows = {f"smoke_{b}": row(b, 0.1, 5, average_decay=d, beta_2=1) for b, d in ((1, 0.999), (4, 0.9))}
    table.write_text(json.dumps(rows))
    assert row_for(read_table(table)[0], 2).settings == {"rate": 0.1, "average_decay": 0.99, "beta_2": 1}


@pytest.mark.parametrize("batch", [0, 9, 16, 1 << 20, (1 << 20) + 1])
def test_nothing_is_said_beyond_what_was_measured(table, batch):
    said = "smallest to the largest of 1, 2, 8" if 0 < batch <= 1 << 20 else "size up to 1048576"
    with pytest.raises(ValueError, match=said):
        settings_for_batch(f"{table}:{batch}", "smoke")


def test_other_settings_than_numbers_are_the_nearer_rows(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"a_1": row(1, 0.1, 5, how="x", on=True), "a_16": row(16, 0.1, 5, how="y", on=False)}))
    rows, _ = read_table(path)
    assert row_for(rows, 3).settings == {"rate": 0.1, "how": "x", "on": True}
    assert row_for(rows, 5).settings == {"rate": 0.1, "how": "y", "on": False}


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        "nope",
        '{"a_1": 1}',
        json.dumps({"a_1": {**row(1, 0.1, 5), "BS": 0}}),
        json.dumps({"a_1": {**row(1, 0.1, 5), "BS": (1 << 20) + 1}}),
        json.dumps({"a_1": row(1, 0.1, -5)}),
        json.dumps({"a_1": row(1, {"x": 1}, 5)}),
        json.dumps({"a_1": row(1, 0.1, 5), "a_2": row(1, 0.1, 5)}),
        '{"a_1": {"BS": 1, "Hyperparams": {}, "Samples to converge": {"mean": Infinity}}}',
        json.dumps({"a_1": {**row(1, 0.1, 5), "Samples to converge": {"mean": 10**400}}}),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, content):
    path = tmp_path / "t.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=str(path)):
        read_table(path)


def test_what_a_log_says_of_a_table_gives_the_same_row_again(table):
    for batch, measured in ((8, 1), (4, 2)):
        found = settings_for_batch(f"{table}:{batch}", "smoke", ["ramp=3", "threads=1"])
        said = json.loads(json.dumps(found.facts))
        assert taken(said) == found and len(found.rows) == measured
        assert found.over == ("ramp",) and found.sha256 == hashlib.sha256(table.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sha256": "0"}, "sha256"),
        ({"sha256": ["0" * 64]}, "sha256"),
        ({"batch": True}, "batch"),
        ({"batch": (1 << 20) + 1}, "batch"),
        ({"batch": 16}, "rows of"),
        ({"batch": 2}, "rows of"),
        ({"over": "ramp"}, "over"),
        ({"over": [{}]}, "over"),
        ({"rows": []}, "rows"),
        ({"rows": [row(2, 1e-3, 800)]}, "rows of"),
        ({"rows": [row(2, 1e-3, 800), {}]}, "BS"),
        ({"more": 1}, "wanted sha256, batch, rows and over"),
    ],
)
def test_what_no_run_says_of_a_table_is_refused(table, change, said):
    facts = settings_for_batch(f"{table}:4", "smoke").facts
    with pytest.raises(ValueError, match=said):
        taken({**facts, **change})
    with pytest.raises(ValueError, match="wanted sha256"):
        taken([])
