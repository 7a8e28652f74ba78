"""Where the seconds of steps come from, and what the cores do in them."""

import pytest

from benchmark.log import LogWriter
from implementations.pytorch_tools.input_trial.compute import compute_times, quantile
from tests.support.effort import lines_run


def log_of(folder, *stats, **counts):
    path = folder / "result_0.txt"
    writer = LogWriter(path)
    for key, value in counts.items():
        writer.event(key, value)
    for value in stats:
        writer.event("tracked_stats", value)
    writer.close()
    return path


def test_seconds_are_given_or_drawn_from_deciles(tmp_path):
    assert compute_times(0.5, None).draw(1, 1, 3) == [0.5] * 3 and compute_times(None, None).mean == 0.0
    path = log_of(tmp_path, {"step_compute_seconds": [0.0, 1.0, 4.0], "compute_seconds": 9.0})
    times = compute_times(None, path)
    assert times.tables == ((0.0, 1.0, 4.0),) and times.mean == pytest.approx(1.5) and times.source == path.name
    drawn = times.draw(7, 1, 2000)
    assert drawn == times.draw(7, 1, 2000) != times.draw(7, 2, 2000)
    assert sum(drawn) / 2000 == pytest.approx(1.5, abs=0.1) and 0.45 < sum(s < 1 for s in drawn) / 2000 < 0.55
    assert quantile((0.0, 1.0, 4.0), 0.75) == 2.5


def test_older_logs_have_a_mean_an_epoch_and_steps_a_block(tmp_path):
    counts = {"train_samples": 7, "global_batch_size": 4}
    old = log_of(tmp_path, {"compute_seconds": 3.0}, {"compute_seconds": 5.0}, **counts)
    assert compute_times(None, old).tables == ((1.5,), (2.5,))
    old.unlink()
    block = log_of(tmp_path, {"step_seconds": 2.0, "seconds": {"wait": 0.5}})
    assert compute_times(None, block).tables == ((1.5,),)


def test_a_log_is_not_read_again_for_every_epoch(tmp_path):
    short, long = (log_of(tmp_path / str(n), *[{"step_compute_seconds": [0.0, 1.0]}] * n) for n in (50, 100))
    assert lines_run(lambda: compute_times(None, long)) < 3 * lines_run(lambda: compute_times(None, short))


@pytest.mark.parametrize(
    "stats",
    [[], {}, {"compute_seconds": 1.0}, {"step_compute_seconds": [1.0, -1.0]}, {"step_compute_seconds": [0, 1e9]}],
)
def test_logs_that_do_not_say(tmp_path, stats):
    with pytest.raises(ValueError, match=r"result_0\.txt: found no tracked_stats"):
        compute_times(None, log_of(tmp_path, stats))
    with pytest.raises(ValueError, match=f"^{tmp_path}: no regular file$"):
        compute_times(None, tmp_path)
    with pytest.raises(ValueError, match="nothing: No such file"):
        compute_times(None, tmp_path / "nothing")
