"""TUN: campaigns of tuning, and each way to cheat at one."""

import copy
import hashlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmark.ledger import Asked, Drawn, Entry, Frozen, Start
from benchmark.run.files import LEDGER
from benchmark.source import combine
from benchmark.tuning.campaign import campaign_of
from benchmark.tuning.folder import OWN, Opened
from compliance.engine import judge
from compliance.families import tuning as checks
from compliance.reading.edition import complete
from rules.edition import loaded
from rules.registry import Registry
from rules.tuning import registered_shift, request

damage = pytest.mark.damage
ROWS = [
    {"BS": 2, "Hyperparams": {"learning_rate": 0.001}, "Samples to converge": {"mean": 80, "low": 60, "high": None}},
    {"BS": 8, "Hyperparams": {"learning_rate": 0.004}, "Samples to converge": {"mean": 90, "low": None, "high": 99}},
]
SAID = {"sha256": "5" * 64, "batch": 4, "rows": ROWS, "over": []}


def changed(tuned, **fields):
    """Freeze another campaign: `fields` differ."""
    tuned.campaign = campaign_of({**tuned.VALUES, **fields}, "campaign")
    tuned.said[0] = Frozen(tuned.campaign.digest)
    tuned.frozen()


def line_of(tuned, index, key, nth=0):
    return tuned.logs[index].line(tuned.logs[index].all(key)[nth])


def course(tuned, logs, index, qualities):
    """Lets a trial have gone otherwise."""
    tuned.logs[index] = logs.good(index, qualities)
    tuned.frozen()


@damage
def trial_left_out(tuned):
    tuned.logs[0].events = []
    tuned.launch()
    return [("first", 1, "TUN03")]


@damage
def trial_beyond_the_last(tuned, logs):
    log = logs.good(9)
    for event in log.events:
        event["time_ms"] -= 10 * 3_600_000
    log.write(tuned.folder / "result_4.txt")
    return [("first", 1, "TUN03"), ("result_4.txt", 1, "TUN04"), ("result_4.txt", 1, "LED03")]


@damage
def lucky_shift(tuned):
    tuned.said[1] = Drawn("07" * 32, OWN)
    tuned.frozen()
    return [("ledger.jsonl", 2, "TUN02")]


@damage
def shift_exchanged(tuned):
    """The ledger is written anew, and the logs still state the line of the old one."""
    tuned.said[1] = Drawn(tuned.said[1].shift[::-1], OWN)
    tuned.launch()
    return [(f"result_{i}.txt", line_of(tuned, i, "trial"), "TUN04") for i in range(4)]


@damage
def two_shifts(tuned):
    tuned.said.append(Drawn(tuned.said[1].shift[::-1], OWN))
    tuned.frozen()
    return [("ledger.jsonl", 3, "TUN02")]


@damage
def shift_before_the_campaign(tuned):
    tuned.said.reverse()
    tuned.launch()
    return [("ledger.jsonl", 1, "TUN01")]


@damage
def campaign_edited(tuned):
    path = tuned.folder / "campaign.json"
    path.write_text(path.read_text().replace('"high":0.01', '"high":0.02'))
    return [("ledger.jsonl", 1, "TUN01")]


@damage
def campaign_with_a_space(tuned):
    path = tuned.folder / "campaign.json"
    path.write_text(path.read_text() + "\n")
    return [("campaign.json", 1, "TUN01")]


@damage
def point_moved(tuned):
    value = 1.001 * tuned.logs[1].one("opt_base_learning_rate")["value"]
    tuned.changed("opt_base_learning_rate", 1, value=value)
    line = tuned.settings(1, learning_rate=value)
    tuned.launch()
    return [("result_1.txt", line, "TUN05")]


@damage
def another_setting_of_one_trial(tuned):
    line = tuned.settings(1, beta_2=0.99)
    tuned.changed("opt_adam_beta_2", 1, value=0.99)
    tuned.launch()
    return [("result_1.txt", line, "TUN05")]


@damage
def budget_exceeded(tuned, logs):
    course(tuned, logs, 0, (*tuned.COURSES[0], 0.91))
    return [("result_0.txt", line_of(tuned, 0, "eval_accuracy", 8), "TUN07")]


@damage
def pruned_trial_goes_on(tuned, logs):
    course(tuned, logs, 2, (*tuned.COURSES[2], 0.9))
    return [("result_2.txt", line_of(tuned, 2, "eval_accuracy", 2), "TUN07")]


@damage
def ended_by_hand(tuned, logs):
    course(tuned, logs, 0, tuned.COURSES[0][:5])
    return [("result_0.txt", line_of(tuned, 0, "run_stop"), "TUN07")]


@damage
def more_at_once_than_said(tuned):
    late = tuned.logs[1].one("run_start")["time_ms"] - tuned.logs[0].one("run_start")["time_ms"] - 10_000
    for event in tuned.logs[0].events:
        event["time_ms"] += late
    tuned.launch()
    return [("result_1.txt", line_of(tuned, 1, "run_start"), "TUN06")]


@damage
def another_code_in_the_middle(tuned):
    line = tuned.changed("versions", 2, value={"python": "3.11.9", "torch": "2.14.0"})
    tuned.launch()
    return [("result_2.txt", line, "RUN04")]


@damage
def another_source_in_the_middle(tuned):
    """One trial has loaded another file than the others, whose bytes are handed in, too."""
    path = tuned.source / "implementations/pytorch/more.py"
    tuned.put(path, "RATE = 1\n")
    files = {**tuned.files(2), "implementations/pytorch/more.py": hashlib.sha256(path.read_bytes()).hexdigest()}
    tuned.loads(files, 2)
    tuned.source.rename(tuned.source.with_name(combine(files.items())[:12]))
    tuned.launch()
    return [("result_2.txt", tuned.logs[2].line(tuned.logs[2].one("source")), "RUN04")]


@damage
def trial_among_runs(tree):
    head = tree.logs[2].one("rules_edition")
    event = {**copy.deepcopy(head), "key": "trial", "value": {"index": 2}}
    return [("result_2.txt", tree.inserted(head, event), "TUN04")]


@damage
def shift_of_an_entry_that_the_registry_lacks(tuned):
    tuned.said[1] = Drawn(tuned.said[1].shift, "registry 1")
    tuned.frozen()
    return [("ledger.jsonl", 2, "TUN02")]


def test_damage(entry, exactly):
    exactly(entry)


def test_good_campaign_is_clean(tuned, found):
    assert found(tuned.root) == []


@pytest.mark.parametrize("overlap, codes", [(999, []), (1000, []), (1001, ["TUN06"])])
def test_the_overlap_of_trials(tuned, found, overlap, codes):
    stop = tuned.logs[0].one("run_stop")["time_ms"]
    early = tuned.logs[1].one("run_start")["time_ms"] - stop + overlap
    for event in tuned.logs[1].events:
        event["time_ms"] -= early
    tuned.launch()
    assert [code for _, _, code in found(tuned.root)] == codes


@pytest.mark.parametrize("parallel, codes", [(1, ["TUN06"]), (2, []), (3, [])])
def test_as_many_at_once_as_said(tuned, found, parallel, codes):
    early = tuned.logs[1].one("run_start")["time_ms"] - tuned.logs[0].one("run_start")["time_ms"] - 2000
    for event in tuned.logs[1].events:
        event["time_ms"] -= early
    changed(tuned, parallel=parallel)
    assert [code for _, _, code in found(tuned.root)] == codes


@pytest.mark.parametrize("distinct, codes", [(15, ["TUN02"]), (16, []), (17, [])])
def test_the_bytes_of_a_shift(tuned, found, distinct, codes):
    tuned.said[1] = Drawn("".join(f"{i % distinct:02x}" for i in range(32)), OWN)
    tuned.frozen()
    assert [code for _, _, code in found(tuned.root)] == codes


@pytest.mark.parametrize("change", [0.999, 1.0, 1.001])
def test_a_budget_of_seconds_ends_a_trial_behind_the_evaluation_that_spent_it(tuned, logs, found, change):
    """Trial 0 ended behind its eighth evaluation: right where the budget was spent there, and not before or after."""
    start = tuned.logs[0].one("run_start")["time_ms"]
    seconds = (tuned.logs[0].all("eval_accuracy")[7]["time_ms"] - start) / 1000
    tuned.VALUES = {**tuned.VALUES, "pruning": None}
    tuned.logs[2] = logs.good(2, tuned.COURSES[1])
    tuned.epochs = 8
    for index in range(4):
        tuned.settings(index, epochs=8)
    changed(tuned, budget={"seconds": seconds * change})
    codes = [code for _, _, code in found(tuned.root)]
    assert codes == (["TUN07"] if change > 1 else [])


@pytest.mark.parametrize("other", ["", "campaign", "shift"])
def test_a_shift_from_the_registry(tuned, found, other):
    registry = Registry("v1.0")
    source = combine(tuned.files().items())
    name = "second" if other == "campaign" else "first"
    asked = request("acme", "box", "scaffold", "tiny", name, source, tuned.campaign.digest)
    entry = registry.draw(asked, "2026-03-31T22:40:00Z", "1" * 64)
    tuned.put(tuned.root.parent / "registry.yaml", registry.text)
    shift = registered_shift(entry)
    tuned.said[1] = Drawn(shift[::-1] if other == "shift" else shift, "registry 1")
    tuned.frozen()
    assert [code for _, _, code in found(tuned.root)] == (["TUN02"] if other else [])


@pytest.mark.parametrize("most, codes", [(79, ["TUN07"]), (80, []), (81, [])])
def test_the_cost_of_recomputing_ends(tuned, law, codes, most):
    """Twenty evaluations, each held against four trials."""
    path = law / "v1.0" / "limits.yaml"
    before = path.read_text()
    path.write_text(before.replace("operations: 10000000", f"operations: {most}"))
    loaded.cache_clear()
    complete.cache_clear()
    try:
        assert [f.code for f in judge([str(tuned.root)], rules=law).findings] == codes
    finally:
        path.write_text(before)
        loaded.cache_clear()
        complete.cache_clear()


@pytest.mark.parametrize("nodes, codes", [("1", ["TUN06"]), ("2", []), ("3", [])])
def test_trials_at_once_on_other_nodes(tuned, found, nodes, codes):
    """Trials 0 and 1 overlap, on a node each."""
    early = tuned.logs[1].one("run_start")["time_ms"] - tuned.logs[0].one("run_start")["time_ms"] - 2000
    for event in tuned.logs[1].events:
        event["time_ms"] -= early
    tuned.logs[1].one("devices")["value"][0]["host"] = "n2"
    for log in tuned.logs:
        log.one("number_of_nodes")["value"] = int(nodes)
    changed(tuned, parallel=2)
    tuned.described(number_of_nodes=nodes)
    left = {"SYS10", "SYS11", "SYS12", "SYS13", "SYS08"}  # logs of more nodes than they name
    assert [code for _, _, code in found(tuned.root) if code not in left] == codes


# Checks alone, of made-up trials

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
        made = campaign_of({**VALUES, **fields}, "campaign")
        opened = Opened(made, shift, source, "1" * 64, 0, {})
        monkeypatch.setattr(checks, "read", lambda *_: SimpleNamespace(campaign=made, opened=opened, fault=fault))
        return opened

    return given


def folder(entries=(), ledger=True, entry=None, **described):
    """The place of a campaign's trials."""
    said = [Entry(number, None, 0, one, "") for number, one in entries]
    place = SimpleNamespace(org="acme", system="box", benchmark="scaffold", campaign="first")
    return SimpleNamespace(
        runs=SimpleNamespace(trials=True, path="first", name="first", place=place),
        ledger=SimpleNamespace(path="first/ledger.jsonl", ledger=SimpleNamespace(entries=said)) if ledger else None,
        registry=SimpleNamespace(entry=lambda number: entry),
        described=described,
    )


def limits(**values):
    usual = {"registry": "optional", "tuning": SimpleNamespace(distinct_bytes=16, operations=1000)}
    clock = SimpleNamespace(overlap=2.0)
    return SimpleNamespace(edition=SimpleNamespace(limits=SimpleNamespace(**{**usual, "clock": clock, **values})))


def trial(number, **values):
    run = {"path": f"result_{number}.txt", "number": number, "problem": "tiny", "lines": frozenset()}
    return SimpleNamespace(**run, value=values.get, line=lambda key: 7)


def told(faults):
    return [(fault.path, fault.line, fault.found) for fault in faults]


@pytest.mark.parametrize(
    ("file", "ledger", "path"),
    [
        ("ledger.jsonl", True, "first/ledger.jsonl"),
        ("ledger.jsonl", False, "first"),
        ("campaign.json", True, "first/campaign.json"),
        ("campaign.json", False, "first/campaign.json"),
    ],
)
def test_tun01_names_the_file_that_is_wrong_or_the_folder_that_lacks_it(campaign, file, ledger, path):
    campaign(fault=(file, f"{file}: found nothing, wanted something"))
    assert told(checks.campaign_is_frozen([], folder(ledger=ledger), limits())) == [(path, 1, "nothing")]


@pytest.mark.parametrize(("problems", "wrong"), [([], 0), ([None, "tiny"], 0), ([None], 0), ([None, "other"], 1)])
def test_tun01_the_problem_is_that_of_the_trials(campaign, problems, wrong):
    campaign()
    runs = [SimpleNamespace(problem=problem) for problem in problems]
    found = told(checks.campaign_is_frozen(runs, folder(), limits()))
    assert found == [("first/campaign.json", 1, "problem tiny")] * wrong


def test_tun02_says_what_comes_again(campaign):
    campaign()
    said = [(1, Frozen("0" * 64)), (2, Drawn(SHIFT, OWN)), (3, Drawn(SHIFT, OWN)), (4, Frozen("0" * 64))]
    found = [(3, "another shift"), (4, "another campaign")]
    faults = checks.shift_is_drawn_once([], folder(said), limits())
    assert told(faults) == [("first/ledger.jsonl", line, what) for line, what in found]


@pytest.mark.parametrize(("use", "wrong"), [("none", 0), ("optional", 0), ("required", 1)])
def test_tun02_a_shift_of_its_own_is_an_error_where_the_registry_is_required(campaign, use, wrong):
    campaign()
    faults = checks.shift_is_drawn_once([], folder(), limits(registry=use))
    assert told(faults) == [("first/ledger.jsonl", 2, f"a shift from {OWN}")] * wrong


@pytest.mark.parametrize(
    ("asked", "logged", "shift", "found"),
    [
        ({}, "5" * 64, None, None),
        ({}, None, None, None),  # a trial without its source is another rule's
        ({"org": "bolt"}, "5" * 64, None, "entry 1, of bolt, box, scaffold, tiny tuning first, of other source"),
        ({"source": "6" * 64}, "5" * 64, None, "entry 1, of acme, box, scaffold, tiny tuning first, of other source"),
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
    faults = told(checks.shift_is_drawn_once(runs, folder(entry=entry), limits()))
    assert [(path, line) for path, line, _ in faults] == [("first/ledger.jsonl", 2)] * (found is not None)
    assert all(text.startswith(found) for *_, text in faults)


@pytest.mark.parametrize(
    ("trials", "numbers", "found"),
    [
        (4, [0, 1, 2, 3], []),
        (4, [0, 1, 1, 2, 3, 4], ["the unknown trial 4", "several logs of trial 1"]),
        (20, [], ["no trial " + ", ".join(map(str, range(20)))]),
        (21, [], ["no trial " + ", ".join(map(str, range(20))) + ", ..."]),
        (4, [0, 1, 2, 3, None], ["the unknown trial None"]),
    ],
)
def test_tun03_every_trial_is_there_once(campaign, trials, numbers, found):
    campaign(trials=trials, space={"rate": {"values": list(range(trials))}})
    faults = list(checks.every_trial_is_there([trial(number) for number in numbers], folder(), limits()))
    assert [(fault.line, fault.found) for fault in faults] == [(1, text) for text in found]
    assert {fault.wanted for fault in faults} <= {f"one log each of trials 0 to {trials - 1}"}


def at_points(opened, numbers=range(4), **changes):
    """What TUN05 finds in trials at their points; `changes` of settings are the second's, `...` takes one away."""
    runs = []
    for number in numbers:
        settings = {**opened.settings(number % 4), "beta": 1, **(changes if number == 1 else {})}
        settings = {name: value for name, value in settings.items() if value is not ...}
        runs.append(trial(number, hyperparameters=settings))
    faults = checks.trials_are_at_their_points(runs, folder(), limits())
    return [(fault.path, fault.line, fault.found, fault.wanted) for fault in faults]


@pytest.mark.parametrize(
    ("changes", "found", "wanted"),
    [
        ({"batch_size": ...}, "batch_size None", "batch_size 4"),
        ({"batch_size": 8}, "batch_size 8", "batch_size 4"),
        ({"batch_size": 8, "beta": 2}, "batch_size 8", "batch_size 4"),
        ({"beta": ...}, "beta None", "beta 1, as in the other trials"),
        ({"more": 5}, "more 5", "more None, as in the other trials"),
        ({"beta": 2, "more": 5}, "beta 2, more 5", "beta 1, more None, as in the other trials"),
    ],
)
def test_tun05_says_which_settings_differ(campaign, changes, found, wanted):
    assert at_points(campaign(), **changes) == [("result_1.txt", 7, found, wanted)]


def test_tun05_a_trial_without_a_point_does_not_excuse_the_next(campaign):
    found = at_points(campaign(), (8, 0, 1, 2, 3), batch_size=8)
    assert [fault[:3] for fault in found] == [("result_8.txt", 1, "trial 8"), ("result_1.txt", 7, "batch_size 8")]


def test_tun05_of_no_trials_there_is_nothing_to_compare(campaign):
    assert at_points(campaign(), ()) == []


def test_tun05_a_point_is_asked_for_before_its_trial(campaign):
    campaign()
    said = [(3, Start("result_0.txt", *4 * ["0" * 64])), (4, Asked({"rate": 1}, 0)), (5, Asked({"rate": 1}, 1))]
    run = trial(0, hyperparameters={"rate": 1, "batch_size": 4, "epochs": 8})
    faults = told(checks.trials_are_at_their_points([run], folder(said), limits()))
    assert ("first/ledger.jsonl", 4, "the point of trial 0 after its start") in faults
    assert [path for path, *_ in faults].count("first/ledger.jsonl") == 1


def spans(*windows, hosts=(), parallel=1, nodes=None):
    """What TUN06 finds in trials that took these times, in milliseconds, of which two seconds may be shared."""
    runs = []
    for number, window in enumerate(windows):
        host = hosts[number] if hosts else "n1"
        run = trial(number, devices=[{"host": host, "kind": "cpu", "name": "x", "ranks": 1, "uuids": []}])
        run.window, run.start = window, SimpleNamespace(line=10 + number)
        runs.append(run)
    place = folder(number_of_nodes=nodes)
    return [(number_of(f), f.found) for f in checks.no_more_trials_at_once(runs, place, limits())]


def number_of(fault):
    number = int(fault.path[len("result_") : -len(".txt")])
    assert fault.line == (10 + number if fault.found[0].isdigit() else 7)
    return number


TWO = "2 trials at once with this one"


@pytest.mark.parametrize(
    ("windows", "found"),
    [
        ([(0, 9000), (7000, 20_000)], []),
        ([(0, 9001), (7000, 20_000)], [(1, TWO)]),
        ([(7000, 20_000), (0, 9000)], []),
        ([(0, 9000), None], []),
        ([(0, 9000), (0, 9000)], [(1, TWO)]),
        ([(0, 9000), (10_000, 20_000), (10_000, 20_000)], [(2, TWO)]),
        ([(0, 9000), (10_000, 20_000), (30_000, 40_000)], []),
        ([(0, 9000), (5000, 9000), (5000, 7000)], [(1, TWO)]),  # the last one is as short as what may be shared
        ([(0, 9000), (2000, 9000), (2500, 3000)], [(1, TWO)]),
    ],
)
def test_tun06_trials_share_so_much_time_and_no_more(campaign, windows, found):
    campaign()
    assert spans(*windows) == found


@pytest.mark.parametrize(
    ("windows", "hosts", "found"),
    [
        ([(0, 9000), (0, 9000)], ("n1", "n1"), []),
        ([(0, 9000), (0, 9000)], ("n1", "n2"), [(1, "trials on 2 nodes at once with this one")]),
        ([(0, 9000), (10_000, 20_000)], ("n1", "n2"), []),
        (
            [(0, 9000), (10_000, 20_000), (10_000, 20_000)],
            ("n1", "n1", "n2"),
            [(2, "trials on 2 nodes at once with this one")],
        ),
    ],
)
def test_tun06_trials_at_once_fit_into_the_system(campaign, windows, hosts, found):
    campaign(parallel=4)
    assert spans(*windows, hosts=hosts, nodes=1) == found
    assert spans(*windows, hosts=hosts) == spans(*windows, hosts=hosts, nodes=2) == []


def gone(number, scores, passes=False, after=0):
    """A trial that began so many seconds after the first, and was evaluated every second and epoch, in lines 1, 2..."""
    times = [1000 * (after + i) for i in range(len(scores) + 1)]
    evaluations = [SimpleNamespace(epoch=i, time_ms=times[i], value=score, line=i) for i, score in enumerate(scores, 1)]
    run = trial(number)
    run.evaluations, run.converged, run.stop_line = evaluations, passes, 99
    run.passing = evaluations[-1] if passes else None
    run.start_ms, run.stop_ms = times[0], times[-1]
    return run


def ends(*runs, lower=False, operations=1000):
    tuning = SimpleNamespace(distinct_bytes=16, operations=operations)
    terms = limits(tuning=tuning)
    terms.benchmark = SimpleNamespace(lower=lower)
    faults = list(checks.trials_end_as_the_campaign_says(list(runs), folder(), terms))
    return [(fault.path, fault.line, fault.found) for fault in faults]


@pytest.mark.parametrize(
    ("scores", "epochs", "line", "found"),
    [
        ((0.5, 0.6, 0.7), 3, None, None),
        ((0.5, 0.6), 3, 99, "the end after epoch 2"),
        ((), 3, 99, "the end after epoch 0"),
        ((), 1, 99, "the end after epoch 0"),
        ((0.5, 0.6, 0.7), 2, 3, "epoch 3"),
    ],
)
def test_tun07_a_budget_of_epochs_is_used_up_and_not_exceeded(campaign, scores, epochs, line, found):
    campaign(budget={"epochs": epochs})
    assert ends(gone(0, scores)) == ([("result_0.txt", line, found)] if found else [])


@pytest.mark.parametrize(
    ("seconds", "scores", "passes", "line"),
    [
        (3, (0.5, 0.6, 0.7), False, None),
        (2, (0.5, 0.6, 0.7), False, 3),
        (3, (0.5, 0.6, 0.96), True, None),  # the target, by the time that the budget is over
        (2, (0.5, 0.6, 0.96), True, 3),
        (1, (0.5, 0.6, 0.7), False, 2),
        (4, (0.5, 0.6, 0.7), False, 99),
    ],
)
def test_tun07_a_budget_of_seconds_ends_a_trial_at_its_next_evaluation(campaign, seconds, scores, passes, line):
    campaign(budget={"seconds": seconds})
    assert [line for _, line, _ in ends(gone(0, scores, passes))] == ([line] if line else [])


@pytest.mark.parametrize(
    ("lower", "score", "lines"),
    [
        (False, 0.5, [3]),
        (False, 0.7, []),
        (True, 0.5, []),
        (True, 0.7, [3]),
    ],
)
def test_tun07_pruning_follows_the_direction_of_the_score(campaign, lower, score, lines):
    """The others had 0.6 at the second epoch, behind which this one goes on."""
    campaign(pruning={"epochs": 2, "trials": 3})
    runs = [*(gone(i, 8 * [0.6]) for i in range(3)), gone(3, [0.6, score, *6 * [0.6]], after=20)]
    assert [line for _, line, _ in ends(*runs, lower=lower)] == lines


@pytest.mark.parametrize(("trials", "lines"), [(3, [3]), (4, [])])
def test_tun07_a_trial_that_was_to_end_may_not_go_on_to_the_target(campaign, trials, lines):
    campaign(pruning={"epochs": 2, "trials": trials})
    runs = [*(gone(i, 8 * [0.6]) for i in range(3)), gone(3, [0.6, 0.5, 0.96], passes=True, after=20)]
    assert [line for _, line, _ in ends(*runs)] == lines


@pytest.mark.parametrize(("pruning", "wrong"), [(None, False), ({"epochs": 2, "trials": 2}, True)])
def test_tun07_only_pruning_compares_trials_with_each_other(campaign, pruning, wrong):
    campaign(pruning=pruning)
    found = ends(gone(0, (0.6,) * 8), gone(1, (0.6,) * 8), operations=31)
    assert found == [("", 1, "16 evaluations of 2 trials")] * wrong


def from_table(tree, rate=0.002, **fields):
    """Lets a run have its settings from a table; the line of what it says of that."""
    tree.changed("opt_base_learning_rate", value=rate)
    tree.settings(learning_rate=rate)
    head = tree.logs[tree.at].one("rules_edition")
    event = {**copy.deepcopy(head), "key": "settings_table", "value": {**SAID, **fields}}
    return tree.inserted(head, event)


def alike(tree, rate=0.002):
    """All other runs have the same settings, as a set must."""
    for index in {*range(5)} - {tree.at}:
        tree.changed("opt_base_learning_rate", index, value=rate)
        tree.settings(index, learning_rate=rate)


@damage
def winner_confirmed_by_itself(tuned):
    """The winner's log once more, without what says that it is a trial."""
    log = copy.deepcopy(tuned.logs[3])
    log.events = [e for e in log.events if e["key"] not in ("trial", "ledger")]
    tuned.logs[4] = log
    tuned.write(4)
    found = [(log.line(log.one(key)), "RUN08") for key in ("hyperparameters", "config_digest")]
    found += [(log.line(log.one("run_start")), "TUN08"), (log.line(log.one("eval_accuracy")), "RUN06")]
    shared = ("result_3.txt", line_of(tuned, 3, "run_start"), "RUN21")
    return [shared, *(("result_0.txt", *place) for place in found)]


@damage
def confirmation_at_other_settings(tuned):
    for index in (4, 5, 6):
        value = 2 * tuned.logs[3].one("opt_base_learning_rate")["value"]
        tuned.changed("opt_base_learning_rate", index, value=value)
        line = tuned.settings(index, learning_rate=value)
    return [(f"result_{i}.txt", line, "TUN08") for i in range(3)]


@damage
def confirmation_by_other_code(tuned):
    for index in (4, 5, 6):
        line = tuned.changed("versions", index, value={"python": "3.11.9", "torch": "2.14.0"})
    return [(f"result_{i}.txt", line, "TUN08") for i in range(3)]


@damage
def confirmation_run_left_out(tuned):
    tuned.path(6).unlink()
    return [("first", 1, "TUN08")]


@damage
def confirmation_on_faster_devices(confirmed):
    lines = []
    for index in (4, 5, 6):
        devices = confirmed.logs[index].one("devices")["value"]
        lines.append(confirmed.changed("devices", index, value=[{**devices[0], "name": "A faster processor"}]))
        confirmed.manifests[index]["nodes"][0]["facts"]["processors"]["value"]["model"] = "A faster processor"
        confirmed.survey(index)
    found = [(f"result_{i}.txt", line, "TUN09") for i, line in enumerate(lines)]
    described = [("environment_0.json", 1, "ENV09"), ("result_0.txt", lines[0], "SYS12")]
    return [*found, ("environment_0.json", 1, "TUN09"), *described]


@damage
def confirmation_with_other_libraries(confirmed):
    confirmed.elsewhere("packages", {"torch": "2.13.0", "numpy": "2.4.7"})
    return [("environment_0.json", 1, "TUN09")]


@damage
def confirmation_with_more_power(confirmed):
    confirmed.elsewhere("power_limits", {"0": 700})
    return [("environment_0.json", 1, "TUN09")]


@damage
def confirmation_without_environments(confirmed):
    for index in (4, 5, 6):
        log = confirmed.logs[index]
        log.events.remove(log.one("environment"))
        confirmed.write(index)
        confirmed.environment(index).unlink()
    return [(f"result_{i}.txt", 1, "TUN09") for i in range(3)]


@damage
def setting_is_not_the_tables(tree):
    alike(tree, 0.0021)
    from_table(tree, 0.0021)
    line = tree.logs[tree.at].line(tree.logs[tree.at].one("hyperparameters"))
    return [("result_2.txt", line, "TUN10")]


@damage
def beyond_the_table(tree):
    alike(tree)
    return [("result_2.txt", from_table(tree, batch=16), "TUN10")]


@damage
def table_of_one_row_for_another_batch(tree):
    alike(tree)
    return [("result_2.txt", from_table(tree, rows=ROWS[:1]), "TUN10")]


@damage
def table_without_a_digest(tree):
    alike(tree)
    return [("result_2.txt", from_table(tree, sha256="?"), "TUN10")]


def test_good_campaign_with_environments(confirmed, found):
    assert found(confirmed.root) == []


def test_what_sites_change_between_jobs_is_for_people(confirmed, law):
    confirmed.elsewhere("kernel", {"release": "6.9.0", "version": "#1 SMP", "machine": "x86_64"})
    findings = judge([str(confirmed.root)], rules=law).findings
    assert [(f.code, f.severity) for f in findings] == [("TUN09", "review")]
    assert "and of 2 more confirmation runs" in findings[0].found and "result_3.txt" in findings[0].wanted


def test_which_host_it_is_does_not_matter(confirmed, found):
    for index in (4, 5, 6):
        confirmed.logs[index].one("devices")["value"][0]["host"] = "n2"
        confirmed.manifests[index]["nodes"][0]["hosts"] = ["n2"]
        confirmed.survey(index)
    assert found(confirmed.root) == []


def test_environments_of_confirmation_runs_alone(confirmed, found):
    for index in range(4):
        log = confirmed.logs[index]
        log.events.remove(log.one("environment"))
        confirmed.environment(index).unlink()
    confirmed.launch()
    line = line_of(confirmed, 4, "environment")
    assert found(confirmed.root) == [(f"result_{i}.txt", line, "TUN09") for i in range(3)]


@pytest.mark.parametrize(
    ("rate", "fields", "codes"),
    [
        (0.002, {}, []),
        (0.001999, {}, ["TUN10"]),
        (0.002001, {}, ["TUN10"]),
        (0.003, {"over": ["learning_rate"]}, []),
        (0.001, {"rows": [{**ROWS[0], "BS": 4}]}, []),
    ],
)
def test_what_a_table_gives(tree, found, rate, fields, codes):
    alike(tree, rate)
    from_table(tree, rate, **fields)
    assert [code for _, _, code in found(tree.root)] == codes


@pytest.mark.parametrize(("over", "codes"), [([], []), (["learning_rate"], ["ENV07"])])
def test_a_table_counts_above_the_config(environed, found, over, codes):
    """The config has another rate; where the command line is said to give it, it must."""
    alike(environed)
    from_table(environed, over=over)
    for index in {*range(5)} - {environed.at}:
        command = environed.manifests[index]["run"]["command"]["value"]
        environed.fact("command", [*command, "learning_rate=0.002"], index)
    assert [code for _, _, code in found(environed.root)] == codes


def of_rule(tree, law, code):
    """(file, found) of what a rule finds."""
    findings = judge([str(tree.root)], rules=law).findings
    return [(Path(f.path).name, f.found) for f in findings if f.code == code]


def test_a_campaign_that_cannot_be_read_has_no_winner_to_confirm(tuned, law):
    tuned.put(tuned.folder / "campaign.json", "{}")
    assert of_rule(tuned, law, "TUN08") == []


def test_a_campaign_without_a_winner_needs_no_confirmation(tuned, logs, law):
    for index in (1, 3):
        tuned.logs[index] = logs.good(index, tuned.COURSES[0])
    tuned.frozen()
    shutil.rmtree(tuned.folder / "confirmation")
    assert of_rule(tuned, law, "TUN08") == []


def test_a_campaign_beside_the_confirmation_runs_is_none(tuned, law):
    for name in ("campaign.json", LEDGER):
        shutil.copy(tuned.folder / name, tuned.folder / "confirmation")
    assert of_rule(tuned, law, "TUN08") == []


@pytest.mark.parametrize("index", [3, 4])
def test_a_setting_that_only_the_winner_or_a_confirmation_run_has_is_another(tuned, law, index):
    tuned.settings(index, threads=...)
    files = ["result_0.txt"] if index == 4 else [f"result_{i}.txt" for i in range(3)]
    assert [name for name, _ in of_rule(tuned, law, "TUN08")] == files


@pytest.mark.parametrize(("beyond", "found"), [(-1, ["run_start 0.001 s before the last trial stopped"]), (0, [])])
def test_a_confirmation_run_may_start_when_the_last_trial_stops(tuned, law, beyond, found):
    over = max(log.one("run_stop")["time_ms"] for log in tuned.logs[:4])
    by = over + beyond - tuned.logs[4].one("run_start")["time_ms"]
    for event in tuned.logs[4].events:
        event["time_ms"] += by
    tuned.write(4)
    assert of_rule(tuned, law, "TUN08") == [("result_0.txt", text) for text in found]


@pytest.mark.parametrize(
    ("runs", "more"),
    [((4,), ""), ((4, 5), " and of 1 more confirmation runs"), ((4, 5, 6), " and of 2 more confirmation runs")],
)
def test_a_fact_is_told_once_for_all_confirmation_runs(confirmed, law, runs, more):
    for index in runs:
        confirmed.fact("packages", {"torch": "2.13.0", "numpy": "2.4.7"}, index)
    assert of_rule(confirmed, law, "TUN09") == [("environment_0.json", f'packages numpy "2.4.7"{more}')]


def test_the_environment_in_which_a_confirmation_run_began_counts(confirmed, logs, law):
    log, others = confirmed.logs[4], {"torch": "2.13.0", "numpy": "2.4.7"}
    resumed, content = logs.interrupt(log), copy.deepcopy(confirmed.manifests[4])
    content["nodes"][0]["facts"]["packages"]["value"] = others
    later = confirmed.put(confirmed.environment(4).with_name("environment_0_1.json"), json.dumps(content))
    resumed["value"]["environment"] = logs.sha256(later)
    confirmed.write(4)
    assert of_rule(confirmed, law, "TUN09") == []
    confirmed.fact("packages", others, 4)
    assert of_rule(confirmed, law, "TUN09") == [("environment_0.json", 'packages numpy "2.4.7"')]


def test_a_setting_that_a_run_chooses_for_its_machine_may_differ_from_the_table(tree, found):
    alike(tree, 0.001)
    row = {**ROWS[0], "BS": 4, "Hyperparams": {"learning_rate": 0.001, "threads": 0}}
    from_table(tree, 0.001, rows=[row])
    assert found(tree.root) == []
