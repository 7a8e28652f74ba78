"""RUN20 to RUN22, SYS09, TREE12: runs, systems and organisations next to each other."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmark.metric import Counts, dice
from compliance.checks import together as checks
from compliance.engine import judge
from compliance.reading.run import Run
from rules.edition import load
from rules.reference import reference_points

damage = pytest.mark.damage
NAMES = ("intersection", "predicted", "true")
CURVES = load("v1.0").limits.curves
REACH = int(CURVES.closest["dice"] * 100_000)  # of the foreground's true voxels
DOUBT = int(CURVES.near["dice"] * 100_000)


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
def another_submitter_in_the_description(tree):
    return [("box.json", tree.described(submitter="Bolt"), "SYS09")]


@damage
def renamed_folder(tree):
    tree.root = tree.root.rename(tree.root.with_name("bolt"))
    return [("bolt", 1, "SYS09")]


@damage
def two_systems_by_one_name(tree, logs):
    """Logs of their own, later ones, in the folder of a system `Box`."""
    other = tree.root / "results" / "Box" / "strong" / "scaffold"
    for index in range(5):
        logs.good(30 + index).write(other / f"result_{index}.txt")
    shutil.copy(tree.root / "systems" / "box.json", tree.root / "systems" / "Box.json")
    return [("result_0.txt", 1, "TREE12")] * 2


@damage
def fewer_epochs_than_the_reference(tree):
    line = tree.logs[2].line(tree.logs[2].all("eval_accuracy")[4])
    with_batch(tree, 2)
    return [*((f"result_{i}.txt", line, "RUN22") for i in range(5)), ("scaffold", 1, "RUN22")]


def with_batch(tree, batch):
    """Gives all runs another batch size, for which the edition has other epochs of the reference."""
    for index in range(5):
        tree.settings(index, batch_size=batch)
        tree.changed("global_batch_size", index, value=batch)


def test_damage(entry, exactly):
    exactly(entry)


@pytest.mark.parametrize(
    ("batch", "places"),
    [(4, []), (1, []), (3, ["scaffold"]), (2, ["scaffold", *(f"result_{i}.txt" for i in range(5))])],
)
def test_run22_epochs_and_their_mean_are_for_people(tree, law, batch, places):
    """Five epochs each: beside none; 5, 5, 6; 5 and five times 9, p = 6 / 462; 6, 6, 7, 8, p = 1 / 126."""
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


def test_sys09_case_and_punctuation_do_not_matter(tree, found):
    tree.described(submitter="A.C.M.E")
    assert found(tree.root) == []


@pytest.mark.parametrize(("name", "codes"), [("ACME", ["TREE12"] * 2), ("a_c-me", ["TREE12"] * 2), ("acme2", [])])
def test_tree12_organisations(tree, logs, law, tmp_path, name, codes):
    other = type(tree)(tmp_path / "more")
    for index in range(5):
        other.logs[index] = logs.good(30 + index)
        other.logs[index].one("submission_org")["value"] = name
        other.write(index)
    other.described(submitter=name)
    shutil.move(other.root, tree.root.with_name(name))
    assert [f.code for f in judge([tree.root.parent], rules=law).findings] == codes


def test_tree12_a_name_of_punctuation_is_itself():
    assert (checks.spelling("H100_8-x"), checks.spelling("--"), checks.spelling("_")) == ("h1008x", "--", "_")


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


BESIDE = "5.000 s at the same time as box/strong/scaffold/result_0.txt"


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
        {"batch": 4},
        {"batch": 2.0},
        {"batch": "2"},
        {"batch": None},
    ):
        assert few(converged(5, **more)) == []
    assert few() == []


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
    assert checks.epochs_of(converged(epoch, first)) == epochs
    assert checks.epochs_of(converged(epoch, first, passed=False)) is None


@pytest.mark.parametrize(
    ("submitter", "wrong"),
    [
        ("bolt", True),
        ("acme", False),
        ("ACME ", False),
        (" ", False),
        (5, False),
        (None, False),
        ("Placeholder", False),
    ],
)
def test_sys09_other_rules_name_a_submitter_that_is_none(submitter, wrong):
    box = SimpleNamespace(data={"submitter": submitter}, parts=("systems", "box.json"), line_of=lambda name: 3)
    unread = SimpleNamespace(data=None)
    submission = SimpleNamespace(org="acme", place=lambda *parts: "/".join(parts))
    files = SimpleNamespace(submission=submission, runs=(), descriptions={"box": box, "crate": unread})
    found = [(fault.path, fault.line) for fault in checks.submitter_is_the_folder(files)]
    assert found == [("systems/box.json", 3)] * wrong
