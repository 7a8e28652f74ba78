"""ENV: manifests that are missing, others, unsound, or of another system than the log's."""

import json
import shutil
import weakref
from pathlib import Path

import pytest

from benchmark.environment.manifest import NODE, OTHER
from benchmark.hosts import numbered, short
from benchmark.source import ROOT
from compliance.families import environment as checks
from compliance.reading import environment as reading_environment
from compliance.reading.digest import Named
from compliance.reading.run import Mark
from tests.compliance import made
from tests.compliance.environments import RUN as GOOD
from tests.compliance.families.damages import damage, event_changed, files_changed, files_found, log_changed
from tests.compliance.logs import event, interrupt, read, sha256
from tests.compliance.made import OURS, terms, timeline
from tests.compliance.submissions import Probed

LIMITS = OURS.limits.environment
FILE = "environment_2.json"


def node_of(environed):
    return environed.manifests[2]["nodes"][0]["facts"]


def fact_changed(code, name, value, times=1, runs=(2,), found=()):
    """A damage: run 2, or several, have another fact in their environments; it is found in these or in some of them."""

    @damage
    def entry(environed):
        for run in runs:
            environed.fact(name, value, run)
        return [(f"environment_{run}.json", 1, code) for run in found or runs] * times

    return entry


def loaded_changed(code, times=1, runs=(2,), found=(), **changes):
    """A damage: run 2, or several, had loaded something else."""
    return fact_changed(code, "loaded", {**GOOD["loaded"], **changes}, times, runs, found)


file_of_another_run = event_changed("ENV01", "environment", of="environed", metadata={"path": "environment_1.json"})
logged_behind_run_start = log_changed(
    "ENV01", lambda environed, log: environed.moved(log.one("environment"), log.one("staging_start"))
)
manifest_that_is_no_json = files_changed("ENV04", FILE, lambda environed: environed.survey(2, b"\x80\x04"))
manifest_that_no_log_names = files_changed(
    "ENV10", "environment_5.json", lambda environed: shutil.copyfile(environed.environment(1), environed.environment(5))
)
another_library_in_the_first_run = fact_changed("ENV05", "packages", {"torch": "2.13.0", "numpy": "2.4.7"}, runs=(0,))
another_kernel_in_one_run = fact_changed("ENV05", "kernel", {"release": "6.8.1"})
packages_that_one_run_could_not_read = fact_changed("ENV05", "packages", None)
another_setting_on_the_command_line = fact_changed("ENV07", "command", [*GOOD["command"], "beta_2=0.99"])
share_of_more_processors_than_there_are = fact_changed("ENV08", "share", {"processors": 64}, runs=range(5))
data_in_memory = fact_changed(
    "ENV11", "data", {"type": "tmpfs", "options": ["rw"], "other_options": 0}, runs=range(5), found=[0]
)
malformed_list_of_what_was_loaded = loaded_changed("ENV04", edited={"files": -1, "names": []})
module_of_no_distribution = loaded_changed("ENV12", unowned={"files": 1, "names": [".../site-packages/acme_fast.so"]})


@log_changed("ENV02")
def manifests_of_four_runs_of_five(environed, log):
    environed.removed("environment")
    environed.environment(2).unlink()
    return log.line_of("run_start")


@damage
def manifests_that_are_gone(environed):
    environed.environment(1).unlink()
    environed.environment(2).unlink()
    return [("environment_1.json", 1, "ENV03"), (FILE, 1, "ENV03")]


@files_changed("ENV03", FILE)
def one_version_changed_afterwards(environed):
    path = environed.environment(2)
    path.write_text(path.read_text().replace("2.4.6", "2.4.7"))


@files_changed("ENV03", FILE)
def manifest_of_another_run(environed):
    environed.fact("kernel", {"release": "6.8.1"}, 1)
    environed.fact("kernel", {"release": "6.8.1"}, 2)
    shutil.copyfile(environed.environment(0), environed.environment(2))


@files_changed("ENV06", FILE)
def two_kinds_of_nodes(environed):
    other = {"clocks": {"value": {"governor": {"powersave": 2}}, "origin": "a test"}}
    for index, manifest in enumerate(environed.manifests):
        manifest["nodes"].append({"hosts": ["n2"], "facts": other if index == 2 else {}})
        environed.on_two_nodes(index)
        environed.survey(index)
    environed.described(number_of_nodes="2")


@files_changed("ENV08", FILE)
def manifest_of_another_host(environed):
    environed.manifests[2]["nodes"][0]["hosts"] = ["n7"]
    environed.survey(2)


@files_changed("ENV11", "environment_0.json")
def manifests_that_tell_nothing(environed):
    for run in range(5):
        environed.fact("memory", None, run)
        environed.fact("config", None, run)


more_memory_than_there_is = files_found(
    "ENV09", "box.json", lambda environed: environed.described(host_memory_capacity="48 GiB")
)


@pytest.mark.parametrize("reads", [False, True])
def test_env11_what_was_loaded_is_told_if_the_source_reads_it(environed, found, reads):
    """In all runs, since a manifest of the first schema does not have the fact."""
    if reads:
        environed.add(checks.LOADER, (ROOT / checks.LOADER).read_text())
    for index, manifest in enumerate(environed.manifests):
        manifest["schema"] = 1
        del manifest["run"]["loaded"]
        manifest["run"]["repository"] = {"value": None, "origin": "git"}
        environed.survey(index)
    assert found(environed.root) == ([("environment_0.json", 1, "ENV11")] if reads else [])


hooks_in_all_runs_are_one_finding_each = loaded_changed(
    "ENV12",
    times=2,
    runs=range(5),
    found=[0],
    finders=[*GOOD["loaded"]["finders"], "sitecustomize.Finder"],
    startup={"sitecustomize.py": "d" * 64},
)
preloaded_library = fact_changed(
    "ENV12", "variables", {"OMP_NUM_THREADS": "1", "LD_PRELOAD": ".../libfast.so"}, runs=range(5), found=[0]
)
kernels_from_before_the_set = loaded_changed(
    "ENV13", runs=range(5), kernels={"files": 71, "before": 71, "sha256": "c" * 64}
)
kernels_that_changed_between_runs = loaded_changed("ENV13", kernels={"files": 71, "before": 71, "sha256": "d" * 64})
package_of_the_same_version_with_other_content = loaded_changed(
    "ENV14", records={**GOOD["loaded"]["records"], "torch 2.13.0+cpu": "e" * 64}
)


@damage
def kernels_that_are_not_told(environed):
    """All runs compiled them, and one manifest has none."""
    for index, log in enumerate(environed.logs):
        devices = log.one("devices")
        log.events.insert(log.events.index(devices), {**devices, "key": "compiled", "value": True})
        environed.write(index)
    environed.fact("loaded", {**GOOD["loaded"], "kernels": {}})
    return [(FILE, 1, "ENV13")]


training_before_the_clock = loaded_changed("ENV15", 2, spent={"cpu_seconds": 120.6, "read_bytes": (1 << 34) + 1})


@pytest.mark.parametrize("spent", [{"cpu_seconds": -1.0}, {"cpu_seconds": 10**400}, {"cpu_seconds": True}, {}, None])
def test_what_was_spent_is_in_numbers_and_told(environed, found, spent):
    environed.fact("loaded", {**GOOD["loaded"], "spent": spent})
    assert found(environed.root) == [(FILE, 1, "ENV04")]


def test_what_is_loaded_and_spent_and_told_in_another_order_is_fine(environed, found):
    """Also kernels that another run of the set left."""
    spent = {"spent": {"cpu_seconds": 120.0, "read_bytes": 1 << 34}}
    kernels = {"kernels": {"files": 71, "before": 71, "sha256": "c" * 64}}
    for run in range(1, 5):
        environed.fact("loaded", {**GOOD["loaded"], **kernels, **spent}, run)
    environed.fact("kernel", dict(reversed(node_of(environed)["kernel"]["value"].items())))
    assert found(environed.root) == []


@files_changed("ENV16", "environment_0.json")
def two_machines_by_one_name(environed):
    """Later runs of another benchmark, on a node with another device."""
    folder = environed.root.parents[1] / "other"
    other = Probed(folder)
    for index, content in enumerate(other.manifests):
        other.fact("pci", [{"id": "10de:2330", "class": "0x030200", "count": 8}], index)
        command = content["run"]["command"]["value"]
        other.fact("command", ["mean" if word == "tiny" else word for word in command], index)
    theirs = other.path(0).parent
    shutil.move(theirs, environed.path(0).parent.with_name(theirs.name))
    shutil.rmtree(folder)


@pytest.mark.parametrize(("more", "codes"), [(0, []), (1, ["ENV03"])])
def test_env03_a_manifest_up_to_a_size(environed, found, more, codes):
    data = environed.environment(2).read_bytes()
    environed.survey(2, data + b" " * (LIMITS.largest + more - len(data)))
    assert found(environed.root) == [(FILE, 1, code) for code in codes]


def test_env03_a_link_is_no_file(environed, found, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    environed.environment(2).rename(elsewhere)
    environed.environment(2).symlink_to(elsewhere)
    assert sorted(found(environed.root)) == [(FILE, 1, "ENV03"), (FILE, 1, "TREE05")]


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (["threads=0"], []),  # the run found 1
        (["beta_1=0"], ["ENV07"]),  # 0 is a value here
        (["unknown=3"], ["ENV07"]),
    ],
)
def test_env07_the_last_word_counts(environed, found, words, codes):
    environed.fact("command", [*environed.manifests[2]["run"]["command"]["value"], *words])
    assert [code for *_, code in found(environed.root)] == codes


def test_env10_what_was_moved_aside_lies_beside_its_log(launched, found):
    folder = launched.path(0).parent / "superseded" / "20260101T000000Z"
    launched.put(folder / "environment_0.json", "{}")
    launched.put(folder / "result_0.txt", "")
    assert "ENV10" not in [code for *_, code in found(launched.root)]


def test_a_run_that_went_on_has_another_manifest(environed, found):
    log = environed.logs[2]
    resumed = interrupt(log)
    environed.write(2)
    text = json.dumps(environed.manifests[2])
    later = environed.put(environed.environment(2).with_name("environment_2_1.json"), text)
    assert resumed["value"]["environment"] == sha256(later)
    assert [code for *_, code in found(environed.root)] == ["RES03"]
    later.write_text(text + " ")
    assert (later.name, 1, "ENV03") in found(environed.root)
    del resumed["value"]["environment"]
    environed.write(2)
    assert ("result_2.txt", log.line(resumed), "ENV01") in found(environed.root)


def test_few_manifests_are_held_at_a_time(environed, found, monkeypatch):
    """A submission may have thousands, each of which makes 25 MB of objects."""
    alive, most = weakref.WeakSet(), []

    def reading(*arguments):
        if found := read(*arguments):
            alive.add(found)
            most.append(len(alive))
        return found

    class Held(reading_environment.Environment):
        __hash__ = object.__hash__

    read = checks.read_environment
    monkeypatch.setattr(reading_environment, "Environment", Held)
    monkeypatch.setattr(reading_environment, "_parsed", reading_environment._parsed.__wrapped__)
    monkeypatch.setattr(checks, "read_environment", reading)
    environed.fact("packages", {"torch": "2.13.0", "numpy": "1"})
    assert (FILE, 1, "ENV05") in found(environed.root) and 0 < max(most) <= 3


@pytest.mark.parametrize(
    ("node", "told"), [({"gib": 20}, []), ({"cpus": "0"}, [(FILE, 1, "ENV05")]), ("odd", [(FILE, 1, "ENV05")])]
)
def test_env05_memory_of_numa_nodes_may_change_a_little(environed, found, node, told):
    known = node_of(environed)["numa"]["value"]["nodes"]["node0"]
    environed.fact("numa", {"nodes": {"node0": {**known, **node} if type(node) is dict else node}})
    assert found(environed.root) == told


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
    monkeypatch.setattr(checks, "_read", lambda runs, edition: [(run, names[at], environment, LIMITS)])
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
