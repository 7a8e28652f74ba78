"""RUN: sets of runs that are too few, of different systems, code or problems, or copies of each other."""

import copy
import shutil
from pathlib import Path

import pytest

from compliance.families import runs as checks
from compliance.reading.run import Mark
from tests.compliance import made
from tests.compliance.families.damages import damage, description_changed, event_changed, files_changed, files_found
from tests.compliance.logs import NAMES, good, scored

log_of_another_benchmark = event_changed("RUN10", "submission_benchmark", value="deepcam")


def with_kernels(tree, third):
    """Says in each run that its kernels are compiled, and in the third something else, or nothing."""
    for index, log in enumerate(tree.logs):
        before = log.one("parameter_count")
        for value in third if index == 2 else [True]:
            log.events.insert(log.events.index(before), {**before, "key": "compiled", "value": value})
        tree.write(index)


@damage
def log_copied_with_clock_and_seed_changed(tree):
    tree.logs[4] = copy.deepcopy(tree.logs[0])
    tree.logs[4].shift(7_777_777)
    tree.changed("seed", 4, value=(1 << 62) + 987654321)
    return [("result_4.txt", tree.logs[4].line_of("eval_accuracy"), "RUN06")]


run_that_does_not_say_whether_kernels_are_compiled = files_changed(
    "RUN07", "result_2.txt", lambda tree: with_kernels(tree, [])
)
byte_identical_logs = files_changed("RUN05", "result_4.txt", lambda tree: shutil.copyfile(tree.path(0), tree.path(4)))
one_log_deleted = files_changed("RUN01", "scaffold", lambda tree: tree.path(2).unlink())
one_log_too_many = files_changed("RUN01", "scaffold", lambda tree: good(5).write(tree.path(5)))
hole_in_the_numbers = files_changed("RUN02", "scaffold", lambda tree: tree.path(4).rename(tree.path(7)))


@damage
def two_runs_that_did_not_converge(tree):
    lines = []
    for index in (1, 3):
        tree.logs[index] = good(index, (0.5, 0.7, 0.8))
        tree.write(index)
        line = len(tree.logs[index].events)
        lines += [(f"result_{index}.txt", line, "EVL07"), (f"result_{index}.txt", line, "RUN03")]
    return lines


@damage
def another_number_of_nodes_in_one_run(tree):
    return [("result_2.txt", tree.on_two_nodes(), "RUN07")]


@damage
def another_learning_rate_in_one_run(tree):
    tree.learning_rate(0.0011)
    log = tree.logs[2]
    keys = ("opt_base_learning_rate", "hyperparameters", "config_digest")
    return [("result_2.txt", log.line_of(key), "RUN08") for key in keys]


open_in_one_run = event_changed("RUN09", "submission_division", value="open")


def identity_changed(code, key, value):
    """A damage: all runs say another organisation or platform, of which the first is told."""

    @damage
    def entry(tree):
        lines = [tree.changed(key, i, value=value) for i in range(5)]
        return [("result_0.txt", lines[0], code)]

    return entry


another_organisation = identity_changed("RUN11", "submission_org", "bolt")
organisation_left_as_a_placeholder = identity_changed("RUN17", "submission_org", "placeholder inc")
another_platform = identity_changed("RUN12", "submission_platform", "crate")
another_division_in_the_description = description_changed("RUN13", division="open")
another_status_in_the_description = description_changed("RUN14", status="cloud")
more_nodes_in_the_description = description_changed("RUN15", number_of_nodes="2")
more_accelerators_in_the_description = description_changed("RUN16", accelerators_per_node="4")
study_of_another_code = event_changed("RUN04", "versions", of="study", value={"python": "3.12.1"})


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


one_evaluation_of_another_run = files_found("RUN20", "result_4.txt", lambda tree: copied(tree, 0, 4, 2))


def shared_figures(tree, *losses):
    """Runs 0 and 4 log these losses, one in each of their first epochs; the line of the first of run 4."""
    for run in (0, 4):
        for nth in reversed(range(len(losses))):
            value = tree.logs[run].all("tracked_stats")[nth]["value"] | {"early_loss": losses[nth]}
            line = tree.changed("tracked_stats", run, nth=nth, value=value)
    return line


figures_of_another_run = files_found(  # its scores and seconds are its own, its losses of two epochs another run's
    "RUN24", "result_4.txt", lambda tree: shared_figures(tree, 1.123456789012, 2.123456789012)
)


@damage
def one_run_as_another_with_noise_in_every_epoch(tree):
    lines = [copied(tree, 0, 4, e, [("intersection", 1, -e - 1), ("predicted", 2, 3)]) for e in range(5)]
    return [("result_4.txt", lines[0], "RUN20")]


@damage
def two_runs_at_once(tree):
    log, first = tree.logs[3], tree.logs[2].one("run_start")["time_ms"]
    by = first + 10_000 - log.one("run_start")["time_ms"]
    log.shift(by)
    tree.write(3)
    return [("result_3.txt", log.line_of("run_start"), "RUN21")]


@files_changed("RUN22", "scaffold")
def fewer_epochs_than_the_reference(tree):
    with_batch(tree, 2)


fewer_epochs_than_the_points_allow = files_changed("RUN23", "scaffold", lambda tree: with_batch(tree, 6))


def with_batch(tree, batch):
    """Gives all runs another batch size, for which the edition has other epochs of the reference."""
    for index in range(5):
        tree.settings(index, batch_size=batch)
        tree.changed("global_batch_size", index, value=batch)


@pytest.mark.parametrize(("batch", "number"), [(2, 0), (4, 0), (5, 0), (6, 1), (8, 0), (7, 0)])
def test_run23_judges_the_mean_where_points_are_many_enough(tree, found, batch, number):
    """Ten runs that differ much; far fewer; two runs; near 5.4, and near 4.5; between them."""
    with_batch(tree, batch)
    assert [code for *_, code in found(tree.root)].count("RUN23") == number


def test_run20_at_another_epoch_a_person_looks(tree, findings):
    copied(tree, 0, 4, 2, [("intersection", 1, -3)], other=1)
    assert [(f.code, f.severity) for f in findings(tree.root)] == [("RUN20", "review")]


def test_run20_one_epoch_suffices(tree, found):
    """Two runs of one epoch: RUN06 says nothing of so short a curve."""
    for index in (0, 1):
        tree.logs[index] = good(index, (0.995,))
        tree.write(index)
    assert found(tree.root) == []
    copied(tree, 0, 1, 0)
    assert [code for *_, code in found(tree.root)] == ["RUN20"]


def test_run07_does_not_miss_what_an_unreadable_line_said(tree, found):
    with_kernels(tree, [True])
    line, path = tree.logs[2].line_of("compiled"), tree.path(2)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[: line - 1], lines[line - 1][:-1], *lines[line:]]) + "\n")
    assert found(tree.root) == [("result_2.txt", line, "LOG01")]


@pytest.mark.parametrize("losses", [(0.123456789, 0.234567891), (0.1234567891,)])
def test_run24_two_figures_with_all_their_digits_are_a_copy(tree, found, losses):
    shared_figures(tree, *losses)
    assert found(tree.root) == []


BESIDE = "5.000 s at the same time as box/strong/scaffold/result_0.txt"


def timed(number, start, stop, folder="results/box/strong/scaffold", **more):
    """A run that took some time, in seconds, on a system."""
    path = f"v1.0/acme/{folder}/result_{number}.txt"
    ends = {"start": Mark(10 + number, 1000 * start), "stop": None if stop is None else Mark(99, 1000 * stop)}
    return made.run(number, path=path, file=Path("/", path), **ends, **more)


def shared(*runs, copies=(), overlap=1.0):
    """The number of each run that RUN21 finds, with what it found."""
    across = made.across(*runs, of=made.edition(clock={"overlap": overlap}), copies=copies)
    faults = list(checks.no_runs_share_a_system(across))
    assert {fault.wanted for fault in faults} <= {f"at most {overlap:g} s"}
    return [(fault.line - 10, fault.found.replace("v1.0/acme/results/", "")) for fault in faults]


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"codes": ("SEED03", "CLK16")}, [(1, BESIDE)]),  # an error that isn't the clock's, and a doubt that is
        ({"codes": ("CLK16", "CLK03")}, []),
        ({"throughput_only": True}, []),
        ({"resumed": True}, []),
        ({"pruned": True}, []),
        ({"folder": "results/box/weak/scaffold"}, []),
        ({"folder": "results/crate/strong/scaffold"}, []),
        ({"folder": "results/box/strong/deepcam"}, [(1, BESIDE)]),
        ({"folder": "results/box/tuning/scaffold/a"}, [(1, BESIDE)]),
    ],
)
def test_run21_is_of_runs_that_have_a_system_to_themselves(more, found):
    assert shared(timed(0, 0, 10), timed(1, 5, 15, **more)) == found


def test_run21_runs_may_share_the_limit():
    runs = timed(0, 0, 10), timed(1, 5, 15)
    assert shared(*runs, overlap=5.0) == [] and shared(*runs, overlap=4.999) == [(1, BESIDE)]
    assert shared(*runs, copies=[runs[1].path]) == shared(runs[0], timed(1, 5, None)) == []


@pytest.mark.parametrize(("second", "number"), [("a", 0), ("b", 1), ("a/confirmation", 1)])
def test_run21_trials_of_one_campaign_may_run_at_once(second, number):
    """TUN06 counts them."""
    runs = [timed(i, 5 * i, 10 + i, f"results/box/tuning/scaffold/{name}") for i, name in enumerate(("a", second))]
    assert len(shared(*runs)) == number


@pytest.mark.parametrize(
    ("spans", "pairs"),
    [
        ([(0, 100), (10, 20), (50, 60)], [(1, 0), (2, 0)]),
        ([(0, 10), (5, 30), (20, 25)], [(1, 0), (2, 1)]),
        ([(0, 10), (5, 10), (7, 9)], [(1, 0), (2, 0)]),
        ([(20, 30), (0, 25), (0, 5)], [(1, 2), (0, 1)]),  # by their starts, then by their stops
    ],
)
def test_run21_compares_a_run_with_the_earlier_one_that_ends_last(spans, pairs):
    found = shared(*(timed(i, *span) for i, span in enumerate(spans)))
    assert [(number, int(what.removesuffix(".txt")[-1])) for number, what in found] == pairs
