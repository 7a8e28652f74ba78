import pytest

from implementations.pytorch.training.told import told


def logged(path, *events):
    lines = [
        f':::MLLOG {{"time_ms": {time}, "key": "{key}", "value": null, "metadata": {{}}}}\n' for key, time in events
    ]
    path.write_text("".join(lines))
    return path


def test_it_is_the_time_between_start_and_stop_to_the_millisecond(tmp_path):
    log = logged(
        tmp_path / "a.txt", ("init_start", 1), ("run_start", 1_000), ("eval_accuracy", 5), ("run_stop", 29_381)
    )
    assert told(log) == "time to target: 28.381 s"


def test_of_several_the_first_counts(tmp_path):
    marks = ("run_start", 1_000), ("run_stop", 2_500), ("run_start", 2_000), ("run_stop", 3_000)
    assert told(logged(tmp_path / "a.txt", *marks)) == "time to target: 1.500 s"


@pytest.mark.parametrize(
    ("marks", "found"),
    [([], "neither run_start nor run_stop"), ([("run_start", 1)], "run_start"), ([("run_stop", 1)], "run_stop")],
)
def test_a_log_without_both_is_refused(tmp_path, marks, found):
    with pytest.raises(ValueError, match=rf"a\.txt: found {found}, wanted both"):
        told(logged(tmp_path / "a.txt", *marks))
