"""RUN: sets of runs that are too few, of different systems, code or problems, or copies of each other."""

import copy
import random
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmark.metric import Counts, dice
from compliance.engine import judge
from compliance.families import runs as checks
from compliance.reading.epochs import epochs_of
from compliance.reading.run import Run
from compliance.reviewing.waiver import read_waivers
from compliance.verdict import NO_STOP
from rules.edition import load
from rules.reference import reference_points

damage = pytest.mark.damage
NAMES = ("intersection", "predicted", "true")
CURVES = load("v1.0").limits.curves
REACH = int(CURVES.closest["dice"] * 100_000)  # of the foreground's true voxels
DOUBT = int(CURVES.near["dice"] * 100_000)
BESIDE = "5.000 s at the same time as box/strong/scaffold/result_0.txt"


@damage
def log_of_another_benchmark(tree):
    return [("result_2.txt", tree.changed("submission_benchmark", value="deepcam"), "RUN10")]


@damage
def run_whose_compiler_failed(tree):
    for index, log in enumerate(tree.logs):
        before = log.one("parameter_count")
        log.events.insert(log.events.index(before), {**before, "key": "compiled", "value": index != 2})
        tree.write(index)
    return [("result_2.txt", tree.logs[2].line(tree.logs[2].one("compiled")), "RUN07")]


def with_kernels(tree, *values):
    """Says in each run once for each of its values whether its kernels are compiled."""
    for index, log in enumerate(tree.logs):
        before = log.one("parameter_count")
        for value in values[index % len(values)]:
            log.events.insert(log.events.index(before), {**before, "key": "compiled", "value": value})
        tree.write(index)


@damage
def run_that_does_not_say_whether_kernels_are_compiled(tree):
    with_kernels(tree, [True], [True], [], [True], [True])
    return [("result_2.txt", 1, "RUN07")]


@damage
def run_that_says_of_its_kernels_one_thing_and_another(tree):
    with_kernels(tree, [True], [True], [True, False], [True], [True])
    second = tree.logs[2].events.index(tree.logs[2].one("compiled")) + 1
    return [("result_2.txt", tree.logs[2].line(tree.logs[2].events[second]), "LOG05")]


@damage
def kernels_that_are_compiled_to_some_extent(tree):
    with_kernels(tree, [True], [True], ["partly"], [True], [True])
    return [("result_2.txt", tree.logs[2].line(tree.logs[2].one("compiled")), "LOG06")]


@damage
def log_copied_with_clock_and_seed_changed(tree):
    tree.logs[4] = copy.deepcopy(tree.logs[0])
    for event in tree.logs[4].events:
        event["time_ms"] += 7_777_777
    tree.changed("seed", 4, value=(1 << 62) + 987654321)
    return [("result_4.txt", tree.logs[4].line(tree.logs[4].one("eval_accuracy")), "RUN06")]


@damage
def one_log_replayed_five_times(tree):
    rng = random.Random(7)
    for index in range(1, 5):
        tree.logs[index] = copy.deepcopy(tree.logs[0])
        for event in tree.logs[index].events:
            event["time_ms"] += 1_000_003 * index
        tree.changed("seed", index, value=(1 << 62) + rng.getrandbits(60))
    line = tree.logs[0].line(tree.logs[0].one("eval_accuracy"))
    return [("result_1.txt", line, "RUN06")]  # one finding for the set


@damage
def replay_with_other_leading_scores(tree):
    """The tail of another run's curve: its first two epochs are the run's own."""
    own = tree.logs[4].all("eval_accuracy")[2:]
    for event, other in zip(own, tree.logs[0].all("eval_accuracy")[2:], strict=True):
        event["value"] = other["value"]
        event["metadata"].update({k: other["metadata"][k] for k in ("intersection", "predicted", "true")})
    tree.write(4)
    return [("result_4.txt", tree.logs[4].line(own[0]), "RUN06")]


@damage
def byte_identical_logs(tree):
    shutil.copyfile(tree.path(0), tree.path(4))
    return [("result_4.txt", 1, "RUN05")]


@damage
def one_log_deleted(tree):
    tree.path(2).unlink()
    return [("scaffold", 1, "RUN01")]


@damage
def first_log_deleted(tree):
    tree.path(0).unlink()
    return [("scaffold", 1, "RUN01")]


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [
        ([0, 1, 2, 4], [(3, 3)]),
        ([0, 1, 2, 3], [(4, 4)]),
        ([1, 2, 3, 4], [(0, 0)]),
        ([1, 3, 5], [(2, 2), (4, 4)]),
        ([0], [(1, 4)]),
        ([7], [(0, 4)]),
        ([0, 1, 2, 3, 4, 5], []),
    ],
)
def test_run01_says_which_runs_are_missing(numbers, missing):
    assert checks._missing(set(numbers), 5) == missing


@damage
def one_log_too_many(tree, logs):
    logs.good(5).write(tree.path(5))
    return [("scaffold", 1, "RUN01")]


@damage
def hole_in_the_numbers(tree):
    tree.path(4).rename(tree.path(7))
    return [("scaffold", 1, "RUN02")]


@damage
def two_runs_that_did_not_converge(tree, logs):
    lines = []
    for index in (1, 3):
        tree.logs[index] = logs.good(index, (0.5, 0.7, 0.8))
        tree.write(index)
        line = len(tree.logs[index].events)
        lines += [(f"result_{index}.txt", line, "EVL07"), (f"result_{index}.txt", line, "RUN03")]
    return lines


@damage
def another_number_of_nodes_in_one_run(tree):
    (named,) = tree.logs[2].one("devices")["value"]
    tree.changed("devices", value=[{**named, "host": host, "ranks": named["ranks"] // 2} for host in ("n1", "n2")])
    return [("result_2.txt", tree.changed("number_of_nodes", value=2), "RUN07")]


@damage
def another_learning_rate_in_one_run(tree, logs):
    settings = {**tree.logs[2].one("hyperparameters")["value"], "learning_rate": 0.0011}
    values = {
        "opt_base_learning_rate": 0.0011,
        "hyperparameters": settings,
        "config_digest": logs.config_digest(settings),
    }
    return [("result_2.txt", tree.changed(key, value=value), "RUN08") for key, value in values.items()]


@damage
def open_in_one_run(tree):
    return [("result_2.txt", tree.changed("submission_division", value="open"), "RUN09")]


@damage
def another_organisation(tree):
    lines = [tree.changed("submission_org", i, value="bolt") for i in range(5)]
    return [("result_0.txt", lines[0], "RUN11")]


@damage
def another_platform(tree):
    lines = [tree.changed("submission_platform", i, value="crate") for i in range(5)]
    return [("result_0.txt", lines[0], "RUN12")]


@damage
def another_division_in_the_description(tree):
    return [("box.json", tree.described(division="open"), "RUN13")]


@damage
def another_status_in_the_description(tree):
    return [("box.json", tree.described(status="cloud"), "RUN14")]


@damage
def more_nodes_in_the_description(tree):
    return [("box.json", tree.described(number_of_nodes="2"), "RUN15")]


@damage
def more_accelerators_in_the_description(tree):
    return [("box.json", tree.described(accelerators_per_node="4"), "RUN16")]


@damage
def study_of_another_code(study):
    return [("result_1.txt", study.changed("versions", value={"python": "3.12.1"}), "RUN04")]


@damage
def study_of_another_platform(study):
    for index in range(3):
        study.logs[5 + index].one("submission_platform")["value"] = "crate"
        study.write(5 + index)
    line = study.logs[5].line(study.logs[5].one("submission_platform"))
    return [("result_0.txt", line, "RUN12")]


@damage
def organisation_left_as_a_placeholder(tree):
    tree.described(submitter="Placeholder, Inc.")
    lines = [tree.changed("submission_org", i, value="placeholder inc") for i in range(5)]
    return [("result_0.txt", lines[0], "RUN17")]


def test_damage(entry, exactly):
    exactly(entry)


def test_runs_with_other_settings_are_told_which(tree, law, logs):
    another_learning_rate_in_one_run(tree, logs)
    found = {f.found: f.wanted for f in judge([tree.root], None, rules=law).findings if f.code == "RUN08"}
    usual = tree.logs[1].one("hyperparameters")["value"]["learning_rate"]
    assert found["hyperparameters learning_rate 0.0011"] == f"learning_rate {usual}, as in the set's other runs"


EDITION = load("v1.0")


SYSTEM = {"accelerators_per_node": "4", "number_of_nodes": 2, "division": "closed", "submitter": "Acme, Inc."}


def run(number=0, pruned=False, codes=(), stop_ms=9, lines=(), **values):
    """A run, as far as these checks look: its values stand in line 7."""
    facts = {key: SimpleNamespace(value=value, line=7) for key, value in values.items()}
    fields = {"number": number, "pruned": pruned, "codes": set(codes), "stop_ms": stop_ms, "stop_line": 99}
    named = {"path": f"result_{number}.txt", "facts": facts, "lines": set(lines)}
    return SimpleNamespace(**fields, **named, value=values.get, line=lambda key: 7)


def terms(benchmark="scaffold", **limits):
    edition = replace(EDITION, limits=replace(EDITION.limits, **limits))
    known = EDITION.benchmarks[benchmark] if benchmark else None
    return SimpleNamespace(edition=edition, benchmark=known, keys={})


def place(scaling="strong", system="box", data=SYSTEM, org="acme"):
    submission = SimpleNamespace(org=org, place=lambda *parts: "/".join(parts))
    described = SimpleNamespace(data=data, parts=("systems", "box.json"), line_of=lambda name: 3)
    return SimpleNamespace(
        scaling=scaling, system=system, submission=submission, description=described, described=data or {}
    )


def told(check, runs, where=None, by=None):
    return [(fault.line, fault.found) for fault in check(runs, where or place(), by or terms())]


@pytest.mark.parametrize(("number", "good"), [(4, False), (5, True), (6, False)])
def test_a_set_has_exactly_its_runs_and_pruned_ones_are_none(number, good):
    runs = [run(i) for i in range(number)] + [run(9, pruned=True)]
    assert (told(checks.set_has_its_runs, runs) == []) is good


@pytest.mark.parametrize(("least", "good"), [(2, True), (3, True), (4, False)])
def test_a_weak_set_has_so_many_runs_or_more_pruned_ones_too(least, good):
    runs = [run(0), run(1), run(2, pruned=True)]
    found = [] if good else [(1, "3")]
    assert told(checks.set_has_its_runs, runs, place("weak"), terms(weak_runs=least)) == found


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([0, 1, 2], None),
        ([1, 2, 3], None),
        ([2, 3], "2 runs, the last is 3: the first run is 2"),
        ([0, 2], "2 runs, the last is 2: no run 1"),
        ([0, 4, 6], "3 runs, the last is 6: no run 1 to 3, 5"),
        ([0, 1, 1, 1, 3, 3], "6 runs, the last is 3: no run 2; twice 1, 3"),
        ([2, 4, 4], "3 runs, the last is 4: the first run is 2; no run 3; twice 4"),
        ([None, 0], None),
        ([None], None),
    ],
)
def test_holes_and_numbers_that_are_there_twice_are_told(numbers, found):
    assert told(checks.runs_are_numbered, [run(n) for n in numbers]) == ([(1, found)] if found else [])


@pytest.mark.parametrize(("holes", "ends"), [(20, "39"), (21, "39, ...")])
def test_so_many_holes_are_told(holes, ends):
    ((_, found),) = told(checks.runs_are_numbered, [run(2 * n) for n in range(holes + 1)])
    assert found.endswith(f", {ends}") and found.count(",") == 20 + (holes > 20)


@pytest.mark.parametrize(("failed", "faults"), [(0, 0), (1, 0), (2, 2), (3, 3)])
def test_one_run_of_a_set_may_fail_to_converge(failed, faults):
    assert EDITION.benchmarks["scaffold"].forgiven == 1
    runs = [run(i, codes={"EVL07"} if i < failed else ()) for i in range(5)]
    assert len(told(checks.few_runs_fail_to_converge, runs)) == faults
    assert told(checks.few_runs_fail_to_converge, runs, place("weak")) == []


@pytest.mark.parametrize(("forgiven", "stop_ms", "faults"), [(True, None, 2), (True, 9, 0), (False, None, 0)])
def test_a_run_that_broke_off_failed_where_rounds_forgive_it(forgiven, stop_ms, faults):
    runs = [run(i, codes={NO_STOP[0]}, stop_ms=stop_ms) for i in range(2)]
    assert len(told(checks.few_runs_fail_to_converge, runs, by=terms(unfinished_forgiven=forgiven))) == faults


def test_the_odd_one_is_told_and_one_fault_is_one_finding():
    key = EDITION.limits.same_problem[0]
    alike, odd, silent = [run(i, **{key: "a"}) for i in range(2)], run(2, **{key: "b"}), run(3)
    assert told(checks.runs_are_of_one_problem, [*alike, silent]) == []
    assert told(checks.runs_are_of_one_problem, [*alike, odd, silent]) == [(7, f'{key} "b"')]
    assert told(checks.runs_are_of_one_problem, [*alike, run(2, lines={7}, **{key: "b"})]) == []


@pytest.mark.parametrize(("said", "good"), [("acme", True), ("ACME Inc", True), ("bolt", False), ("placeholder", True)])
def test_an_organisation_is_the_folders_or_the_submitter(said, good):
    runs = [run(i, submission_org=said) for i in range(2)]
    assert (told(checks.organisation_is_the_folders, runs) == []) is good
    assert told(checks.organisation_is_the_folders, [run()]) == []
    nowhere = place()
    nowhere.submission = None
    assert told(checks.organisation_is_the_folders, runs, nowhere) == []


@pytest.mark.parametrize(
    ("said", "system", "good"), [("box", "box", True), ("crate", "box", False), ("crate", "", True)]
)
def test_a_platform_is_the_folders(said, system, good):
    assert (told(checks.platform_is_the_folders, [run(submission_platform=said)], place(system=system)) == []) is good


@pytest.mark.parametrize(
    ("said", "scaling", "good"),
    [
        (4, "strong", True),
        (2, "strong", False),
        (1, "weak", True),
        (2, "weak", True),
        (4, "weak", True),
        (5, "weak", False),
        (0, "weak", False),
    ],
)
def test_an_instance_may_have_some_of_a_nodes_accelerators(said, scaling, good):
    runs = [run(accelerators_per_node=said)]
    assert (told(checks.accelerators_are_the_descriptions, runs, place(scaling)) == []) is good


@pytest.mark.parametrize(
    ("said", "described", "good"),
    [(2, 2, True), (2, "2", True), (2, 3, False), (2, "two", True), (2, None, True), ("2", 2, True), ("2", "3", False)],
)
def test_what_is_described_in_words_is_not_held_against_a_number(said, described, good):
    where = place(data={**SYSTEM, "number_of_nodes": described})
    assert (told(checks.nodes_are_the_descriptions, [run(number_of_nodes=said)], where) == []) is good
    assert (
        told(checks.nodes_are_the_descriptions, [run(number_of_nodes=said)], place("weak", data=where.description.data))
        == []
    )
    assert told(checks.nodes_are_the_descriptions, [run(number_of_nodes=9)], place(data={})) == []
    assert told(checks.nodes_are_the_descriptions, [run(number_of_nodes=9)], place(data=None)) == []


@pytest.mark.parametrize(
    ("left", "found"), [(1, "submission_org Placeholder"), (2, "submission_org Placeholder, in 2 of 3 logs")]
)
def test_placeholders_are_counted(left, found):
    runs = [run(i, submission_org="Placeholder" if i < left else "acme") for i in range(3)]
    assert told(checks.identity_is_filled_in, runs) == [(7, found)]


def test_run03_each_run_that_failed_is_named():
    runs = [run(i, codes={"EVL07"}) for i in (3, 1)]
    faults = list(checks.few_runs_fail_to_converge(runs, place(), terms()))
    assert [(f.line, f.path, f.found, f.wanted) for f in faults] == [
        (99, f"result_{i}.txt", "one of 2 such runs", "at most 1") for i in (3, 1)
    ]


class Alike:
    """Runs that are judged together, as far as the rules on copies look: those of other homes are strangers."""

    def __init__(self, runs=(), copies=(), replays=(), allowed=()):
        self.runs, self.copies, self._replays, self._allowed = runs, dict(copies), replays, allowed

    def strangers(self, run, other):
        return run.home != other.home

    def severity(self, run, first):
        return "review" if run.path in self._allowed else ""

    def by_set(self):
        return [self._replays]


def curve(number, home="acme"):
    """A run of six evaluations."""
    path = f"result_{number}.txt"
    return SimpleNamespace(path=path, home=home, file=SimpleNamespace(name=path), evaluations=[0.5] * 6, set_path=home)


def whole(faults):
    return [(fault.path, fault.line, fault.found, fault.severity) for fault in faults]


def test_run05_a_copy_of_a_strangers_log_is_told_of_both():
    one, two, other = curve(0), curve(1), curve(2, "bolt")
    across = Alike([one, two, other], {two.path: one, other.path: one}, allowed=[other.path])
    assert whole(checks.no_log_is_a_copy(across)) == [
        ("result_1.txt", 1, "the bytes of result_0.txt", ""),
        ("result_2.txt", 1, "the bytes of result_0.txt", "review"),
        ("result_0.txt", 1, "the bytes of result_2.txt", "review"),
    ]


def replays(*numbers, home="acme", first=None):
    """Replays of one run, or of run 9: so many scores as their number, from line 10 + number on."""
    origin = first or curve(9)
    return [SimpleNamespace(run=curve(n, home), line=10 + n, first=origin, equal=n) for n in numbers]


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ([4], "4 of 6 scores of result_4.txt"),
        ([4, 5, 6], "4 of 6 scores of result_4.txt, 5 of 6 scores of result_5.txt, 6 of 6 scores of result_6.txt"),
        ([4, *[5] * 9], f"4 of 6 scores of result_4.txt{', 5 of 6 scores of result_5.txt' * 9}"),
        (
            [4, *[5] * 10],
            f"4 of 6 scores of result_4.txt{', 5 of 6 scores of result_5.txt' * 9} and those of 1 more run",
        ),
    ],
)
def test_run06_ten_replays_of_a_set_are_told(numbers, told):
    found = f"{told}, as in result_9.txt"
    assert whole(checks.no_run_is_a_replay(Alike(replays=replays(*numbers)))) == [("result_4.txt", 14, found, "")]


@pytest.mark.parametrize(
    ("replayed", "runs", "says"),
    [
        ([6], 3, "2 runs log the same 6 scores"),
        ([6, 6], 3, "All 3 runs log the same 6 scores"),
        ([6, 5], 3, ""),
        ([5], 2, ""),
    ],
)
def test_run06_says_how_many_runs_of_the_set_log_the_same_scores(replayed, runs, says):
    first = curve(9)
    some = [SimpleNamespace(run=curve(n), line=1, first=first, equal=equal) for n, equal in enumerate(replayed)]
    across = Alike([first, *(curve(n) for n in range(runs - 1))], replays=some)
    assert [fault.says for fault in checks.no_run_is_a_replay(across)] == [says]
    strange = [SimpleNamespace(run=curve(0), line=1, first=curve(1, "bolt"), equal=6)]
    assert {fault.says for fault in checks.no_run_is_a_replay(Alike(replays=strange))} == {""}


def test_run06_the_first_of_several_origins_is_told():
    some = [*replays(4, first=curve(8)), *replays(5, first=curve(7)), *replays(3, first=curve(7))]
    told = "4 of 6 scores of result_4.txt, 5 of 6 scores of result_5.txt, 3 of 6 scores of result_3.txt"
    found = f"{told}, as in result_7.txt and 1 more"
    assert whole(checks.no_run_is_a_replay(Alike(replays=some))) == [("result_4.txt", 14, found, "")]


@pytest.mark.parametrize(
    ("allowed", "severity"), [([], ""), (["result_4.txt"], ""), (["result_4.txt", "result_5.txt"], "review")]
)
def test_run06_replays_are_for_a_reviewer_if_all_are(allowed, severity):
    """Logs do not tell who copied: a stranger whose scores come again has a finding, too."""
    across = Alike(replays=replays(4, 5, home="bolt"), allowed=allowed)
    (_, *own), other = whole(checks.no_run_is_a_replay(across))
    assert own[0] == 14 and own[2] == severity
    assert other == ("result_9.txt", 1, "5 scores that result_5.txt has as well", severity)


def test_run08_leaves_out_what_run07_looks_at():
    values = {"a": 1, "b": 1, "c": 1}
    by = terms(same_in_set=("a", "b"), same_system=("b",))
    by.benchmark = SimpleNamespace(configured={"c": "x", "a": "y"})
    runs = [run(0, **values), run(1, **values), run(2, **{**values, "a": 2, "b": 2, "c": 2})]
    assert told(checks.runs_have_one_configuration, runs, by=by) == [(7, "a 2"), (7, "c 2")]


@pytest.mark.parametrize(
    ("folder", "said", "wanted"),
    [
        ("scaffold", "scaffold", None),
        ("scaffold", "deepcam", "scaffold"),
        ("scaffold", None, None),
        ("", "scaffold", None),
        ("", "other", ...),
        ("", ["scaffold"], ...),
        ("other", "other", "other"),
    ],
)
def test_run10_a_log_is_of_its_folders_benchmark_and_of_one_that_is_known(logs, folder, said, wanted):
    log = logs.read(*([logs.event(4, "submission_benchmark", value=said)] if said else []))
    by = SimpleNamespace(folder_benchmark=folder, edition=EDITION)
    faults = [(f.line, f.wanted) for f in checks.log_is_of_its_folders_benchmark(log, by, None)]
    assert faults == ([] if wanted is None else [(4, ", ".join(EDITION.benchmarks) if wanted is ... else wanted)])


def test_values_are_the_same_in_any_order_of_their_names():
    key = EDITION.limits.same_problem[0]
    one, other = run(0, **{key: {"a": 1, "b": 2}}), run(1, **{key: {"b": 2, "a": 1}})
    assert told(checks.runs_are_of_one_problem, [one, other]) == []
    assert checks._usual([run(**{key: 1}), one, other], key) == {"a": 1, "b": 2}
    assert checks._usual([run(), one], key) == {"a": 1, "b": 2} and checks._usual([run()], key) is None


def test_the_first_run_that_says_what_most_say_is_named():
    runs = [run(0, submission_platform="box"), *(run(i, submission_platform="crate") for i in (1, 2))]
    (fault,) = checks.platform_is_the_folders(runs, place(), terms())
    assert (fault.path, fault.found, fault.wanted) == ("result_1.txt", "submission_platform crate", "box")
    runs = [run(0, submission_org="acme"), *(run(i, submission_org="bolt") for i in (1, 2))]
    (fault,) = checks.organisation_is_the_folders(runs, place(), terms())
    assert (fault.path, fault.found, fault.wanted) == ("result_1.txt", "submission_org bolt", "acme")


@pytest.mark.parametrize(("submitter", "good"), [("Acme, Inc.", True), ("bolt", False), (None, False), ("", False)])
def test_the_submitter_may_be_another_name_than_the_folders(submitter, good):
    where = place(data={**SYSTEM, "submitter": submitter}, org="folder")
    assert (told(checks.organisation_is_the_folders, [run(submission_org="acme inc")], where) == []) is good


@pytest.mark.parametrize(("platform", "system"), [("Placeholder", "box"), (None, "box")])
def test_a_platform_that_is_left_open_is_that_of_another_rule(platform, system):
    runs = [run(submission_platform=platform)] if platform else [run()]
    assert told(checks.platform_is_the_folders, runs, place(system=system)) == []


def test_a_set_by_itself_has_the_finding_on_the_description():
    where = place()
    (fault,) = checks.nodes_are_the_descriptions([run(number_of_nodes=9)], where, terms())
    assert (fault.path, fault.line, fault.found) == ("systems/box.json", 3, "number_of_nodes 2")
    where.submission = None
    (fault,) = checks.nodes_are_the_descriptions([run(number_of_nodes=9)], where, terms())
    assert (fault.path, fault.line, fault.found) == ("", 1, "number_of_nodes 2 in the system description")
    where.description = None
    assert told(checks.nodes_are_the_descriptions, [run(number_of_nodes=9)], where) == []


@pytest.mark.parametrize(
    ("said", "described", "good"),
    [
        ("closed", "Closed ", True),
        ("closed", "open", False),
        ("closed", "shut", True),
        ("closed", 5, True),
        (None, "open", True),
    ],
)
def test_a_division_is_held_against_those_that_are_known(said, described, good):
    """SYS05 looks at the others."""
    runs = [run(submission_division=said) if said else run()]
    where = place(data={**SYSTEM, "division": described})
    assert (told(checks.division_is_the_descriptions, runs, where) == []) is good


def test_the_first_placeholder_is_named():
    runs = [run(0, submission_org="acme"), *(run(i, submission_org=f"placeholder {i}") for i in (1, 2))]
    runs[2].line = lambda key: 17
    (fault,) = checks.identity_is_filled_in(runs, place(), terms())
    found = "submission_org placeholder 1, in 2 of 3 logs"
    assert (fault.path, fault.line, fault.found) == ("result_1.txt", 7, found)


def test_a_set_with_a_log_of_another_benchmark_is_not_judged_by_all_rules(tree, law):
    log_of_another_benchmark(tree)
    (runs,) = judge([tree.root], rules=law).all_sets
    assert runs.unjudged.endswith("result_2.txt could not be judged further (RUN10)")


def scored(event):
    """Lets the score follow from the counts, after these were changed."""
    event["value"] = dice(Counts(*(tuple(event["metadata"][n]) for n in NAMES)))


def copied(tree, at, to, epoch, by=None, other=None):
    """The counts of an epoch of run `at` become those of run `to`, moved by `by` (hits and predicted of a class)."""
    first, event = tree.logs[at].all("eval_accuracy")[epoch], tree.logs[to].all("eval_accuracy")[other or epoch]
    event["metadata"].update({n: list(first["metadata"][n]) for n in NAMES})
    for name, number, amount in by or ():
        event["metadata"][name][number] += amount
        event["metadata"][name][0] -= amount if name == "predicted" else 0
    scored(event)
    tree.write(to)
    return tree.logs[to].line(event)


@damage
def one_evaluation_of_another_run(tree):
    return [("result_4.txt", copied(tree, 0, 4, 2), "RUN20")]


@damage
def one_run_as_another_with_noise_in_every_epoch(tree):
    lines = [copied(tree, 0, 4, e, [("intersection", 1, -e - 1), ("predicted", 2, 3)]) for e in range(5)]
    return [("result_4.txt", lines[0], "RUN20")]


@damage
def two_runs_at_once(tree):
    log, first = tree.logs[3], tree.logs[2].one("run_start")["time_ms"]
    by = first + 10_000 - log.one("run_start")["time_ms"]
    for event in log.events:
        event["time_ms"] += by
    tree.write(3)
    return [("result_3.txt", log.line(log.one("run_start")), "RUN21")]


@damage
def fewer_epochs_than_the_reference(tree):
    line = tree.logs[2].line(tree.logs[2].all("eval_accuracy")[4])
    with_batch(tree, 2)
    return [*((f"result_{i}.txt", line, "RUN22") for i in range(5)), ("scaffold", 1, "RUN22")]


@damage
def fewer_epochs_than_the_points_allow(tree):
    """One of sixty runs of the reference took so few, which is no matter for RUN22, and too many runs for its test."""
    with_batch(tree, 5)
    return [("scaffold", 1, "RUN23")]


def with_batch(tree, batch):
    """Gives all runs another batch size, for which the edition has other epochs of the reference."""
    for index in range(5):
        tree.settings(index, batch_size=batch)
        tree.changed("global_batch_size", index, value=batch)


@pytest.mark.parametrize(
    ("batch", "places"),
    [(4, []), (1, []), (3, ["scaffold"]), (2, ["scaffold", *(f"result_{i}.txt" for i in range(5))])],
)
def test_run22_epochs_and_their_mean_are_for_people(tree, law, batch, places):
    """Five epochs each: beside 1 and 9; 5, 5, 6; 5 and five times 9, p = 6 / 462; 6, 6, 7, 8, p = 1 / 126."""
    with_batch(tree, batch)
    findings = judge([tree.root], rules=law).findings
    assert {(f.code, f.severity) for f in findings} == ({("RUN22", "review")} if places else set())
    assert sorted(f.path.rpartition("/")[2] for f in findings) == sorted(places)


@pytest.mark.parametrize(("runs", "sets"), [(2, 0), (3, 0), (4, 1)])
def test_run22_a_chance_of_one_in_twenty_is_no_surprise(tree, logs, found, runs, sets):
    """Four epochs each beside 5, 5, 6: p = 1 / 10, 1 / 20 and 1 / 35."""
    for index in range(5):
        tree.logs[index] = logs.good(index, (0.5, 0.7, 0.9, 0.995))
        tree.write(index)
    with_batch(tree, 1)
    for index in range(runs, 5):
        tree.path(index).unlink()
    told = [name for name, _, code in found(tree.root) if code == "RUN22"]
    assert (told.count("scaffold"), len(told)) == (sets, sets + runs)


def test_run22_looks_at_a_set_of_one_run(tree, found):
    with_batch(tree, 2)
    for index in range(1, 5):
        tree.path(index).unlink()
    assert [name for name, _, code in found(tree.root) if code == "RUN22"] == ["result_0.txt"]


def of_run23(tree, law, **options):
    return [f for f in judge([tree.root], rules=law, **options).findings if f.code == "RUN23"]


@pytest.mark.parametrize(("batch", "found"), [(4, 0), (3, 0), (5, 1), (6, 1), (8, 0), (7, 0), (16, 0)])
def test_run23_judges_the_mean_where_points_are_many_enough(tree, law, batch, found):
    """Too few beside; six runs; sixty; ten that cross near 5.4, and near 4.5, as the set does; between them; beyond."""
    with_batch(tree, batch)
    assert len(of_run23(tree, law)) == found


def test_run23_is_an_error_that_a_reviewer_can_waive(tree, law, tmp_path):
    with_batch(tree, 6)
    (finding,) = of_run23(tree, law)
    assert finding.severity == "error"
    entry = f"- {{organisation: acme, code: RUN23, path: {finding.path}, reason: seen, reviewer: r@example.org}}\n"
    (tmp_path / "waivers.yaml").write_text(entry)
    waivers = read_waivers(tmp_path / "waivers.yaml", [tree.root])
    verdict = judge([tree.root], rules=law, waivers=waivers)
    assert [f.waived for f in verdict.findings if f.code == "RUN23"] == ["r@example.org: seen"]


def test_run23_says_nothing_of_the_open_division(tree, law):
    with_batch(tree, 6)
    for index in range(5):
        tree.changed("submission_division", index, value="open")
    tree.described(division="open")
    assert of_run23(tree, law) == []


@pytest.mark.parametrize(
    ("apart", "severity"),
    [
        (REACH - 1, "error"),
        (REACH, "error"),
        (REACH + 1, "review"),
        (DOUBT - 1, "review"),
        (DOUBT, "review"),
        (DOUBT + 1, None),
    ],
)
def test_run20_counts_that_are_near_are_an_error_or_for_people(tree, law, apart, severity):
    """Every count is another one, so that none is equal."""
    spread = [("intersection", c, -1) for c in (1, 2, 3)] + [("predicted", c, 1) for c in (1, 2)]
    copied(tree, 0, 4, 2, [*spread, ("predicted", 3, apart - 5)])
    found = [(f.code, f.severity) for f in judge([tree.root], rules=law).findings]
    assert found == ([("RUN20", severity)] if severity else [])


@pytest.mark.parametrize(("equal", "codes"), [(2, []), (3, []), (4, ["RUN20"]), (5, ["RUN20"])])
def test_run20_more_than_half_of_the_counts_are_no_chance(tree, found, equal, codes):
    places = [("predicted", 1), ("predicted", 2), ("predicted", 3), ("intersection", 1), ("intersection", 2)]
    noise = [(name, c, -1000 if name == "intersection" else 1000) for name, c in places[: 6 - equal]]
    copied(tree, 0, 4, 2, noise)
    assert [code for *_, code in found(tree.root)] == codes


def test_run20_at_another_epoch_a_person_looks(tree, law):
    copied(tree, 0, 4, 2, [("intersection", 1, -3)], other=1)
    assert [(f.code, f.severity) for f in judge([tree.root], rules=law).findings] == [("RUN20", "review")]


def test_run20_says_how_near(tree, law):
    copied(tree, 0, 4, 2, [("intersection", 1, -3)])
    (finding,) = judge([tree.root], rules=law).findings
    assert finding.found.startswith("5 of 6 counts, and 3 in all from those of line ") and finding.severity == "error"


def test_run20_one_epoch_suffices(tree, logs, law):
    """Two runs of one epoch: RUN06 says nothing of so short a curve."""
    for index in (0, 1):
        tree.logs[index] = logs.good(index, (0.995,))
        tree.write(index)
    assert judge([tree.root], rules=law).findings == ()
    copied(tree, 0, 1, 0)
    assert [f.code for f in judge([tree.root], rules=law).findings] == ["RUN20"]


def test_run20_of_another_organisation_concerns_both(tree, law):
    thief = type(tree)(tree.root.parents[1] / "other")
    for index, log in enumerate(thief.logs):
        for epoch, event in enumerate(log.all("eval_accuracy")):
            event["metadata"]["intersection"][1] -= 1 + epoch
            scored(event)
        log.one("seed")["value"] += 1 << 40 | 1 << 30
        for event in log.events:
            event["time_ms"] -= 86_400_000
        thief.write(index)
    verdict = judge([tree.root, thief.root], rules=law)
    assert {f.code for f in verdict.findings} == {"RUN20"}
    assert {s.in_order for s in verdict.submissions} == {False}


@pytest.mark.parametrize(("beyond", "codes"), [(-1, []), (0, []), (1, ["RUN21"])])
def test_run21_runs_may_share_the_limit(tree, found, beyond, codes):
    limit = round(load("v1.0").limits.clock.overlap * 1000)
    end = tree.logs[2].one("run_stop")["time_ms"]
    by = end - limit - beyond - tree.logs[3].one("run_start")["time_ms"]
    for event in tree.logs[3].events:
        event["time_ms"] += by
    tree.write(3)
    assert [code for *_, code in found(tree.root)] == codes


def test_run21_throughput_sets_run_at_once(weak, found):
    assert found(weak.root) == []


# Checks alone, of made-up runs


def timed(number, start, stop, folder="results/box/strong/scaffold", **more):
    """A run that took some time, in seconds, on a system."""
    path = f"v1.0/acme/{folder}/result_{number}.txt"
    window = None if stop is None else (1000 * start, 1000 * stop)
    named = {"path": path, "file": Path("/", path), "window": window, "start": SimpleNamespace(line=10 + number)}
    return SimpleNamespace(
        **named, **{"codes": (), "throughput_only": False, "resumed": False, "pruned": False, **more}
    )


def shared(*runs, copies=(), overlap=1.0):
    """The number of each run that RUN21 finds, with what it found."""
    edition = SimpleNamespace(limits=SimpleNamespace(clock=SimpleNamespace(overlap=overlap)))
    across = SimpleNamespace(runs=runs, copies=copies, edition=lambda run: edition)
    faults = list(checks.no_runs_share_a_system(across))
    assert {fault.wanted for fault in faults} <= {f"at most {overlap:g} s"}
    return [(fault.line - 10, fault.found.replace("v1.0/acme/results/", "")) for fault in faults]


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, [(1, BESIDE)]),
        ({"codes": ("SEED03", "CLK16")}, [(1, BESIDE)]),  # an error that isn't the clock's, and a doubt that is
        ({"codes": ("CLK16", "CLK03")}, []),
        ({"throughput_only": True}, []),
        ({"resumed": True}, []),
        ({"pruned": True}, []),
        ({"folder": "results/box/weak/scaffold"}, []),
        ({"folder": "results/crate/strong/scaffold"}, []),
        ({"folder": "results/box/strong/deepcam"}, [(1, BESIDE)]),
    ],
)
def test_run21_is_of_runs_that_have_a_system_to_themselves(more, found):
    assert shared(timed(0, 0, 10), timed(1, 5, 15, **more)) == found


def test_run21_copies_and_runs_without_an_end_are_left_out():
    runs = timed(0, 0, 10), timed(1, 5, 15)
    assert shared(*runs, copies=[runs[1].path]) == []
    assert shared(runs[0], timed(1, 5, None)) == []


@pytest.mark.parametrize(
    ("first", "second", "number"),
    [
        ("tuning/scaffold/a", "tuning/scaffold/a", 0),  # TUN06 counts the trials of a campaign
        ("tuning/scaffold/a", "tuning/scaffold/b", 1),
        ("tuning/scaffold/a", "tuning/scaffold/a/confirmation", 1),
        ("strong/scaffold", "tuning/scaffold/a", 1),
    ],
)
def test_run21_trials_of_one_campaign_may_run_at_once(first, second, number):
    runs = [timed(i, 5 * i, 10 + i, f"results/box/{name}") for i, name in enumerate((first, second))]
    assert len(shared(*runs)) == number


@pytest.mark.parametrize(
    ("spans", "pairs"),
    [
        ([(0, 100), (10, 20), (50, 60)], [(1, 0), (2, 0)]),
        ([(0, 10), (5, 30), (20, 25)], [(1, 0), (2, 1)]),
        ([(0, 10), (5, 10), (7, 9)], [(1, 0), (2, 0)]),
        ([(0, 10), (20, 30), (40, 50)], []),
        ([(20, 30), (0, 25), (0, 5)], [(1, 2), (0, 1)]),  # by their starts, then by their stops
    ],
)
def test_run21_compares_a_run_with_the_earlier_one_that_ends_last(spans, pairs):
    found = shared(*(timed(i, *span) for i, span in enumerate(spans)))
    assert [(number, int(what.removesuffix(".txt")[-1])) for number, what in found] == pairs


def test_run21_the_first_run_shares_no_time_even_where_none_is_allowed():
    assert shared(timed(0, 0, 10), overlap=0.0) == []


def converged(epoch, first=1, problem="tiny", batch=2, pruned=False, passed=True):
    """A run that reached its target in an epoch."""
    passing = SimpleNamespace(epoch=epoch, line=7) if passed else None
    values = {"global_batch_size": batch}
    named = {"path": "result_0.txt", "problem": problem, "value": values.get}
    shift = Run.shift.fget(SimpleNamespace(first_epoch=first))
    return SimpleNamespace(**named, passing=passing, shift=shift, pruned=pruned)


def few(*runs, convergence=True):
    """The lines of what RUN22 finds beside a reference of 6, 6, 7 and 8 epochs."""
    tiny = SimpleNamespace(reference_epochs=reference_points({2: [6, 6, 7, 8]}, "tiny"))
    limits = SimpleNamespace(convergence=SimpleNamespace(surprise=0.05) if convergence else None)
    edition = SimpleNamespace(limits=limits, problems={"tiny": tiny})
    found = checks.epochs_are_not_surprisingly_few(list(runs), None, SimpleNamespace(edition=edition))
    return [fault.line for fault in found]


def test_run22_says_nothing_without_a_reference_or_a_limit():
    assert few(*(converged(5) for _ in range(5))) == [7] * 5 + [1]
    assert few(*(converged(5) for _ in range(5)), convergence=False) == []
    for more in (
        {"problem": None},
        {"problem": "other"},
        {"batch": 1},
        {"batch": 2.0},
        {"batch": "2"},
        {"batch": None},
    ):
        assert few(converged(5, **more)) == []
    assert few() == []


def test_run22_a_batch_without_points_is_judged_by_the_next_smaller_one():
    assert few(converged(5, batch=3)) == few(converged(5, batch=64)) == [7]


def test_run22_is_of_runs_that_reached_their_target():
    assert few(converged(5, pruned=True)) == few(converged(5, passed=False)) == few(converged(None)) == []


@pytest.mark.parametrize(("epoch", "first", "lines"), [(1, 1, [7]), (2, 3, []), (2.5, 4, []), (1, 4, [])])
def test_run22_epochs_that_are_none_do_not_count(epoch, first, lines):
    """One epoch; none; less than none."""
    assert few(converged(epoch, first)) == lines


@pytest.mark.parametrize(("most", "lines"), [(7, [7] * 4), (8, [7] * 4 + [1]), (9, [7] * 4 + [1])])
def test_run22_compares_means_of_so_many_runs(monkeypatch, most, lines):
    """Four runs beside four of the reference."""
    monkeypatch.setattr(checks, "MOST_RUNS", most)
    assert few(*(converged(5) for _ in range(4))) == lines


@pytest.mark.parametrize(
    ("epoch", "first", "epochs"),
    [(5, 1, 5), (5, 0, 6), (5, None, 5), (5, 3, 3), (4.5, 1, 4.5), (2.5, 0.25, 2.5), (None, 1, None)],
)
def test_epochs_are_counted_from_the_first(epoch, first, epochs):
    assert epochs_of(converged(epoch, first)) == epochs
    assert epochs_of(converged(epoch, first, passed=False)) is None
