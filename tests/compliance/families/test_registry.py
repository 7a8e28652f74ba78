"""REG: seeds that the registry did not assign, entries that are another's, and registries that are damaged."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

from compliance.families import registry as checks
from compliance.reading.rounds import RoundRegistry
from compliance.reading.run import Mark, Origin
from compliance.reading.series import Evaluation
from rules.registry import Registry
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, files_changed
from tests.compliance.logs import good
from tests.compliance.made import OURS, terms

SLACK = OURS.limits.seeds.drawn_slack


def told(tree, *runs):
    """What all checks find of a seed: (file, line) of runs."""
    return [(f"result_{i}.txt", tree.logs[i].line_of("seed")) for i in runs]


@files_changed("SYS09", "crate")
def renamed_folder(registered):
    """The runs keep the entry of their organisation."""
    registered.root = registered.root.rename(registered.root.with_name("crate"))


@damage
def entry_of_another_problem_with_other_settings(registered):
    entry = registered.register(problem="mean", config="0" * 64)
    return [("result_0.txt", registered.assign(entry), "REG03"), ("acme", 1, "REG07")]


@damage
def damaged_registry_that_runs_name(registered):
    registered.write_registry(registered.registry.text.replace("bolt", "crux", 1))
    return [("registry.yaml", 2, "REG01"), ("scaffold", 1, "REG02")]


@damage
def registry_that_is_gone(registered):
    (registered.root.parent / "registry.yaml").unlink()
    return [(*told(registered, 0)[0], "REG02")]


no_registry_where_one_is_required = files_changed("REG02", "scaffold", lambda tree: tree.into("assigned"))


@damage
def own_seeds_beside_an_entry(registered):
    registered.fresh()
    return [(*told(registered, 0)[0], "REG03"), ("acme", 1, "REG07")]


own_seed_that_says_it_is_assigned = event_changed(
    "REG03", "seed", of="registered", runs=(1,), value=(1 << 62) + 987_654_321_123
)


@damage
def fastest_five_of_six(registered):
    """Run 0 is left out; the others keep their numbers, 1 to 5."""
    entry = registered.registry.entries[1]
    registered.path(0).unlink()
    log = good(5)
    log.one("seed").update(value=entry.seed(5))
    log.one("seed")["metadata"].update(source="registry", entry=2)
    log.write(registered.path(5))
    return [("result_5.txt", log.line_of("seed"), "REG03")]


@damage
def seeds_of_two_entries(registered):
    more = registered.register(config="9" * 64)
    for run in (1, 3):
        registered.assign(more, run)
    return [(*place, "REG04") for place in told(registered, 1, 3)]


@damage
def another_source_than_was_registered(registered):
    registered.add("implementations/pytorch/train.py", "# later\n")
    return [("result_0.txt", registered.logs[0].line_of("source"), "REG05")]


@damage
def run_before_its_entry_was_drawn(registered):
    registered.registry = Registry("v1.0")
    registered.register(organisation="bolt")
    entry = registered.register(drawn="2026-04-01T00:10:00Z")  # run 0 began at 23:33, run 1 at 0:33
    registered.assign(entry)
    return [("result_0.txt", registered.logs[0].line_of("run_start"), "REG06")]


@files_changed("REG07", "acme")
def entries_that_were_left_without_runs(registered):
    registered.register(config="8" * 64)
    registered.register(config="9" * 64)


def test_a_rehearsal_is_told_once(registered, found):
    line = registered.changed("seed", metadata={"source": "rehearsal", "entry": None})
    assert found(registered.root) == [("result_2.txt", line, "SEED04")]


def test_the_registry_is_for_sets_and_not_for_single_logs(registered, found):
    registered.fresh(2)
    folder = registered.path(2).parent
    assert found(folder) == [(*told(registered, 2)[0], "REG03")]
    assert found(registered.path(2)) == []


def test_a_registry_within_a_submission_is_none(registered, found):
    (registered.root.parent / "registry.yaml").rename(registered.root / "registry.yaml")
    assert {code for *_, code in found(registered.root)} == {"TREE03", "REG02"}


def test_a_damaged_registry_is_told_once_a_round(registered, found):
    shutil.copytree(registered.root, registered.root.with_name("bolt"))
    registered.write_registry("- []\n")
    codes = [code for *_, code in found(registered.root.parent)]
    assert codes.count("REG01") == 1 and codes.count("REG02") == 2


KEY = ("acme", "box", "scaffold", "tiny")


def entry(number, key=KEY, **fields):
    """An entry that assigns the seed 100 n + i to run i."""
    told = {"title": ", ".join(key), "system": key[1], "benchmark": key[2], "problem": key[3], "organisation": key[0]}
    told |= {"source": "s", "config": "c"}
    return SimpleNamespace(**{"entry": number, "key": key, "seed": lambda i: 100 * number + i, **told, **fields})


def ran(number=0, named=1, seeds=None, codes=(), problem="tiny", source="registry", converged=True, **values):
    """A run that names an entry and uses its seed; its origin is in line 7, its seed in line 8."""
    seeds = [(8, 100 * (named or 0) + (number or 0))] if seeds is None else seeds
    what = {"problem": problem, "path": f"strong/result_{number}.txt", "origin": Origin(7, source, named)}
    passing = Evaluation(9, 0, 1, None, 1.0) if converged else None
    values = {"source": "s", "config_digest": "c", **values}
    return made.run(number, 9, values, seeds=seeds, codes=frozenset(codes), passing=passing, **what)


def handed_in(registry, runs, org="acme", scaling="strong", wanted=1):
    """A submission with a set of that scaling and the strong one, of which `ran` makes runs; a score takes `wanted`
    runs and one more, which may fail."""
    sets = tuple(made.a_set(name, name=name) for name in {scaling, "strong"})
    edition = made.edition(benchmarks={"scaffold": terms(runs=wanted + 1, forgiven=1).benchmark})
    return made.files(*runs, of=edition, org=org, sets=sets, registry=registry)


def seen(check, runs, *entries, registry=True, scaling="strong", last=5, required="optional"):
    """What a check finds in a set: (path, line, found, wanted)."""
    kept = RoundRegistry("registry.yaml", entries) if registry else None
    place, by = made.place(of=made.a_set(scaling), registry=kept), terms(runs=last, registry=required)
    faults = check(runs, place, by)
    return [(fault.path.rpartition("/")[2], fault.line, fault.found, fault.wanted) for fault in faults]


def own(number=0, **fields):
    """A run with a seed of its own."""
    return ran(number, named=None, source="os.urandom", **fields)


def test_reg02_is_at_the_first_log_without_an_entry():
    runs, choice = [ran(0), ran(1, named=3), ran(2, named=0)], "one of those in registry.yaml, which has 2"
    check, entries = checks.set_has_an_entry, (entry(1), entry(2))
    assert seen(check, runs, *entries) == [("result_1.txt", 7, "entry 3, in 2 of 3 logs", choice)]
    found = [("result_3.txt", 7, "a seed from the registry without an entry", choice)]
    assert seen(check, [runs[0], ran(3, named=None)], *entries) == found
    assert seen(check, runs[:1], *entries) == []


@pytest.mark.parametrize(
    ("runs", "entries", "found"),
    [
        ([own()], [], ["logs that name no entry"]),
        ([own()], [entry(1)], []),  # REG03 says so
        ([ran(), own(1)], [entry(1)], []),
        ([own(), own(1, problem="smoke")], [entry(1)], []),  # the first tells which entries are the set's
        ([own(problem="smoke"), own(1)], [entry(1)], ["logs that name no entry"]),
        ([], [], []),
    ],
)
def test_reg02_an_entry_is_wanted_where_rounds_require_one(runs, entries, found):
    told = seen(checks.set_has_an_entry, runs, *entries, required="required")
    assert [text for _, _, text, _ in told] == found
    assert seen(checks.set_has_an_entry, runs, *entries) == []


OTHERS = entry(2, ("bolt", *KEY[1:]))


@pytest.mark.parametrize(
    ("runs", "entries", "found", "wanted"),
    [
        (
            [own(), own(1, problem="smoke")],
            [entry(1), entry(2, (*KEY[:3], "smoke")), entry(3)],
            "a seed from os.urandom, in 2 of 2 logs",
            "those of entry 1, 3",
        ),
        (
            [ran(named=2, seeds=[(8, 5)]), ran(1, named=2, problem="smoke"), ran(2)],
            [entry(1), OTHERS],
            "entry 2, of bolt, box, scaffold, tiny, in 2 of 3 logs",  # of its seed nothing is told
            "one of acme, box, scaffold, tiny",
        ),
        ([replace(ran(), origin=None)], [entry(1)], None, None),
        ([own()], [OTHERS], None, None),
    ],
)
def test_reg03_is_at_the_first_run_with_anothers_seed_or_entry(runs, entries, found, wanted):
    told = [("result_0.txt", 7, found, wanted)] if found else []
    assert seen(checks.seeds_are_assigned, runs, *entries) == told


@pytest.mark.parametrize(
    ("run", "last", "found"),
    [
        (ran(4), 5, None),
        (ran(5), 5, "run 5"),
        (ran(5), None, None),
        (ran(None, seeds=[(8, 5)]), 5, None),
        (ran(0, seeds=[]), 5, None),
        (ran(0, seeds=[(8, 5), (9, 100)]), 5, "seed 5"),
        (ran(2, seeds=[(8, 199)]), 5, "seed 199, that of run 99"),
        (ran(2, seeds=[(8, 200)]), 5, "seed 200"),
    ],
)
def test_reg03_a_seed_is_looked_for_among_those_of_the_entry(run, last, found):
    scaling = "strong" if last else "weak"  # which may have any number of runs
    told = seen(checks.seeds_are_assigned, [run], entry(1), last=last or 5, scaling=scaling)
    assert [fault[:3] for fault in told] == ([(run.file.name, 8, found)] if found else [])


def test_reg04_the_usual_entry_is_wanted():
    runs = [ran(0, named=2), ran(1), ran(2), own(3), ran(4, named=None)]
    wanted = "entry 1, as in the set's other runs"
    found = [("result_0.txt", 7, "entry 2", wanted), ("result_4.txt", 7, "entry None", wanted)]
    assert seen(checks.set_uses_one_entry, runs) == found


def test_reg05_the_first_run_that_was_registered_otherwise_is_named():
    runs = [ran(0), ran(1, config_digest="d"), ran(2, config_digest="e"), ran(3, named=None)]
    found = [("result_1.txt", 9, "config_digest d, in 2 of 4 logs", "c, as in entry 1")]
    assert seen(checks.runs_are_as_registered, runs, entry(1)) == found
    assert seen(checks.runs_are_as_registered, runs, registry=False) == []


@pytest.mark.parametrize(("late", "lines"), [(0, []), (1, [4])])
def test_reg06_clocks_may_differ_by_the_slack(late, lines):
    began, drawn = replace(ran(), start=Mark(4, 5000)), entry(1, drawn_ms=5000 + int(1000 * SLACK) + late, drawn="then")
    assert [line for _, line, *_ in seen(checks.entries_are_drawn_before, [began], drawn)] == lines


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
def test_reg07_only_timed_sets_with_assigned_seeds_use_entries(scaling):
    kept = RoundRegistry("registry.yaml", (entry(1),))
    measured, own = replace(ran(), path=f"{scaling}/result_0.txt"), ran(source="os.urandom")
    files = handed_in(kept, [measured, own], scaling=scaling)
    assert [fault.line for fault in checks.entries_are_used(files)] == [1]
    assert list(checks.entries_are_used(replace(files, runs=(*files.runs, ran())))) == []
    assert list(checks.entries_are_used(replace(files, registry=None, runs=()))) == []


@pytest.mark.parametrize(("reached", "idle"), [(0, 1), (3, 1), (4, 0), (5, 0)])
def test_reg07_a_set_uses_an_entry_if_enough_of_its_runs_passed(reached, idle):
    kept = RoundRegistry("registry.yaml", (entry(1),))
    runs = [ran(number, converged=number < reached) for number in range(5)]
    assert len([*checks.entries_are_used(handed_in(kept, runs, wanted=4))]) == idle
