import pytest

from benchmark.log import LogWriter
from harness.status import read_status
from tests.support.lines import changed


def write(log, *scores, limit=4, stop=None, resumed=False, started=True):
    writer = LogWriter(log)
    writer.event("problem", "tiny")
    writer.event("hyperparameters", {"epochs": limit})
    if started:
        writer.start("run_start")
    for epoch, score in enumerate(scores, 1):
        writer.event("eval_accuracy", score, epoch_num=epoch)
    if stop:
        writer.end("run_stop", None, **stop)
    if resumed:
        writer.event("resumed", {}, epoch_num=len(scores))
    writer.close()
    return read_status(log)


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ({"stop": {"status": "success"}}, "reached"),
        ({"limit": 2, "stop": {"status": "aborted", "reason": "Dice 0.2 after 2 epochs, wanted 0.95"}}, "missed"),
        ({"stop": {"status": "aborted", "reason": "the loss is nan in epoch 3"}}, "missed"),
        ({"stop": {"status": "aborted", "reason": "SIGTERM"}}, "interrupted"),
        ({"stop": {"status": "aborted", "reason": "SIGTERM"}, "resumed": True}, "interrupted"),
        ({}, "interrupted"),
        ({"started": False}, "interrupted"),
    ],
)
def test_what_became_of_a_run(tmp_path, said, state):
    found = write(tmp_path / "result_0.txt", 0.1, 0.2, **said)
    assert found.state == state
    assert found.finished == (state in ("reached", "missed"))
    assert (found.epochs, found.score, found.problem) == (2, 0.2, "tiny")
    assert found.started == said.get("started", True)


def test_nothing_is_no_run_and_one_without_a_score_was_interrupted(tmp_path):
    (tmp_path / "empty.txt").touch()
    assert [read_status(tmp_path / name).state for name in ("none.txt", "empty.txt")] == ["missing"] * 2
    assert write(tmp_path / "result_0.txt", stop={"status": "aborted", "reason": "SIGTERM"}).state == "interrupted"


@pytest.mark.parametrize("key", ["run_start", "run_stop", "eval_accuracy", "hyperparameters"])
@pytest.mark.parametrize("change", [{"metadata": None}, {"metadata": "x"}, {"time_ms": "x"}, {"time_ms": 10**400}])
def test_a_log_of_another_program_may_leave_something_out(tmp_path, key, change):
    write(tmp_path / "log.txt", 0.1, 0.2, stop={"status": "success"})
    found = read_status(changed(tmp_path / "log.txt", key, lambda event: event.update(change)))
    assert found.state == ("interrupted" if key == "run_stop" and "metadata" in change else "reached")
    assert found.epochs == (0 if key == "eval_accuracy" and "metadata" in change else 2)
    assert 0 <= found.seconds < 10


@pytest.mark.parametrize("score", [None, True, "0.9", 10**400, float("nan")])
def test_what_is_no_number_is_no_score(tmp_path, score):
    found = write(tmp_path / "result_0.txt", score)
    assert (found.epochs, found.score) == (0, None)
