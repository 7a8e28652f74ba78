"""ENV: each check by itself, of made-up runs, from both sides of its limits."""

from pathlib import Path

import pytest

from benchmark.environment.manifest import NODE, OTHER
from benchmark.hosts import numbered, short
from compliance.families import environment as checks
from compliance.reading import environment as reading_environment
from compliance.reading.digest import Named
from compliance.reading.run import Mark
from tests.compliance import made
from tests.compliance.logs import event, read
from tests.compliance.made import OURS, terms, timeline

TEN = ", ".join(f"{n} 1" for n in "abcdefghij")


@pytest.mark.parametrize(
    ("value", "usual", "found", "wanted"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, "b 2", "b 3"),
        ({"a": 1}, {"b": 1}, "a 1, b missing", "a missing, b 1"),
        (dict.fromkeys("abcdefghij", 1), {}, TEN, ", ".join(f"{n} missing" for n in "abcdefghij")),
        (dict.fromkeys("abcdefghijk", 1), {}, f"{TEN} and 1 more", None),
        ([1], {"a": 1}, "[1]", None),
    ],
)
def test_of_two_facts_the_entries_that_differ_are_told(value, usual, found, wanted):
    told = checks.apart(value, usual)
    assert told[0].strip('"') == found and (wanted is None or told[1].strip('"') == wanted)


def test_env01_a_line_of_several_programs_is_not_behind_itself():
    facts = {"value": "a" * 64, "bytes": 1, "path": "environment_0.json"}
    for line, found in ((3, []), (4, []), (5, [5])):
        log = read(event(line, "environment", **facts))
        time = timeline(start=event(4, "run_start"))
        assert [f.line for f in checks.environment_is_named(log, None, time)] == found


def test_env02_a_run_without_a_start_is_named_in_its_first_line():
    runs = [made.run(start=start) for start in (None, Mark(7, 0))]
    by = terms(environment={"use": "required"})
    assert [f.line for f in checks.environment_is_handed_in(runs, None, by)] == [1, 7]


NAMED = Named(1, "", 0, "environment_0.json")
RUN = {"number_of_nodes": 1, "number_of_ranks": 2, "versions": {"python": "3.11.9", "torch": "2.13.0"}}
FACTS = {
    "processors": {"model": "A processor"},
    "packages": {"torch": "2.13.0"},
    "python": {"version": "3.11.9"},
}


BUILD = {"packages": {"torch": "2.13.0+cpu"}}
CONTAINED = "2.13.0a0+ab5c.nv24.8"
CONTAINER = {"packages": {"torch": CONTAINED}}


def group(kind="cpu", name="A processor", host="n1"):
    return {"host": host, "kind": kind, "name": name, "ranks": 2, "uuids": []}


def compared(monkeypatch, *devices, at=0, of=1, hosts=("n1",), launcher=None, facts=None, **logged):
    """What ENV08 finds in manifest `at` of a run that has several."""
    names = tuple(Named(1, "", 0, f"environment_0_{i}.json") for i in range(of))
    run = made.run(values={**RUN, "devices": list(devices), **logged}, environments=names)
    node = {**dict.fromkeys(NODE), **FACTS, **(facts or {})}
    environment = reading_environment.Environment({"launcher": launcher}, (reading_environment.Kind(hosts, node),))
    monkeypatch.setattr(checks, "_read", lambda runs, edition: [(run, names[at], environment, OURS.limits.environment)])
    return [fault.found for fault in checks.environment_is_the_runs([run], None, terms())]


OTHER_HOST = group(host="n2")


@pytest.mark.parametrize(
    ("devices", "fields", "found"),
    [
        ([group()], {}, []),
        ([group(), group(name="Another")], {}, ["processor ['A processor']"]),
        ([group("cuda", "A chip")], {}, []),
        ([group(), group("cuda", "A chip")], {}, []),
        ([group()], {"facts": {"processors": None, "python": None, "packages": None}}, []),
        ([], {}, []),
        ([OTHER_HOST], {"of": 2}, ["hosts ['n1']"]),  # a run begins on the hosts that it names
        ([OTHER_HOST], {"at": 1, "of": 2}, []),
        ([group()], {"launcher": {"ranks": 3}}, ["ranks 3"]),
        ([group()], {"launcher": {}}, []),
        ([group()], {"hosts": ("n1", "n2")}, ["hosts ['n1', 'n2']", "nodes 2"]),
        ([group()], {"versions": None}, []),
        ([group()], {"versions": {"python": "3.12.1"}}, ["python 3.11.9"]),
        ([group()], {"versions": {"torch": "2.14.0", "numpy": "2.4.6"}}, ["torch 2.13.0"]),
        ([group()], {"versions": {"torch": "2.13.0+cu130"}}, []),  # as PyPI's PyTorch calls itself
        ([group()], {"versions": {"torch": "2.14.0+cu130"}}, ["torch 2.13.0"]),
        ([group()], {"versions": {"torch": "2.13.0+cu130"}, "facts": BUILD}, ["torch 2.13.0+cpu"]),
        ([group()], {"versions": {"torch": 2}}, ["torch 2.13.0"]),
        ([group()], {"versions": {"torch": "2.13.0a0+ab5c.nv24.08"}, "facts": CONTAINER}, []),
        ([group()], {"versions": {"torch": "2.13.0a0+ab5c.nv24.80"}, "facts": CONTAINER}, [f"torch {CONTAINED}"]),
    ],
)
def test_env08_what_log_and_manifest_both_say_is_equal(monkeypatch, devices, fields, found):
    assert compared(monkeypatch, *devices, **fields) == found


def test_env08_hosts_may_be_numbered_in_log_or_manifest(monkeypatch):
    """Names of many hosts are too long for either."""
    names = [f"{'x' * 64}{n}z" for n in range(2000)]
    told = tuple(numbered(names).values())
    several = {"kind": "cpu", "name": "A processor", "ranks": 2, "distinct": 0}
    for hosts in (told, tuple(names), (*told[:-1], "another"), (*names[:-1], "another"), (*names, names[0])):
        found = compared(monkeypatch, {**several, "hosts": short([names])[0]}, hosts=hosts, number_of_nodes=None)
        assert bool(found) is (hosts not in (told, tuple(names)))


@pytest.mark.parametrize(
    ("hosts", "values", "told"),
    [
        (["n2"], {}, []),
        (["n2"], {"kernel": "6.9"}, [('kernel "6.9" on n2', '"6.8", as on n1', "error")]),
        (["n2", "n3", "n4"], {"kernel": None}, [("kernel null on n2 and 2 more", '"6.8", as on n1', "review")]),
        (["n2", "n3"], {OTHER: None}, [("nodes of other kinds, n2 and 1 more", "one kind", "warning")]),
    ],
)
def test_env06_tells_on_which_nodes_a_fact_differs(monkeypatch, hosts, values, told):
    by, run = terms(environment={"same_nodes": {"kernel": "error", OTHER: "warning"}}), made.run()
    nodes = (reading_environment.Kind(("n1", "n9"), {"kernel": "6.8"}), reading_environment.Kind(tuple(hosts), values))
    environment = reading_environment.Environment({}, nodes)
    monkeypatch.setattr(
        checks, "_read", lambda runs, edition: [(run, NAMED, environment, by.edition.limits.environment)]
    )
    found = list(checks.nodes_are_alike([run], None, by))
    assert [(f.found, f.wanted, f.severity) for f in found] == told
    assert {f.line for f in found} <= {1}


@pytest.mark.parametrize(
    ("steps", "found"),
    [(True, ["1 backends", "3 packages"]), (False, ["1 backends", "3 backends", "3 packages"])],
)
def test_env05_points_of_a_study_lie_in_one_folder(monkeypatch, steps, found):
    """Its measured steps: threads follow from the number of ranks, packages don't."""
    nodes = [{"backends": threads, "packages": name} for threads, name in ((1, "a"), (3, "a"), (1, "a"), (2, "b"))]
    kinds = [reading_environment.Environment({}, (reading_environment.Kind(("n1",), node),)) for node in nodes]
    by = terms(environment={"same": {"backends": "review", "packages": "error"}}, throughput_only=steps)
    ranks = enumerate((2, 2, 2, 4))
    runs = [made.run(path=f"{at}/result_0.txt", values={"number_of_ranks": n}) for at, n in ranks]
    read = [(run, NAMED, kind, by.edition.limits.environment) for run, kind in zip(runs, kinds, strict=True)]
    monkeypatch.setattr(checks, "_read", lambda runs, edition: read)
    monkeypatch.setattr(checks, "_again", lambda run, named, largest: nodes[runs.index(run)])
    faults = checks.runs_have_one_environment(runs, None, by)
    assert [f"{fault.path[0]} {fault.found.partition(' ')[0]}" for fault in faults] == found


A, B = ({"processors": {"model": model}, "pci": None, "kernel": model} for model in "AB")


@pytest.mark.parametrize(
    ("sets", "found"),
    [
        ([("box", A), ("box", {**A, "kernel": "6.9"})], []),
        ([("box", A), ("box", B)], [("1/environment_0.json", 'processors model "B"')]),
        ([("box", A), ("tower", B), ("box tuning", B)], []),
        ([("box", A), ("box", A, B), ("box", {**A, "pci": []}), ("box", {**A, "processors": None})], []),
    ],
)
def test_env16_the_machines_of_sets_of_one_system_are_alike(monkeypatch, sets, found):
    """Each is given by its system and the facts of each kind of its nodes."""
    kind = reading_environment.Kind
    kinds = {f"{at}": [kind(("n1",), node) for node in nodes] for at, (_, *nodes) in enumerate(sets)}
    told = [(f"{at}", system.partition(" ")) for at, (system, *_) in enumerate(sets)]
    sets = tuple(made.a_set(scaling or "strong", of, name=name) for name, (of, _, scaling) in told)
    runs = [made.run(path=f"{name}/result_0.txt", file=Path(name) / "log", environments=(NAMED,)) for name in kinds]

    def read(path, digest, largest):
        return reading_environment.Environment({}, tuple(kinds[path.parent.name]))

    monkeypatch.setattr(checks, "read_environment", read)
    files = made.files(*runs, of=made.edition(environment={"same_sets": ("processors", "pci")}), sets=sets)
    faults = checks.sets_of_a_system_ran_on_one_machine(files)
    assert [(fault.path, fault.found) for fault in faults] == found
