import os

import pytest

from benchmark.ledger import Asked, Entry, Start
from benchmark.tuning.campaign import campaign_of
from benchmark.tuning.ending import Course
from benchmark.tuning.folder import OWN, Opened
from compliance.reading.discovery import discover
from compliance.reading.ledger import read_beside
from compliance.reading.run import Mark
from compliance.reading.series import Evaluation
from compliance.reading.tuning import (
    asked_late,
    course_of,
    entry_of,
    first_ending,
    point_of,
    read,
    settings_of,
    winner_of,
)
from tests.compliance import made


def test_a_campaign_is_read(tuned):
    (trials,) = (s for s in discover([str(tuned.root)]).submissions[0].sets if s.trials)
    found = read(trials.path, read_beside(trials.path, trials.name))
    assert found.fault is None and found.campaign == tuned.campaign
    assert found.opened.shift == tuned.said[1].shift and entry_of(trials) is None
    found = read(trials.path, None)  # without its ledger
    assert (found.campaign, found.opened, found.fault[0]) == (tuned.campaign, None, "ledger.jsonl")
    path = tuned.folder / "campaign.json"
    assert read(tuned.folder, None).campaign is found.campaign  # read again once it changed
    path.write_text(path.read_text() + "\n")
    assert read(tuned.folder, None).campaign is None


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "found no file that can be read (No such file or directory), wanted campaign.json"),
        (os.mkdir, "found no file that can be read (no regular file), wanted campaign.json"),
        (lambda path: path.symlink_to("/dev/zero"), "found a symbolic link, wanted a campaign"),
        (lambda path: path.write_text("[" * 100_000), "found values nested too deep, wanted a campaign"),
    ],
)
def test_what_cannot_be_read_is_said(tuned, make, why):
    path = tuned.folder / "campaign.json"
    path.unlink()
    make(path)
    found = read(tuned.folder, None)
    assert (found.campaign, found.opened, found.fault[0]) == (None, None, "campaign.json")
    assert found.fault[1].startswith(why)


@pytest.mark.parametrize(
    "point", [{}, *({"learning_rate": wrong} for wrong in (1, "x", [1e-3])), {"learning_rate": 1e-3, "b": 2, "a": 1}]
)
def test_what_a_sampler_proposes_is_within_the_space(tuned, point):
    campaign = campaign_of({**tuned.VALUES, "sampler": "optuna"}, "campaign")
    opened = Opened(campaign, "00" * 32, OWN, "0" * 64, 0, {0: point, 1: {"learning_rate": 1e-3}})
    assert point_of(opened, 1) == {"learning_rate": 1e-3}
    with pytest.raises(ValueError, match=r"found (a|learning_rate) .* in the point of trial 0, wanted a point of the"):
        point_of(opened, 0)


def test_a_point_is_asked_for_before_its_trial_starts():
    start = [Start(f"result_{i}.txt", *3 * ["0" * 64], "0" * 64) for i in range(3)]
    first, again, late, other = (Asked({"a": a}, trial) for a, trial in ((1, 0), (2, 0), (1, 1), (1, 2)))
    said = [first, start[0], again, start[1], late, other, start[2]]
    entries = [Entry(number, None, 0, entry, "") for number, entry in enumerate(said, 1)]
    assert asked_late(entries) == {1: 5}


@pytest.mark.parametrize(
    ("trials", "winner"),
    [
        ([(3, 20.0, True), (7, 10.0, True), (8, 5.0, False)], 7),
        ([(3, 10.0, True), (1, 10.0, True), (2, 10.0, True)], 1),
        ([(1, 10.0, True), (None, 10.0, True)], None),
        ([(1, 10.0, True), (0, None, True)], 1),
    ],
)
def test_the_quickest_trial_wins_and_of_equals_the_first(trials, winner):
    met = Evaluation(1, 0, 1, None, 1.0)
    runs = [
        made.run(n, start=Mark(1, 0), stop=seconds and Mark(2, 1000 * seconds), passing=met if reached else None)
        for n, seconds, reached in trials
    ]
    assert winner_of(runs).number == winner
    assert winner_of([run for run in runs if not run.converged]) is None


def test_the_course_and_the_settings_of_a_trial():
    scores = [Evaluation(7, 5, epoch, None, 0.5) for epoch in (1, None, 2)]
    course = course_of(made.run(start=Mark(1, 1), stop=Mark(9, 9), evaluations=scores))
    assert (course.start, course.stop, course.evaluations) == (1, 9, ((1, 5, 0.5), (2, 5, 0.5)))
    assert settings_of(made.run(values={"hyperparameters": {"a": 1}})) == {"a": 1}
    assert settings_of(made.run(values={"hyperparameters": "a"})) == settings_of(made.run()) == {}


def limited(**budget):
    """A campaign whose trials have this budget."""
    plain = {"problem": "smoke", "batch_size": 2, "trials": 4, "space": {"a": {"values": [1]}}}
    return campaign_of({**plain, "budget": budget}, "")


def trial(*scores):
    """A trial that evaluates once a second from 0 on."""
    return Course(0, None, tuple((i, 1000 * i, score) for i, score in enumerate(scores, 1)))


def test_the_first_end_of_a_trial():
    short = limited(seconds=2)
    assert first_ending(short, trial(0.1, 0.2, 0.3, 0.4), [], False) == (2, "its budget of 2 s is over")
    assert first_ending(short, trial(0.1), [], False) is None
    assert first_ending(short, Course(None, None, ((1, 5000, 0.1),)), [], False) is None
    assert first_ending(limited(epochs=8), trial(*[0.1] * 9), [], False) is None  # epochs are the run's own limit
