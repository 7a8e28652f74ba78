"""The catalogue of damage, scores that are means: their sums, and what follows from them."""

import pytest


def judged(logs, found, tmp_path, change):
    """What is found in a run of a mean error after `change(event)` of its second evaluation; and that event's line."""
    log = logs.mean_run()
    event = log.all("eval_error")[1]
    change(event)
    return found(log.write(tmp_path / "result_0.txt")), log.line(event)


def test_good_run(logs, found, tmp_path):
    assert judged(logs, found, tmp_path, lambda event: None)[0] == []


def test_score_that_its_sums_do_not_give(logs, found, tmp_path):
    findings, line = judged(logs, found, tmp_path, lambda event: event.update(value=event["value"] + 0.01))
    assert findings == [("result_0.txt", line, "EVL05")]


@pytest.mark.parametrize("sums", [None, [], [0.1, "0.9"], [0.1, None], [True, 1.0], 1.0, [-0.5, 1.0], [0.5, 4.001]])
def test_sums_that_no_samples_have(logs, found, tmp_path, sums):
    findings, line = judged(logs, found, tmp_path, lambda event: event["metadata"].update(sums=sums))
    assert findings == [("result_0.txt", line, "EVL13")]


def test_the_target_is_met_from_above(logs, found, tmp_path):
    log = logs.mean_run()
    log.all("eval_error")[-1]["value"] = 0.21
    log.all("eval_error")[-1]["metadata"]["sums"] = [0.68, 1.0]
    log.one("run_stop")["metadata"]["status"] = "aborted"
    codes = [code for *_, code in found(log.write(tmp_path / "result_0.txt"))]
    assert codes == ["EVL07"]
