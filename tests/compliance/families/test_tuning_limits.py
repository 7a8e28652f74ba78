"""TUN: each check by itself, of made-up runs, from both sides of its limits."""

from dataclasses import replace

import pytest

from benchmark.ledger import Asked, Drawn, Entry, Frozen, Ledger, Start
from benchmark.tuning.campaign import campaign_of
from benchmark.tuning.folder import OWN, Opened
from compliance.families import tuning as checks
from compliance.reading.ledger import SetLedger
from compliance.reading.rounds import RoundRegistry
from compliance.reading.run import Mark
from compliance.reading.series import Evaluation
from compliance.reading.tuning import Read
from rules.registry import Registry
from rules.tuning import registered_shift, request
from tests.compliance import made
from tests.compliance.made import terms

VALUES = {
    "problem": "tiny",
    "batch_size": 4,
    "space": {"rate": {"values": [1, 2, 3, 4]}},
    "sampler": "grid",
    "trials": 4,
    "budget": {"epochs": 8},
}
SHIFT = "".join(f"{i:02x}" for i in range(32))


@pytest.fixture
def campaign(monkeypatch):
    """Gives checks a campaign whose fields differ from VALUES; what is drawn, and the faults, may differ too."""

    def given(shift=SHIFT, source=OWN, fault=None, **fields):
        campaign = campaign_of({**VALUES, **fields}, "campaign")
        opened = Opened(campaign, shift, source, "1" * 64, 0, {})
        monkeypatch.setattr(checks, "read", lambda *_: Read(campaign, opened, fault))
        return opened

    return given


def folder(entries=(), ledger=True, entry=None, **described):
    """The place of a campaign's trials."""
    said = tuple(Entry(number, None, 0, one, "") for number, one in entries)
    launched = SetLedger("first/ledger.jsonl", Ledger(said, ())) if ledger else None
    of, registry = made.a_set(name="first", campaign="first"), RoundRegistry("registry.yaml", (entry,))
    return made.place(described, of=of, ledger=launched, registry=registry)


def trial(number, **values):
    return made.run(number, values=values, problem="tiny")


def told(faults):
    return [(fault.path, fault.line, fault.found) for fault in faults]


@pytest.mark.parametrize(
    ("file", "ledger", "path"),
    [
        ("ledger.jsonl", 1, "first/ledger.jsonl"),
        ("ledger.jsonl", 0, "first"),
        ("campaign.json", 0, "first/campaign.json"),
    ],
)
def test_tun01_names_the_wrong_file_or_the_folder_without_it(campaign, file, ledger, path):
    campaign(fault=(file, f"{file}: found nothing, wanted something"))
    assert told(checks.campaign_is_frozen([], folder(ledger=ledger), terms())) == [(path, 1, "nothing")]


def test_tun01_the_problem_is_that_of_the_trials(campaign):
    campaign()
    for problems, wrong in (([None, "tiny"], 0), ([None], 0), ([None, "other"], 1)):
        found = told(checks.campaign_is_frozen([made.run(problem=problem) for problem in problems], folder(), terms()))
        assert found == [("first/campaign.json", 1, "problem tiny")] * wrong


def test_tun02_says_what_comes_again(campaign):
    campaign()
    said = [(1, Frozen("0" * 64)), (2, Drawn(SHIFT, OWN)), (3, Drawn(SHIFT, OWN)), (4, Frozen("0" * 64))]
    again = [(3, "another shift"), (4, "another campaign")]
    for use, own in (("optional", []), ("required", [(2, f"a shift from {OWN}")])):
        faults = checks.shift_is_drawn_once([], folder(said), terms(registry=use))
        assert told(faults) == [("first/ledger.jsonl", line, what) for line, what in (*again, *own)]


def test_tun02_a_shift_has_many_different_bytes(campaign):
    for distinct, found in ((15, [("first/ledger.jsonl", 2, "a shift of 15 different bytes")]), (16, [])):
        campaign(shift="".join(f"{i % distinct:02x}" for i in range(32)))
        assert told(checks.shift_is_drawn_once([], folder(), terms())) == found


@pytest.mark.parametrize(
    ("asked", "logged", "shift", "found"),
    [
        ({}, "5" * 64, None, None),
        ({}, None, None, None),  # a trial without its source is another rule's
        ({"org": "bolt"}, "5" * 64, None, "entry 1, of bolt, box, scaffold, tiny tuning first, of other source"),
        ({"digest": "6" * 64}, "5" * 64, None, "entry 1, of acme, box, scaffold, tiny tuning first, of other source"),
        ({}, "5" * 64, SHIFT, f"shift {SHIFT}"),
        ({}, "5", None, "a campaign that can't be registered (found source '5', wanted a sha256 in hexadecimal)"),
    ],
)
def test_tun02_the_entry_of_the_registry_is_the_campaigns(campaign, monkeypatch, asked, logged, shift, found):
    digest = campaign().campaign.digest
    names = {"org": "acme", "system": "box", "benchmark": "scaffold", "problem": "tiny", "campaign": "first"}
    wanted = request(**{**names, "source": "5" * 64, "digest": digest, **asked})
    entry = Registry("v1.0").draw(wanted, "2026-03-31T22:40:00Z", "1" * 64)
    campaign(shift=shift or registered_shift(entry), source="registry 1")
    monkeypatch.setattr(checks, "entry_of", lambda runs: 1)
    runs = [trial(0, source=None), trial(1, source=logged)]
    faults = told(checks.shift_is_drawn_once(runs, folder(entry=entry), terms()))
    assert [(path, line) for path, line, _ in faults] == [("first/ledger.jsonl", 2)] * (found is not None)
    assert all(text.startswith(found) for *_, text in faults)


@pytest.mark.parametrize(
    ("trials", "numbers", "found"),
    [
        (4, [0, 1, 2, 3], []),
        (4, [0, 1, 1, 2, 3, 5, 4], ["the unknown trial 4, 5", "several logs of trial 1"]),
        (21, [], ["no trial " + ", ".join(map(str, range(20))) + " and 1 more"]),
    ],
)
def test_tun03_every_trial_is_there_once(campaign, trials, numbers, found):
    campaign(trials=trials, space={"rate": {"values": list(range(trials))}})
    faults = list(checks.every_trial_is_there([trial(number) for number in numbers], folder(), terms()))
    assert [(fault.line, fault.found) for fault in faults] == [(1, text) for text in found]
    assert {fault.wanted for fault in faults} <= {f"one log each of trials 0 to {trials - 1}"}


def at_points(opened, numbers=range(4), **changes):
    """What TUN05 finds in trials at their points; `changes` of settings are the second's, `...` takes one away."""
    runs = []
    for number in numbers:
        settings = {**opened.settings(number % 4), "beta": 1, **(changes if number == 1 else {})}
        settings = {name: value for name, value in settings.items() if value is not ...}
        runs.append(trial(number, hyperparameters=settings))
    faults = checks.trials_are_at_their_points(runs, folder(), terms())
    return [(fault.path, fault.line, fault.found, fault.wanted) for fault in faults]


@pytest.mark.parametrize(
    ("changes", "found", "wanted"),
    [
        ({"batch_size": ...}, "batch_size None", "batch_size 4"),
        ({"batch_size": 8, "beta": 2}, "batch_size 8", "batch_size 4"),
        ({"beta": 2, "more": 5}, "beta 2, more 5", "beta 1, more None, as in the other trials"),
    ],
)
def test_tun05_says_which_settings_differ(campaign, changes, found, wanted):
    assert at_points(campaign(), **changes) == [("result_1.txt", 7, found, wanted)]


def test_tun05_a_trial_without_a_point_does_not_excuse_the_next(campaign):
    found = at_points(campaign(), (8, 0, 1, 2, 3), batch_size=8)
    assert [fault[:3] for fault in found] == [("result_8.txt", 1, "trial 8"), ("result_1.txt", 7, "batch_size 8")]
    assert at_points(campaign(), ()) == []


def test_tun05_a_point_is_asked_for_before_its_trial(campaign):
    campaign()
    said = [(3, Start("result_0.txt", *4 * ["0" * 64])), (4, Asked({"rate": 1}, 0)), (5, Asked({"rate": 1}, 1))]
    run = trial(0, hyperparameters={"rate": 1, "batch_size": 4, "epochs": 8})
    faults = told(checks.trials_are_at_their_points([run], folder(said), terms()))
    assert ("first/ledger.jsonl", 4, "the point of trial 0 after its start") in faults
    assert [path for path, *_ in faults].count("first/ledger.jsonl") == 1


def spans(*windows, hosts=(), parallel=1, nodes=None):
    """What TUN06 finds in trials that took these times, in milliseconds, of which two seconds may be shared."""
    runs = []
    for number, window in enumerate(windows):
        host = hosts[number] if hosts else "n1"
        run = trial(number, devices=[{"host": host, "kind": "cpu", "name": "x", "ranks": 1, "uuids": []}])
        start, stop = window or (0, None)
        runs.append(replace(run, start=Mark(10 + number, start), stop=Mark(99, stop)))
    place, by = folder(number_of_nodes=nodes), terms(clock={"overlap": 2.0})
    return told(checks.no_more_trials_at_once(runs, place, by))


TWO = "2 trials at once with this one"


@pytest.mark.parametrize(
    ("windows", "found"),
    [
        ([(0, 9000), (7000, 20_000)], []),
        ([(0, 9001), (7000, 20_000)], [("result_1.txt", 11, TWO)]),
        ([(0, 9000), None], []),
        ([(0, 9000), (10_000, 20_000), (10_000, 20_000)], [("result_2.txt", 12, TWO)]),
        ([(0, 9000), (5000, 9000), (5000, 7000)], [("result_1.txt", 11, TWO)]),  # the last is as short as is shared
        ([(0, 9000), (2000, 9000), (2500, 3000)], [("result_1.txt", 11, TWO)]),
    ],
)
def test_tun06_trials_share_so_much_time_and_no_more(campaign, windows, found):
    campaign()
    assert spans(*windows) == found


@pytest.mark.parametrize(
    ("hosts", "found"),
    [(("n2", "n1", "n1"), []), (("n1", "n1", "n2"), [("result_2.txt", 7, "trials on 2 nodes at once with this one")])],
)
def test_tun06_trials_at_once_fit_into_the_system(campaign, hosts, found):
    campaign(parallel=4)
    windows = (0, 9000), (10_000, 20_000), (10_000, 20_000)
    assert spans(*windows, hosts=hosts, nodes=1) == found
    assert spans(*windows, hosts=hosts) == spans(*windows, hosts=hosts, nodes=2) == []


def gone(number, scores, passes=False, after=0):
    """A trial that began so many seconds after the first, and was evaluated every second and epoch, in lines 1, 2..."""
    times = [1000 * (after + i) for i in range(len(scores) + 1)]
    evaluations = [Evaluation(i, times[i], i, None, score) for i, score in enumerate(scores, 1)]
    passing, ends = evaluations[-1] if passes else None, {"start": Mark(1, times[0]), "stop": Mark(99, times[-1])}
    return made.run(number, problem="tiny", evaluations=evaluations, passing=passing, **ends)


def ends(*runs, lower=False, operations=1000):
    by = terms(tuning={"operations": operations}, lower=lower)
    return told(checks.trials_end_as_the_campaign_says(list(runs), folder(), by))


@pytest.mark.parametrize(
    ("budget", "scores", "passes", "found"),
    [
        ({"epochs": 3}, (0.5, 0.6, 0.7), False, None),
        ({"epochs": 3}, (0.5, 0.6), False, (99, "the end after epoch 2")),
        ({"epochs": 1}, (), False, (99, "the end after epoch 0")),
        ({"epochs": 2}, (0.5, 0.6, 0.7), False, (3, "epoch 3")),
        ({"seconds": 2}, (0.5, 0.6, 0.7), False, (3, "an evaluation after evaluation 2")),
        ({"seconds": 3}, (0.5, 0.6, 0.96), True, None),  # the target, by the time that the budget is over
        ({"seconds": 2}, (0.5, 0.6, 0.96), True, (3, "an evaluation after evaluation 2")),
        ({"seconds": 4}, (0.5, 0.6, 0.7), False, (99, "the end after epoch 3")),
    ],
)
def test_tun07_a_budget_is_used_up_and_not_exceeded(campaign, budget, scores, passes, found):
    campaign(budget=budget)
    assert ends(gone(0, scores, passes)) == ([("result_0.txt", *found)] if found else [])


@pytest.mark.parametrize(
    ("lower", "trials", "scores", "passes", "lines"),
    [
        (False, 3, [0.6, 0.5, *6 * [0.6]], False, [3]),
        (True, 3, [0.6, 0.5, *6 * [0.6]], False, []),
        (False, 3, [0.6, 0.5, 0.96], True, [3]),  # it may not go on to the target
        (False, 4, [0.6, 0.5, 0.96], True, []),
    ],
)
def test_tun07_pruning_follows_the_direction_of_the_score(campaign, lower, trials, scores, passes, lines):
    """The others had 0.6 at the second epoch, behind which this one goes on."""
    campaign(pruning={"epochs": 2, "trials": trials})
    runs = [*(gone(i, 8 * [0.6]) for i in range(3)), gone(3, scores, passes, after=20)]
    assert [line for _, line, _ in ends(*runs, lower=lower)] == lines


@pytest.mark.parametrize(
    ("pruning", "most", "wrong"),
    [(None, 31, False), ({"epochs": 2, "trials": 2}, 31, True), ({"epochs": 2, "trials": 2}, 32, False)],
)
def test_tun07_only_pruning_compares_trials_with_each_other(campaign, pruning, most, wrong):
    campaign(pruning=pruning)
    found = ends(gone(0, (0.6,) * 8), gone(1, (0.6,) * 8), operations=most)
    assert found == [("", 1, "16 evaluations of 2 trials")] * wrong
