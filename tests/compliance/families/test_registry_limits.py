"""REG: each check by itself, of made-up runs, from both sides of its limits."""

from types import SimpleNamespace

import pytest

from compliance.families import registry as checks
from compliance.reading.rounds import RoundRegistry

KEY = ("acme", "box", "scaffold", "tiny")


def entry(number, key=KEY, **fields):
    """An entry that assigns the seed 100 n + i to run i."""
    told = {"title": ", ".join(key), "system": key[1], "benchmark": key[2], "problem": key[3], "organisation": key[0]}
    told |= {"source": "s", "config": "c"}
    return SimpleNamespace(**{"entry": number, "key": key, "seed": lambda i: 100 * number + i, **told, **fields})


def ran(number=0, named=1, seeds=None, codes=(), problem="tiny", source="registry", converged=True, **values):
    """A run that names an entry and uses its seed; its origin is in line 7, its seed in line 8."""
    origin = SimpleNamespace(line=7, source=source, entry=named)
    seeds = [(8, 100 * (named or 0) + (number or 0))] if seeds is None else seeds
    known = {"source": "s", "config_digest": "c", **values}
    what = {"benchmark": "scaffold", "problem": problem, "path": f"result_{number}.txt", "set_path": "strong"}
    return SimpleNamespace(
        number=number,
        origin=origin,
        seeds=seeds,
        codes=codes,
        converged=converged,
        value=known.get,
        line=lambda key: 9,
        **what,
    )


def handed_in(registry, runs, org="acme", scaling="strong", wanted=1):
    """A submission with a set of that scaling and the strong one, of which `ran` makes runs; a score takes `wanted`
    runs and one more, which may fail."""
    sets = [SimpleNamespace(name=name, scaling=name, trials=False) for name in {scaling, "strong"}]
    edition = SimpleNamespace(benchmarks={"scaffold": SimpleNamespace(runs=wanted + 1, forgiven=1)})
    submission = SimpleNamespace(org=org, sets=sets)
    return SimpleNamespace(registry=registry, runs=runs, submission=submission, edition=edition)


def seen(check, runs, *entries, registry=True, scaling="strong", last=5, required="optional"):
    """What a check finds in a set: (path, line, found, wanted)."""
    kept = RoundRegistry("registry.yaml", entries) if registry else None
    org = SimpleNamespace(place=SimpleNamespace(org="acme"))
    place = SimpleNamespace(registry=kept, system="box", scaling=scaling, runs=org, described={})
    edition = SimpleNamespace(name="v1.0", limits=SimpleNamespace(registry=required))
    terms = SimpleNamespace(benchmark=SimpleNamespace(runs=last), edition=edition)
    return [(fault.path, fault.line, fault.found, fault.wanted) for fault in check(runs, place, terms)]


def test_reg02_the_first_log_that_names_no_entry_of_the_registry_is_named():
    runs = [ran(0), ran(1, named=3), ran(2, named=0), ran(3, named=None)]
    choice = "one of those in registry.yaml, which has 2"
    entries = entry(1), entry(2)
    check = checks.set_has_an_entry
    assert seen(check, runs, *entries) == [("result_1.txt", 7, "entry 3, in 3 of 4 logs", choice)]
    assert seen(check, [runs[0], runs[3]], *entries) == [
        ("result_3.txt", 7, "a seed from the registry without an entry", choice)
    ]
    assert seen(check, runs[:1], *entries) == []
    ((_, line, found, wanted),) = seen(check, runs, registry=False)
    assert (line, found, wanted) == (
        7,
        "entry 1, in 4 of 4 logs",
        "registry.yaml in the folder of the round, v1.0, with the set's entry",
    )


NONE_NAMED = [("", 1, "logs that name no entry", "one of those in registry.yaml, which has 0")]


@pytest.mark.parametrize(
    ("runs", "entries", "found"),
    [
        ([ran(named=None, source="os.urandom")], [], NONE_NAMED),
        ([ran(named=None, source="os.urandom")], [entry(1)], []),  # REG03 says so
        ([ran(), ran(1, named=None, source="os.urandom")], [entry(1)], []),
        ([], [], []),
    ],
)
def test_reg02_an_entry_is_wanted_where_rounds_require_one(runs, entries, found):
    assert seen(checks.set_has_an_entry, runs, *entries, required="required") == found
    assert seen(checks.set_has_an_entry, runs, *entries) == []


@pytest.mark.parametrize(("problems", "faults"), [(("tiny", "smoke"), 0), (("smoke", "tiny"), 1)])
def test_reg02_the_first_run_tells_which_entries_are_the_sets(problems, faults):
    runs = [ran(i, named=None, source="os.urandom", problem=problem) for i, problem in enumerate(problems)]
    assert len(seen(checks.set_has_an_entry, runs, entry(1), required="required")) == faults


def test_reg03_the_first_run_with_a_seed_of_its_own_is_told_with_its_line_and_its_entries():
    runs = [ran(i, named=None, source="os.urandom", problem=name) for i, name in enumerate(("tiny", "smoke"))]
    runs[1].origin.line = 17
    found = "a seed from os.urandom, in 2 of 2 logs"
    entries = entry(1), entry(2, (*KEY[:3], "smoke")), entry(3)
    assert seen(checks.seeds_are_assigned, runs, *entries) == [("result_0.txt", 7, found, "those of entry 1, 3")]


def test_reg03_a_seed_without_an_origin_is_nobodys():
    without = ran()
    without.origin = None
    assert seen(checks.seeds_are_assigned, [without], entry(1)) == []


def test_reg03_the_first_run_with_anothers_entry_is_named():
    others = entry(2, ("bolt", "box", "scaffold", "tiny"))
    runs = [ran(0), ran(1, named=2, seeds=[(8, 5)]), ran(2, named=2, problem="smoke")]
    wanted = "one of acme, box, scaffold, tiny"
    assert seen(checks.seeds_are_assigned, runs, entry(1), others) == [
        ("result_1.txt", 7, "entry 2, of bolt, box, scaffold, tiny, in 2 of 3 logs", wanted)
    ]


@pytest.mark.parametrize(
    ("run", "last", "found", "wanted"),
    [
        (ran(4), 5, None, None),
        (ran(5), 5, "run 5", "runs 0 to 4 of entry 1"),
        (ran(5), None, None, None),
        (ran(None, seeds=[(8, 5)]), 5, None, None),
        (ran(0, seeds=[]), 5, None, None),
        (ran(0, seeds=[(8, 100), (9, 5)]), 5, None, None),
        (ran(0, seeds=[(8, 5), (9, 100)]), 5, "seed 5", "100, which entry 1 of the registry assigns to run 0"),
        (ran(2, seeds=[(8, 104)]), 5, "seed 104, that of run 4", "102, which entry 1 of the registry assigns to run 2"),
        (ran(2, seeds=[(8, 105)]), 5, "seed 105", "102, which entry 1 of the registry assigns to run 2"),
    ],
)
def test_reg03_a_seed_is_looked_for_among_those_of_the_entry(run, last, found, wanted):
    told = [(run.path, 8, found, wanted)] if found else []
    assert seen(checks.seeds_are_assigned, [run], entry(1), last=last) == told
    weak = told if last is None else seen(checks.seeds_are_assigned, [run], entry(1), last=None)
    assert seen(checks.seeds_are_assigned, [run], entry(1), last=last, scaling="weak") == weak


def test_reg05_the_first_run_that_was_registered_otherwise_is_named():
    runs = [ran(0), ran(1, source="registry", config_digest="d"), ran(2, config_digest="e"), ran(3, named=None)]
    assert seen(checks.runs_are_as_registered, runs, entry(1)) == [
        ("result_1.txt", 9, "config_digest d, in 2 of 4 logs", "c, as in entry 1")
    ]
    assert seen(checks.runs_are_as_registered, runs, registry=False) == []


@pytest.mark.parametrize(
    ("idle", "ends"), [(20, "21 (box, scaffold, tiny)"), (21, "21 (box, scaffold, tiny) and 1 more")]
)
def test_reg07_twenty_entries_without_a_set_are_told(idle, ends):
    """One more is used."""
    kept = RoundRegistry("registry.yaml", tuple(entry(n) for n in range(1, idle + 2)))
    files = handed_in(kept, [ran()], "ACME")
    (fault,) = checks.entries_are_used(files)
    assert fault.found.startswith(f"{idle} of {idle + 1} entries without a scored set: entry 2 (box")
    assert fault.found.endswith(ends)


@pytest.mark.parametrize("scaling", ["weak", "throughput"])
def test_reg07_neither_weak_sets_nor_throughput_nor_own_seeds_use_an_entry(scaling):
    kept = RoundRegistry("registry.yaml", (entry(1),))
    measured, own = ran(), ran(source="os.urandom")
    measured.set_path = scaling
    files = handed_in(kept, [measured, own], scaling=scaling)
    assert [fault.line for fault in checks.entries_are_used(files)] == [1]
    files.runs.append(ran())
    assert list(checks.entries_are_used(files)) == []
    files.registry, files.runs = None, []
    assert list(checks.entries_are_used(files)) == []


@pytest.mark.parametrize(("reached", "idle"), [(0, 1), (3, 1), (4, 0), (5, 0)])
def test_reg07_a_set_uses_an_entry_if_enough_of_its_runs_reached_their_target(reached, idle):
    kept = RoundRegistry("registry.yaml", (entry(1),))
    runs = [ran(number, converged=number < reached) for number in range(5)]
    assert len([*checks.entries_are_used(handed_in(kept, runs, wanted=4))]) == idle
