"""What a finding does to the figure of merit."""

from compliance.engine import judge
from compliance.output.impact import with_impact
from rules.edition import load
from rules.merit import figure_of_merit


def test_impact_is_the_score_without_the_run(broken, law):
    times = [log.run.seconds for log in judge([broken.root], rules=law).all_sets[0].logs]
    before, without = figure_of_merit(times), figure_of_merit([*times[:1], float("inf"), *times[2:]])
    told = f"score as logged {before:.3f} s; {without:.3f} s if reviewers count this run as failed"
    assert impacts(broken.root, law) == {"SEED03": told}


def impacts(path, law):
    verdict = judge([path], rules=law)
    return {f.code: f.impact for f in with_impact(verdict, {"v1.0": load("v1.0", law)})}


def test_a_second_lost_run_leaves_no_score(broken, logs, law):
    broken.logs[3] = logs.good(3, (0.5, 0.7))
    broken.write(3)
    found = impacts(broken.root, law)
    assert found["SEED03"].endswith(" s; none if reviewers count this run as failed")
    assert found["EVL07"] == ""  # it counts as infinite as it is
    for number in range(5):
        broken.logs[number].one("submission_org")["value"] = "placeholder"
        broken.write(number)
    assert impacts(broken.root, law)["RUN17"] == ""  # what all logs have is not told of one
    broken.path(4).unlink()
    assert impacts(broken.root, law)["SEED03"] == ""  # a set that is not complete has no score


def test_warnings_and_what_is_no_runs_have_none(broken, law):
    broken.put(broken.path(0).with_name("core.1"), "?")
    with broken.path(2).open("a") as file:
        file.write("x :::MLLOG\n")
    lines = broken.path(0).read_text().splitlines(keepends=True)
    broken.path(0).write_text("".join(["[rank 0] " + lines[0], *lines[1:]]))
    found = impacts(broken.root, law)
    assert (found["TREE03"], found["LOG08"]) == ("", "") and found["SEED03"] and found["LOG01"]


def test_throughput_has_no_score_to_change(submissions, tmp_path, law):
    weak, study = submissions.Weak(tmp_path / "weak"), submissions.Study(tmp_path / "study")
    weak.changed("seed", 1, value=5)
    study.changed("seed", value=6)
    assert impacts(weak.root, law) == {"SEED03": ""}
    assert impacts(study.path(6).parent, law)["SEED03"] == ""
