"""LOG: a log that can't be read, isn't whole, or doesn't say what it must."""

import pytest

from benchmark.log import BadLine
from compliance.engine import judge
from compliance.families import log as checks
from compliance.reading import log as log_module
from compliance.reading.log import Log
from rules.key import Key
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, files_changed, log_changed
from tests.compliance.logs import event, interrupt, read


@damage
def second_part_of_a_resumed_log(tree):
    resumed = interrupt(tree.logs[2])
    tree.logs[2].events = tree.logs[2].events[tree.logs[2].events.index(resumed) :]
    tree.write(2)
    return [("result_2.txt", 1, "LOG04")]


def rewritten(tree, line, change):
    """Change a line of run 2, without its end; its number."""
    lines = tree.path(2).read_text().splitlines()
    lines[line - 1] = change(lines[line - 1])
    tree.path(2).write_text("\n".join(lines) + "\n")
    return line


truncated_json = log_changed("LOG01", lambda tree, log: rewritten(tree, 50, lambda text: text[:60]))
log_of_nothing = files_changed("LOG03", "result_2.txt", lambda tree: tree.path(2).write_text("training ...\n"))
organisation_missing = files_changed("LOG04", "result_2.txt", lambda tree: tree.removed("submission_org"))
global_batch_size_twice = log_changed(
    "LOG05", lambda tree, log: tree.inserted(log.one("precision"), dict(log.one("global_batch_size")))
)
batch_size_in_quotes = event_changed("LOG06", "global_batch_size", runs=range(5), value="4")
start_that_stops = event_changed("LOG07", "eval_start", nth=1, event_type="INTERVAL_END")
prefix_of_a_rank = log_changed("LOG08", lambda tree, log: rewritten(tree, 50, lambda text: f"[rank 0] {text}"))
closed_with_a_capital = event_changed("LOG09", "submission_division", value="Closed")
epoch_without_its_number = event_changed("LOG10", "epoch_stop", nth=1, metadata={"epoch_num": None})
rules_of_another_edition = event_changed("LOG11", "rules_edition", value="v0.9")
problem_nobody_published = event_changed("LOG12", "problem", runs=range(5), value="tinier")


@damage
def metadata_missing_from_an_evaluation(tree):
    """What they would say of the epoch is not asked for as well."""
    event = tree.logs[2].all("eval_start")[1]
    del event["metadata"]
    return [("result_2.txt", tree.written(event), "LOG14")]


metadata_missing_from_an_event_that_the_rules_do_not_know = log_changed(
    "LOG14",
    lambda tree, log: tree.inserted(log.one("precision"), log.one("precision") | {"key": "weather", "metadata": None}),
)


@damage
def more_events_than_can_be_judged(tree, monkeypatch):
    log = tree.logs[2]
    monkeypatch.setattr(log_module, "MOST_EVENTS", len(log.events))
    tree.inserted(log.events[-1], dict(log.one("tracked_stats")))
    return [("result_2.txt", len(log.events), "LOG02")]


def test_of_a_log_that_cannot_be_read_nothing_else_is_told(tree, found, monkeypatch):
    monkeypatch.setattr(log_module, "read_log", lambda path, decode: path.with_name("none").open())
    assert found(tree.path(2)) == [("result_2.txt", 1, "LOG02")]


def test_a_set_with_an_unreadable_log_is_checked_by_few_rules(tree, law):
    log_of_nothing(tree)
    (runs,) = judge([tree.root], rules=law).all_sets
    assert runs.unjudged.endswith("result_2.txt could not be judged further (LOG03)")


@pytest.fixture
def errors_of(findings):
    """The errors in the log that is damaged."""
    return lambda tree: sorted((f.code, f.line) for f in findings(tree.path(2)) if f.severity == "error")


def test_a_value_of_the_wrong_type_hides_what_reads_this_key_alone(tree, errors_of):
    """The seed, the digest of the settings and the precision are judged, though `layout` is text."""
    layout, seed = tree.changed("layout", value="one"), tree.changed("seed", value=5)
    digest = tree.changed("config_digest", value="0" * 64)
    assert errors_of(tree) == sorted([("HYP04", digest), ("LOG06", layout), ("SEED03", seed)])
    ranks = tree.changed("number_of_ranks", value="two")  # MOD02, SYS08 and SYS10 read it
    devices = tree.changed("devices", value=[{"host": "a"}])
    assert ("LOG06", ranks) in errors_of(tree) and ("SYS10", devices) not in errors_of(tree)


@pytest.mark.parametrize("named", [True, False])
def test_a_bad_line_hides_what_reads_its_key_alone(tree, errors_of, named):
    """What else is wrong is told in the same round; but a line that names no key may be of any."""
    target, digest = tree.changed("target", value=0.5), tree.logs[2].line_of("config_digest")
    rewritten(tree, digest, lambda text: text[:-1] if named else ":::MLLOG {")
    assert errors_of(tree) == [("EVL10", target)] * named + [("LOG01", digest)]


@pytest.mark.parametrize(
    ("name", "key"), [("launched", "ledger"), ("weighted", "weights"), ("environed", "environment")]
)
def test_what_a_bad_line_names_is_not_missed_as_well(request, found, name, key):
    tree = request.getfixturevalue(name)
    at = rewritten(tree, tree.logs[2].line_of(key), lambda text: text[:-1])
    assert found(tree.root) == [("result_2.txt", at, "LOG01")]


@damage
def statistics_without_a_loss(tree):
    event = tree.logs[2].all("tracked_stats")[1]
    del event["value"]["loss"]
    return [("result_2.txt", tree.written(event), "LOG13")]


def by(keys=(), **changes):
    """Terms with these keys, none of which must be the same in a set, or be configured."""
    same = dict.fromkeys(("same_code", "same_system", "same_in_set", "same_problem"), ())
    return made.terms(**{"keys": dict(keys), "metric": "score", "configured": {}, **same, **changes})


def judged(check, log, keys=(), **changes):
    """What a check finds: (line, found). `changes` are those of the terms."""
    return [(fault.line, fault.found) for fault in check(log, by(keys, **changes), None)]


ODD, NO_JSON = checks.ODDITIES["encoding"], [(line, "no JSON") for line in (4, 6, 9)]
BAD = [BadLine(*bad) for bad in NO_JSON]


@pytest.mark.parametrize(
    ("check", "log", "found"),
    [
        (checks.lines_are_events, {"bad": BAD, "bad_count": 3}, NO_JSON),
        (checks.lines_are_events, {"bad": BAD[1:], "bad_count": 3}, [*NO_JSON[1:], (9, "1 more such lines")]),
        (checks.lines_are_events, {"bad": [BadLine(10, "not JSON")], "bad_count": 1}, [(10, "half an event")]),
        (checks.lines_are_events, {"bad": [BadLine(10, "longer")], "bad_count": 1}, [(10, "longer")]),
        (checks.log_can_be_read, {"count": 7}, []),
        (checks.log_can_be_read, {"count": 7, "overflow": 1}, [(1, "7 events")]),
        (checks.log_can_be_read, {"count": 7, "overflow": 5}, [(5, "7 events")]),
        (checks.log_can_be_read, {"unreadable": "no such file", "overflow": 5}, [(1, "no such file")]),
        (checks.log_holds_events, {}, [(1, "no line with :::MLLOG")]),
        (checks.log_holds_events, {"count": 1}, []),
        (checks.log_holds_events, {"bad": ["a line"]}, []),  # that cannot be read
        (checks.log_is_plain_text, {"odd": {"encoding": [1, 9]}}, [(9, ODD)]),
        (checks.log_is_plain_text, {"odd": {"encoding": [2, 9]}}, [(9, f"{ODD}, in 2 lines")]),
    ],
)
def test_the_lines_of_a_log_are_read_and_hold_events(check, log, found):
    assert judged(check, Log("", **{"last_line": 10, **log})) == found


def test_log04_asks_for_the_required_keys_that_apply():
    keys = {
        "here": Key(required=True),
        "seed": Key(required=True),  # SEED01 asks for it
        "run_stop": Key(required=True),  # CLK01 asks for it
        "free": Key(),
        "closed_only": Key(required=True, closed=True),
        "with_here": Key(required=True, only_if=(("here", 5),)),
        "with_both": Key(required=True, only_if=(("here", 5), ("there", 6))),
        "elsewhere": Key(required=True, only_if=(("here", 6),)),
        "gone": Key(required=True),
    }
    log = read(event(1, "here", value=5))
    check = checks.required_keys_are_logged
    always = [(1, "no with_here"), (1, "no gone")]
    assert judged(check, log, keys, division="open") == always
    assert judged(check, log, keys) == [(1, "no closed_only"), *always]


def test_log04_a_log_that_resumes_before_it_begins_lacks_a_part():
    log = read(event(1, "resumed"), event(4, "init_start"))
    found = [(1, "init_start in line 4 before the event resumed")]
    assert judged(checks.required_keys_are_logged, log, {"gone": Key(required=True)}) == found


def test_log04_leaves_out_the_keys_of_unreadable_lines():
    """Any key may be in one that names none, or that was not kept."""
    log = read(event(1, "there"))
    log.bad, keys = [BadLine(2, "")], {"here": Key(required=True), "gone": Key(required=True)}
    for named, count, found in (({2: "here"}, 1, [(1, "no gone")]), ({}, 1, []), ({2: "here"}, 2, [])):
        log.named, log.bad_count = named, count
        assert judged(checks.required_keys_are_logged, log, keys) == found


@pytest.mark.parametrize("tolerant", [False, True])
def test_log05_is_milder_where_rounds_are_tolerant(tolerant):
    """CLK01 counts run_start."""
    keys = {"some": Key(many=True), "none": Key(), "one": Key(), "run_start": Key()}
    keys |= {"twice": Key(required=True), "thrice": Key()}
    told = ("some", "some", "one", "run_start", "run_start", "twice", "thrice", "twice", "thrice", "thrice")
    log = read(*(event(line, key, value=line) for line, key in enumerate(told, 1)))
    faults = list(checks.keys_of_the_run_are_logged_once(log, by(keys, tolerant=tolerant), None))
    mild = "warning" if tolerant else ""
    assert [(fault.line, fault.found, fault.wanted, fault.severity) for fault in faults] == [
        (8, "another twice, 8", "only that of line 6", ""),
        (9, "another thrice, 9", "only that of line 7", mild),
        (10, "another thrice, 10", "only that of line 7", mild),
    ]


def test_log06_checks_all_events_only_where_many_are_allowed():
    keys = {
        "seed": Key(kind="int"),  # SEED02 judges these
        "one": Key(kind="int"),
        "many": Key(kind="int", many=True),
        "least": Key(kind="int", min=3),
        "closed": Key(kind="int", min=3, closed=True),  # HYP01 judges its limits, in the closed division
        "any": Key(),
    }
    told = [("seed", "x"), ("one", 1), ("one", "x"), ("many", "x"), ("many", 1), ("many", "y"), ("least", 2)]
    told += [("closed", 2), ("any", None)]
    log = read(*(event(line, key, value=value) for line, (key, value) in enumerate(told, 1)))
    found = [(4, 'many "x"'), (6, 'many "y"'), (7, "least 2")]
    assert judged(checks.values_have_their_type, log, keys) == found
    other = read(*(event(i, *told) for i, told in enumerate((("one", 0, "x"), ("closed", 0, "x"), ("least", 0, 3)), 1)))
    assert judged(checks.values_have_their_type, other, keys) == [(1, 'one "x"'), (2, 'closed "x"')]


def test_log07_names_each_event_or_in_tolerant_rounds_each_key():
    log = read(*(event(line, key) for line, key in ((1, "a_start"), (2, "a_stop"), (4, "b"))))
    log.events["a_start"].append(event(3, "a_start")._replace(event_type="INTERVAL_END"))
    check = checks.event_types_fit
    first, stop = "a_start POINT_IN_TIME", "a_stop POINT_IN_TIME"
    assert judged(check, log) == [(1, first), (3, "a_start INTERVAL_END"), (2, stop)]
    assert judged(check, log, tolerant=True) == [(1, f"{first}, 2 times"), (2, stop)]


def test_log09_a_value_is_one_of_those_that_are_known():
    """LOG06 says so of another type, and HYP01 in the closed division."""
    known = {"choices": ("a", "b")}
    keys = {"open": Key(), "right": Key(**known), "wrong": Key(**known), "typed": Key(kind="string", **known)}
    keys |= {"fixed": Key(closed=True, **known), "last": Key(**known), "none": Key(**known)}
    values = dict(zip(keys, ["c", "a", "c", 3, "c", "d"], strict=False))
    log = read(*(event(i, key, value=value) for i, (key, value) in enumerate(values.items())))
    assert judged(checks.values_are_known, log, keys) == [(2, "wrong c"), (5, "last d")]


def test_log10_an_epoch_is_numbered_from_0_or_1_on():
    events = enumerate((0, 1, 1.5, -1, -0.5, None, "1", True), 1)
    log = read(*(event(i, "eval_stop", epoch_num=n) for i, n in events), event(9, "score"))
    check = checks.events_name_their_epoch
    assert [line for line, _ in judged(check, log)] == [4, 5, 6, 7, 8, 9]
    assert judged(check, log, tolerant=True) == [(4, "eval_stop with epoch_num -1"), (9, "score with epoch_num None")]


@pytest.mark.parametrize(
    ("key", "good", "bad", "wanted"),
    [
        (Key(), [None, 1, "x", [1]], [], "a value"),
        (Key(kind="int"), [0, -1], [1.0, True, "1", None], "an integer"),
        (Key(kind="number"), [0, 1.5], [True, float("nan"), "1"], "a finite number"),
        (Key(kind="string"), ["x"], ["", " ", 1, None], "text"),
        (Key(kind="bool"), [True, False], [0, 1, "true"], "true or false"),
        (Key(kind="list"), [[], [1]], [(), {}], "a list"),
        (Key(kind="object"), [{}], [[], None], "an object"),
        (Key(min=2), [2, 3], [1.9, "2", True, None], "a value from 2"),
        (Key(above=2), [2.1], [2, 1], "a value above 2"),
        (Key(max=2), [2, -5], [2.1, float("nan")], "a value up to 2"),
        (Key(below=2), [1.9], [2, 3], "a value below 2"),
        (Key(length=2), [[1, 2]], [[1], [1, 2, 3], "12", None], "a value of length 2"),
        (Key(kind="number", above=0.5, max=1e6), [1e6], [0.5], "a finite number above 0.5 up to 1e+06"),
    ],
)
def test_log06_a_value_is_what_its_key_asks_for(key, good, bad, wanted):
    values = dict(enumerate([*good, *bad]))
    log = read(*(event(i, f"key_{i}", value=value) for i, value in values.items()))
    faults = list(checks.values_have_their_type(log, by({f"key_{i}": key for i in values}), None))
    assert [fault.line for fault in faults] == [*values][len(good) :]
    assert checks.describe(key) == wanted and {fault.wanted for fault in faults} <= {wanted}


STATS = {"throughput": 1, "compute_seconds": 1, "wait_seconds": 0, "loss": 0}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([STATS], []),
        ([STATS | {"loss": None}], []),  # a training may diverge for a while: JSON has no NaN
        ([STATS | {"throughput": 0}], [("throughput 0", "a number above 0")]),
        ([STATS | {"throughput": "fast"}], [("throughput fast", "a number above 0")]),
        ([STATS | {"wait_seconds": -0.1}], [("wait_seconds -0.1", "a number from 0 on")]),
        ([None], [("no throughput", "one")]),
        ([STATS, STATS], [("2 tracked_stats of epoch None", "one")]),
    ],
)
def test_log13_statistics_are_numbers_and_come_once(values, told):
    log = read(*(event(1, "tracked_stats", value=value) for value in values), event(2, "epoch_stop"))
    assert [(f.found, f.wanted) for f in checks.epochs_log_their_statistics(log, None, None)] == told
