"""THR: throughput sets, and logs that measure throughput alone."""

from collections import Counter

import pytest

from compliance.engine import judge
from compliance.families import throughput as checks
from compliance.reading.run import Mark
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, files_changed
from tests.compliance.logs import event, good, rate, read

total_raised = event_changed("THR04", "throughput", of="study", value=rate(0.1))
run_in_the_study = files_changed("THR03", "result_3.txt", lambda study: good(8).write(study.path(8)))


@damage
def more_instances_at_once_than_nodes(weak):
    weak.described(number_of_nodes="1")
    return [("result_1.txt", weak.logs[1].line_of("number_of_nodes"), "THR01")]


@damage
def one_instance_after_another(weak):
    for index, log in enumerate(weak.logs):
        log.shift(3_600_000 * index)
        weak.write(index)
    return [("result_0.txt", weak.logs[0].line_of("run_start"), "THR05")]


@files_changed("THR02", "scaffold")
def nodes_of_the_whole_system_in_every_instance(weak):
    weak.options = {"edition": "whole-systems"}  # of rounds where instances are known to do so
    for index, log in enumerate(weak.logs):
        log.one("rules_edition")["value"] = "whole-systems"
        log.shift(3_600_000 * index)  # one after the other
        weak.on_two_nodes(index)


@damage
def throughput_log_in_place_of_a_run(study):
    study.logs[6].write(study.path(2))
    for index in (6, 7):
        study.path(index).unlink()
    return [("result_2.txt", study.logs[6].line_of("throughput_only"), "THR03")]


def test_pruned_log_is_judged_too(weak, found):
    path = weak.path(0).parent / "pruned_results" / "result_5.txt"
    weak.logs[5].events.pop()
    weak.logs[5].write(path)
    assert found(weak.root) == [("result_5.txt", 1, "CLK01")]


def test_other_rounds_know_no_such_log(study, law):
    verdict = judge([str(study.path(5))], "mlperf-hpc-v3.0", rules=law)
    assert not verdict.logs[0].run.throughput_only and verdict.exit_code == 1


CLOCK = made.OURS.limits.clock
LEAST = 20 * CLOCK.measured_share - CLOCK.paused_seconds
MOST = 20 * (1 + CLOCK.slack) + CLOCK.slack_seconds


@pytest.mark.parametrize(
    ("said", "alone", "wanted"),
    [
        (LEAST, True, ""),
        (LEAST - 1e-6, True, "at least 14.000 s"),
        (LEAST - 1e-6, False, ""),
        (MOST, True, ""),
        (MOST + 1e-6, True, "at most 20.000 s"),
        (MOST + 1e-6, False, "at most 20.000 s"),
    ],
)
def test_seconds_of_a_block_fill_its_time_on_the_clock(said, alone, wanted):
    assert checks.off_the_clock(said, 20.0, CLOCK, alone) == wanted


ONLY = made.terms(throughput_only=True)


def figures(total=None, only=True, begun=0, **changes):
    """What THR04 finds in a log of two blocks of 10 steps of 0.1 s, 80 samples each; `changes` are the second's."""
    block = {"steps": 10, "samples_count": 80, "step_seconds": 0.1, "throughput": 80.0, "at": 2000}

    def said(line, key, steps, samples_count, step_seconds, throughput, at):
        value = {"step_seconds": step_seconds, "throughput": throughput}
        return event(line, key, at, value, steps=steps, samples_count=samples_count)

    whole = {**block, "steps": 20, "samples_count": 160, **(total or {})}
    start = event(1, "run_start", begun)
    events = [said(3, "tracked_stats", **{**block, "at": 1000}), said(4, "tracked_stats", **{**block, **changes})]
    log = read(start, *events, said(9, "throughput", **whole))
    faults = checks.figures_follow_from_counts(log, made.terms(throughput_only=only), made.timeline(start=start))
    return [(fault.line, fault.found) for fault in faults]


def million(more):
    """Figures of a million steps in two blocks, the second one's of a microsecond, and a total of so many more."""
    steps, seconds = 1_000_000 + more, 1.99999
    total = {"steps": steps, "step_seconds": seconds / steps, "throughput": 160 / seconds}
    return {"steps": 999_990, "step_seconds": 1e-6, "throughput": 80 / 0.99999, "total": total}


FIGURES = ("steps", "samples_count", "step_seconds", "throughput")


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, []),
        ({"throughput": 70.0, "only": False}, []),
        ({"begun": -600_000}, []),  # staging and warm-up come before the first block
        ({"at": 1000}, ["1.000 s of steps in 0.000 s on the clock"]),
        ({"throughput": 80 * (1 + 0.9e-6)}, []),
        ({"throughput": 80 * (1 - 1.1e-6)}, ["throughput"]),
        *(({name: wrong}, [name]) for name in FIGURES for wrong in (0, True)),
        (million(1), []),
        (million(2), ["steps"]),
        (million(-2), ["steps"]),
        ({"total": {"samples_count": 161, "throughput": 80.5}}, ["samples_count"]),
        ({"total": {"steps": 19, "throughput": 160 / 1.9}}, ["steps", "seconds of steps"]),
        ({"total": {"step_seconds": 0.1 * (1 - 2e-6), "throughput": 80 / (1 - 2e-6)}}, ["seconds of steps"]),
    ],
)
def test_figures_follow_from_their_counts_but_for_a_millionth(changes, names):
    found = figures(**changes)
    assert [(line, name in text) for (line, text), name in zip(found, names, strict=True)] == [
        (9 if "total" in changes else 4, True) for _ in names
    ]


@pytest.mark.parametrize(("off", "wrong"), [(1, False), (-2, True)])
def test_a_rate_of_seconds_follows_from_them(off, wrong):
    """A million samples a second, which may be one more or less."""
    value = {"seconds": 3.0, "throughput": 1_000_000 + off}
    fault = checks.rate_fault(event(4, "io", value=value, steps=7, samples_count=3_000_000), "seconds")
    found = {"line": 4, "found": f"throughput {1_000_000 + off:g}", "wanted": "1e+06, as its counts give"}
    assert fault == (checks.Fault(**found) if wrong else None)


def instance(start, stop, nodes=1, number=0, devices=None):
    """An instance of a throughput set."""
    values = {"number_of_nodes": nodes, "devices": devices}
    return made.run(number, values=values, start=Mark(5 + number, start), stop=Mark(99, stop))


def of_system(nodes, scaling="weak", accelerators="4"):
    return made.place({"number_of_nodes": nodes, "accelerators_per_node": accelerators}, of=made.a_set(scaling))


@pytest.mark.parametrize(
    ("spans", "nodes", "found"),
    [
        ([(10, 20, 2), (0, 10, 2)], "2", None),  # one stops as the next starts
        ([(0, 10, 1), (10, 20, 2), (10, 20, 1)], "2", "3 nodes"),
        ([(0, 10, 0.5), (0, 10, 0.5)], "1", None),
        ([(0, 10, 3), (0, 10, 3)], "many", None),
        ([(10, 10, 3)], "2", None),
        ([(10, None, 3)], "2", None),
        ([(0, 10, 3), (0, 10, None), (0, 10, 0), (0, 10, -0.5)], "2", "3 nodes"),
    ],
)
def test_instances_take_nodes_while_they_run(spans, nodes, found):
    runs = [instance(*span, number=i) for i, span in enumerate(spans)]
    faults = list(checks.instances_fit_into_the_system(runs, of_system(nodes), ONLY))
    assert [fault.found.partition(" at once")[0] for fault in faults] == ([found] if found else [])
    assert list(checks.instances_fit_into_the_system(runs, of_system(nodes, "strong"), ONLY)) == []


@pytest.mark.parametrize(
    ("ranks", "found"),
    [((4, 4), []), ((4, 6), ["6 accelerators of n2"]), ((5, 6), ["5 accelerators of n1"])],
)
def test_the_first_node_with_too_many_accelerators_in_use_is_named(ranks, found):
    kind = {"kind": "cuda", "name": "An accelerator"}
    devices = [
        {**kind, "host": f"n{i}", "ranks": n, "uuids": [f"{i}-{j}" for j in range(n)]} for i, n in enumerate(ranks, 1)
    ]
    faults = checks.instances_fit_into_the_system([instance(0, 10, 2, devices=devices)], of_system("2"), ONLY)
    assert [fault.found.partition(" at once")[0] for fault in faults] == found
    for instances, told in ((4, []), (5, ["5 accelerators of n1 at once with this instance"])):  # that share nodes
        own = [instance(0, 10, 2, n, [{**device, "ranks": 1} for device in devices]) for n in range(instances)]
        assert [f.found for f in checks.instances_fit_into_the_system(own, of_system("2"), ONLY)] == told


@pytest.mark.parametrize(
    ("spans", "alone", "severity"),
    [
        ([(0, 10), (10, 20)], ["result_0.txt"], ""),
        ([(0, 10), (5, 20), (20, 30)], ["result_2.txt"], "review"),
        ([(0, 30), (5, 6), (20, 25)], [], None),
        ([(0, 10)], [], None),
        ([(0, 10), (20, None)], [], None),  # one without a stop may have run beside any
    ],
)
def test_instances_share_time_with_another(spans, alone, severity):
    runs = [instance(*span, number=i) for i, span in enumerate(spans)]
    faults = list(checks.instances_run_at_once(runs, of_system("4"), ONLY))
    assert [(f.path, f.severity) for f in faults] == [(path, severity) for path in alone]
    assert [f.line for f in faults] == [run.start.line for run in runs if run.path in alone]
    assert list(checks.instances_run_at_once(runs, of_system("4", "strong"), ONLY)) == []


@pytest.mark.parametrize(("nodes", "faults"), [(1, 0), (2.5, 0), (0.5, 1), (0, 1), (None, 1), (True, 1)])
def test_an_instance_says_its_nodes_from_1_on(nodes, faults):
    runs = [instance(0, 10), instance(0, 10, nodes)]
    assert len(list(checks.instances_say_their_scale(runs, of_system("4"), ONLY))) == faults
    assert list(checks.instances_say_their_scale(runs, of_system("4", "strong"), ONLY)) == []


def test_several_instances_may_not_have_the_whole_system():
    by, many = made.terms(system_nodes_logged=True), [instance(0, 10, 2, number) for number in range(2)]
    assert list(checks.instances_say_their_scale(many[:1], of_system("2"), by)) == []
    (fault,) = checks.instances_say_their_scale(many, of_system("2"), by)
    assert fault.found == "number_of_nodes 2, the whole system's, in every instance"
    none = [instance(0, 10, 0, number) for number in range(2)]  # are not the whole of a system of none
    faults = checks.instances_say_their_scale(none, of_system("0"), by)
    assert [fault.found for fault in faults] == ["number_of_nodes 0"] * 2


def test_hosts_that_are_no_longer_in_use_are_not_held():
    """Else time grows with the square of the instances, each of which may name very many hosts."""
    held = Counter({"n1": 1})
    for name, by in (("n1", 1), ("n2", 1), ("n1", -1), ("n2", -1)):
        checks.count(held, name, by)
    assert held == {"n1": 1} and len(held) == 1
