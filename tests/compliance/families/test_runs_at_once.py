"""RUN21: runs that share time, of made-up runs."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from compliance.families import runs as checks

BESIDE = "5.000 s at the same time as box/strong/scaffold/result_0.txt"


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
        ([(20, 30), (0, 25), (0, 5)], [(1, 2), (0, 1)]),  # by their starts, then by their stops
    ],
)
def test_run21_compares_a_run_with_the_earlier_one_that_ends_last(spans, pairs):
    found = shared(*(timed(i, *span) for i, span in enumerate(spans)))
    assert [(number, int(what.removesuffix(".txt")[-1])) for number, what in found] == pairs
