"""REG: seeds that the registry did not assign, entries that are another's, and registries that are damaged."""

import json
import shutil
from types import SimpleNamespace

import pytest

from compliance.engine import judge
from compliance.families import registry as checks
from compliance.reading.rounds import RoundRegistry
from compliance.register import KEYS
from compliance.rule import CHECKS
from rules.current import ROOT
from rules.edition import load
from rules.registry import Registry, Request, read_registry

damage = pytest.mark.damage
SLACK = load("v1.0").limits.seeds.drawn_slack


def lines(tree):
    """The lines of the registry, as text."""
    return tree.registry.text.splitlines(keepends=True)


def changed(line, **fields):
    """A line of the registry with other fields."""
    return f"- {json.dumps({**json.loads(line[2:]), **fields}, sort_keys=True)}\n"


def told(tree, *runs):
    """What all checks find of a seed: (file, line) of runs."""
    return [(f"result_{i}.txt", tree.logs[i].line(tree.logs[i].one("seed"))) for i in runs]


def required(tree):
    """Moves a submission into a round that requires entries."""
    folder = tree.root.parent.rename(tree.root.parents[1] / "assigned")
    tree.root = folder / tree.root.name
    for index, log in enumerate(tree.logs):
        log.one("rules_edition")["value"] = "assigned"
        tree.write(index)


@damage
def renamed_folder(registered):
    """The runs keep the entry of their organisation."""
    registered.root = registered.root.rename(registered.root.with_name("crate"))
    return [("crate", 1, "SYS09")]


@damage
def entry_of_another_problem_with_other_settings(registered):
    entry = registered.register(problem="mean", config="0" * 64)
    return [("result_0.txt", registered.assign(entry), "REG03"), ("acme", 1, "REG07")]


@damage
def damaged_registry_that_no_run_names(tree):
    tree.put(tree.root.parent / "registry.yaml", "- {}\n")
    return [("registry.yaml", 1, "REG01"), ("scaffold", 1, "REG02")]


@damage
def damaged_registry_that_runs_name(registered):
    first, second = lines(registered)
    registered.write_registry(changed(first, nonce="7" * 64) + second)
    return [("registry.yaml", 2, "REG01"), ("scaffold", 1, "REG02")]


@damage
def entry_whose_nonce_was_chosen(registered):
    """The last entry, which no other is chained to: the chain holds, but the seeds are others."""
    first, second = lines(registered)
    registered.write_registry(first + changed(second, nonce="7" * 64))
    return [(*place, "REG03") for place in told(registered, 0, 1, 2, 3, 4)]


@damage
def entry_whose_source_was_put_right_later(registered):
    registered.register(organisation="crux")
    first, second, third = lines(registered)
    registered.write_registry(first + changed(second, source="5" * 64) + third)
    return [("registry.yaml", 3, "REG01"), ("scaffold", 1, "REG02")]


@damage
def number_given_twice(registered):
    first, second = lines(registered)
    registered.write_registry(first + second + second)
    return [("registry.yaml", 3, "REG01"), ("scaffold", 1, "REG02")]


@damage
def entry_without_a_nonce(registered):
    first, second = lines(registered)
    fields = json.loads(second[2:])
    del fields["nonce"]
    registered.write_registry(first + f"- {json.dumps(fields, sort_keys=True)}\n")
    return [("registry.yaml", 2, "REG01"), ("scaffold", 1, "REG02")]


@damage
def registry_that_is_gone(registered):
    (registered.root.parent / "registry.yaml").unlink()
    return [(*told(registered, 0)[0], "REG02")]


@damage
def entry_that_was_cut_off(registered):
    registered.write_registry(lines(registered)[0])
    return [(*told(registered, 0)[0], "REG02")]


@damage
def seed_from_the_registry_without_an_entry(registered):
    registered.changed("seed", 3, metadata={"entry": None})
    return [(*told(registered, 3)[0], "REG02")]


@damage
def entry_of_true(registered):
    registered.changed("seed", 3, metadata={"entry": True})
    return [(*told(registered, 3)[0], "REG02")]


@damage
def entry_that_is_text(registered):
    registered.changed("seed", 3, metadata={"entry": "2"})
    return [(*told(registered, 3)[0], "REG02")]


@damage
def entry_of_a_round_without_a_registry(tree):
    line = tree.changed("seed", metadata={"source": "registry", "entry": 1})
    return [("result_2.txt", line, "REG02")]


@damage
def no_registry_where_one_is_required(tree):
    required(tree)
    return [("scaffold", 1, "REG02")]


@damage
def no_entry_where_one_is_required(tree):
    required(tree)
    tree.put(tree.root.parent / "registry.yaml", "")
    return [("scaffold", 1, "REG02")]


@damage
def damaged_registry_where_one_is_required(tree):
    required(tree)
    tree.put(tree.root.parent / "registry.yaml", "?")
    return [("registry.yaml", 1, "REG01"), ("scaffold", 1, "REG02")]


@damage
def own_seeds_beside_an_entry(registered):
    registered.fresh()
    return [(*told(registered, 0)[0], "REG03"), ("acme", 1, "REG07")]


@damage
def one_run_with_a_seed_of_its_own(registered):
    registered.fresh(2)
    return [(*told(registered, 2)[0], "REG03")]


@damage
def own_seed_that_says_it_is_assigned(registered):
    registered.changed("seed", 1, value=(1 << 62) + 987_654_321_123)
    return [(*told(registered, 1)[0], "REG03")]


@damage
def seed_of_the_next_run(registered):
    registered.changed("seed", 4, value=registered.registry.entries[1].seed(5))
    return [(*told(registered, 4)[0], "REG03")]


@damage
def runs_that_changed_places(registered):
    one, other = registered.logs[1], registered.logs[3]
    registered.logs[1], registered.logs[3] = other, one
    registered.write(1)
    registered.write(3)
    return [(*place, "REG03") for place in told(registered, 1, 3)]


@damage
def fastest_five_of_six(registered, logs):
    """Run 0 is left out; the others keep their numbers, 1 to 5."""
    entry = registered.registry.entries[1]
    registered.path(0).unlink()
    log = logs.good(5)
    log.one("seed").update(value=entry.seed(5))
    log.one("seed")["metadata"].update(source="registry", entry=2)
    log.write(registered.path(5))
    return [("result_5.txt", log.line(log.one("seed")), "REG03")]


@damage
def seeds_of_another_organisations_entry(registered):
    registered.assign(registered.registry.entries[0])
    place = told(registered, 0)[0]
    return [(*place, "REG03"), ("acme", 1, "REG07")]


@damage
def entry_of_another_system(registered):
    registered.assign(registered.register(system="crate"))
    return [(*told(registered, 0)[0], "REG03"), ("acme", 1, "REG07")]


@damage
def entry_of_another_problem(registered):
    registered.assign(registered.register(problem="smoke"), 2)
    return [(*told(registered, 2)[0], "REG03"), (*told(registered, 2)[0], "REG04")]


@damage
def own_seeds_beside_an_entry_of_another_spelling(registered):
    """Who registers as A.C.M.E. on BOX is acme on box."""
    registered.registry = Registry("v1.0")
    registered.register(organisation="A.C.M.E.", system="BOX")
    registered.fresh()
    return [(*told(registered, 0)[0], "REG03"), ("acme", 1, "REG07")]


@damage
def seeds_of_two_entries(registered):
    more = registered.register(config="9" * 64)
    for run in (1, 3):
        registered.assign(more, run)
    return [(*place, "REG04") for place in told(registered, 1, 3)]


@damage
def another_source_than_was_registered(registered):
    registered.add("implementations/pytorch/train.py", "# later\n")
    return [("result_0.txt", registered.logs[0].line(registered.logs[0].one("source")), "REG05")]


@damage
def other_settings_than_were_registered(registered):
    for index in range(5):
        registered.settings(index, cache_gib=2)
    line = registered.logs[0].line(registered.logs[0].one("config_digest"))
    return [("result_0.txt", line, "REG05")]


@damage
def run_before_its_entry_was_drawn(registered):
    registered.registry = Registry("v1.0")
    registered.register(organisation="bolt")
    entry = registered.register(drawn="2026-04-01T00:10:00Z")  # run 0 began at 23:33, run 1 at 0:33
    registered.assign(entry)
    log = registered.logs[0]
    return [("result_0.txt", log.line(log.one("run_start")), "REG06")]


@damage
def entries_that_were_left_without_runs(registered):
    registered.register(config="8" * 64)
    registered.register(config="9" * 64)
    return [("acme", 1, "REG07")]


@damage
def entry_for_a_system_that_is_not_handed_in(registered):
    registered.register(system="crate")
    return [("acme", 1, "REG07")]


@damage
def entry_left_under_another_spelling(registered):
    registered.register(organisation="ACME", config="9" * 64)
    return [("acme", 1, "REG07")]


@damage
def second_seed_behind_the_assigned_one(registered, logs):
    """The first is the run's: the registry has nothing against it."""
    log = registered.logs[2]
    first = log.one("seed")
    second = {**first, "value": logs.good(7).one("seed")["value"]}
    return [("result_2.txt", registered.inserted(log.one("problem"), second), "LOG05")]


def test_damage(entry, exactly):
    exactly(entry)


def findings(tree, law, code):
    return [f for f in judge([tree.root], rules=law).findings if f.code == code]


def test_registered_runs_are_in_order(registered, found):
    assert found(registered.root) == []


def test_registered_runs_are_in_order_where_an_entry_is_required(registered, found):
    required(registered)
    registered.registry = Registry("assigned")
    registered.assign(registered.register())
    assert found(registered.root) == []


def test_a_round_may_have_a_registry_that_is_not_used(tree, registered, found):
    registered.write_registry(lines(registered)[0])
    for index, log in enumerate(tree.logs):
        registered.logs[index] = log
    registered.fresh()
    assert found(registered.root) == []


def test_what_is_found_and_wanted(registered, law):
    entry = registered.registry.entries[1]
    registered.changed("seed", 4, value=entry.seed(2))
    (one,) = findings(registered, law, "REG03")
    assert one.found == f"seed {entry.seed(2)}, that of run 2"
    assert one.wanted == f"{entry.seed(4)}, which entry 2 assigns to run 4"
    assert one.severity == "error"


def test_seeds_of_ones_own_are_told_once_for_a_set(registered, law):
    registered.fresh()
    (one,) = findings(registered, law, "REG03")
    assert (one.found, one.wanted) == ("a seed from os.urandom, in 5 of 5 logs", "those of entry 2")


def test_entries_without_a_scored_set_are_counted_for_a_reviewer(registered, law):
    for number in range(25):
        registered.register(config=f"{number:064d}")
    (one,) = findings(registered, law, "REG07")
    assert one.severity == "review"
    assert one.found.startswith(
        "25 of 26 entries without a scored set: entry 3 (box, scaffold, tiny); entry 4 (box"
    ) and one.path.endswith("/acme")
    registered.write_registry("".join(lines(registered)[:2]))
    assert findings(registered, law, "REG07") == []


@pytest.mark.parametrize(("seconds", "codes"), [(-1, []), (0, []), (1, ["REG06"])])
def test_reg06_clocks_may_differ_by_the_slack(registered, found, seconds, codes):
    entry = registered.registry.entries[1]
    event = registered.logs[0].one("run_start")
    shift = entry.drawn_ms - int(1000 * (SLACK + seconds)) - event["time_ms"]
    for other in registered.logs[0].events:
        other["time_ms"] += shift
    registered.write(0)
    assert [code for *_, code in found(registered.root)] == codes


def test_a_rehearsal_is_told_once(registered, found):
    line = registered.changed("seed", metadata={"source": "rehearsal", "entry": None})
    assert found(registered.root) == [("result_2.txt", line, "SEED04")]


def test_a_set_given_by_itself_is_judged_by_the_registry_and_a_log_is_not(registered, found):
    registered.fresh(2)
    folder = registered.path(2).parent
    assert found(folder) == [(*told(registered, 2)[0], "REG03")]
    assert found(registered.path(2)) == []


def test_a_registry_that_is_handed_in_is_none(registered, found, law):
    """Only the one in the folder that names the edition counts, from the outside in."""
    shutil.copytree(registered.root.parent, registered.root.parent / "v1.0")
    shutil.rmtree(registered.root)
    (registered.root.parent / "registry.yaml").unlink()
    nested = registered.root.parent / "v1.0" / "acme"
    assert {code for *_, code in found(registered.root.parent)} == {"REG02"}
    assert [f.found for f in judge([nested.parents[1]], rules=law).findings] == ["entry 2, in 5 of 5 logs"]


def test_a_registry_within_a_submission_is_none(registered, found):
    (registered.root.parent / "registry.yaml").rename(registered.root / "registry.yaml")
    assert {code for *_, code in found(registered.root)} == {"TREE03", "REG02"}


def test_a_damaged_registry_is_told_once_a_round(registered, found):
    shutil.copytree(registered.root, registered.root.with_name("bolt"))
    registered.write_registry("- []\n")
    codes = [code for *_, code in found(registered.root.parent)]
    assert codes.count("REG01") == 1 and codes.count("REG02") == 2


def test_the_rules_of_other_rounds_know_no_registry(registered, found):
    registered.write_registry("- []\n")
    codes = {code for *_, code in found(registered.root, edition="mlperf-hpc-v3.0")}
    assert not {code for code in codes if code.startswith("REG")}


def test_logs_that_measure_throughput_alone_need_no_entry(study, submissions, tmp_path, found):
    registered = submissions.Registered(tmp_path / "other")
    study.logs[:5] = registered.logs
    for index in range(5):
        study.write(index)
    shutil.copyfile(registered.root.parent / "registry.yaml", study.root.parent / "registry.yaml")
    assert found(study.root) == []


@pytest.fixture
def reference(tmp_path):
    """The reference's submission, without the ledgers that hold its logs as they are, and the registry that its seeds
    are from: (folder, registry)."""
    home = ROOT.parent / "results" / "v1.0"
    folder = tmp_path / "v1.0" / "reference"
    shutil.copytree(home / "reference", folder, ignore=shutil.ignore_patterns("ledger.jsonl"))
    shutil.copyfile(home / "registry.yaml", folder.parent / "registry.yaml")
    for log in folder.glob("results/*/*/*/result_*.txt"):
        log.write_text("".join(line for line in log.read_text().splitlines(True) if '"key": "ledger"' not in line))
    return folder, read_registry(folder.parent / "registry.yaml", "v1.0")


def seed_with(log, entry):
    """Lets the log of a run say that it used the seed of an entry."""
    number = int(log.stem.partition("_")[2])
    lines = log.read_text().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if '"key": "seed"' in line)
    event = json.loads(lines[at].removeprefix(":::MLLOG "))
    event["value"] = entry.seed(number)
    event["metadata"] |= {"source": "registry", "entry": entry.entry}
    lines[at] = f":::MLLOG {json.dumps(event)}\n"
    log.write_text("".join(lines))


def test_the_reference_uses_the_seeds_of_its_entries(reference):
    folder, registry = reference
    assert len(registry.entries) == 3
    assert judge([folder]).findings == ()


def test_a_run_of_the_reference_with_the_seed_of_another_set(reference):
    folder, registry = reference
    log = folder / "results" / "epyc-2core" / "strong" / "scaffold" / "result_3.txt"
    seed_with(log, registry.entries[1])
    found = [(f.path, f.code) for f in judge([folder]).findings]
    assert found == [(str(log), "REG03"), (str(log), "REG04"), (str(log), "SEED05")]


def test_entries_of_the_reference_that_were_tried_before_are_told(reference):
    folder, registry = reference
    last = registry.entries[-1]
    more = Registry("v1.0")
    for entry in registry.entries:
        more.add(entry)
    tried = Request(last.organisation, last.system, last.benchmark, last.problem, last.source, "0" * 64)
    more.draw(tried, last.drawn, "f" * 64)
    (folder.parent / "registry.yaml").write_text(more.text)
    (one,) = judge([folder]).findings
    assert (one.path, one.code, one.severity) == (str(folder), "REG07", "review")
    assert one.found == (
        f"1 of 4 entries without a scored set: entry 4 ({last.system}, {last.benchmark}, {last.problem})"
    )


def test_a_weak_set_may_have_any_number_of_runs_and_uses_no_entry(weak, found):
    registry = Registry("v1.0")
    told = {name: weak.logs[0].one(key)["value"] for key, name in KEYS.items()}
    entry = registry.draw(Request(**told), "2026-03-31T22:40:00Z", "1" * 64)
    weak.put(weak.root.parent / "registry.yaml", registry.text)
    for index in range(6):
        weak.changed("seed", index, value=entry.seed(index), metadata={"source": "registry", "entry": 1})
    assert found(weak.root) == [("acme", 1, "REG07")]


def test_so_much_is_told_and_no_more():
    assert checks.MOST_LISTED == 20
    assert checks.MOST_TRIED == 100


def test_reg06_tells_how_early_a_run_began():
    entry = SimpleNamespace(entry=3, drawn_ms=200_000, drawn="then")
    place = SimpleNamespace(registry=SimpleNamespace(entry=lambda number: entry))
    seeds = SimpleNamespace(drawn_slack=60.0)
    terms = SimpleNamespace(edition=SimpleNamespace(limits=SimpleNamespace(seeds=seeds)))
    origin = SimpleNamespace(source="registry", entry=3)
    told = {}
    for start in (139_999, 140_000):
        mark = SimpleNamespace(line=9)
        run = SimpleNamespace(origin=origin, start_ms=start, start=mark, path="result_0.txt")
        told[start] = [
            (f.line, f.found.split()[1], f.wanted.split()[2])
            for f in checks.entries_are_drawn_before([run], place, terms)
        ]
    assert told == {139_999: [(9, "60.001", "60")], 140_000: []}


def test_reg03_tells_the_source_of_the_run_that_it_names():
    def run(source):
        origin = SimpleNamespace(source=source, entry=None, line=7)
        return SimpleNamespace(origin=origin, codes=(), benchmark="b", problem="p", path=source)

    registry = SimpleNamespace(fitting=lambda key: [SimpleNamespace(entry=n) for n in (2, 5)])
    org = SimpleNamespace(place=SimpleNamespace(org="o"))
    place = SimpleNamespace(registry=registry, system="s", scaling="strong", runs=org, described={})
    terms = SimpleNamespace(benchmark=SimpleNamespace(runs=5))
    (fault,) = checks.seeds_are_assigned([run("first"), run("second")], place, terms)
    assert (fault.path, fault.found.split(",")[0], fault.wanted) == (
        "first",
        "a seed from first",
        "those of entry 2, 5",
    )


KEY = ("acme", "box", "scaffold", "tiny")


def entry(number, key=KEY, **fields):
    """An entry that assigns the seed 100 n + i to run i."""
    told = {"title": ", ".join(key), "system": key[1], "benchmark": key[2], "problem": key[3], "organisation": key[0]}
    told |= {"source": "s", "config": "c"}
    return SimpleNamespace(**{"entry": number, "key": key, "seed": lambda i: 100 * number + i, **told, **fields})


def ran(number=0, named=1, seeds=None, codes=(), problem="tiny", source="registry", **values):
    """A run that names an entry and uses its seed; its origin is in line 7, its seed in line 8."""
    origin = SimpleNamespace(line=7, source=source, entry=named)
    seeds = [(8, 100 * (named or 0) + (number or 0))] if seeds is None else seeds
    known = {"source": "s", "config_digest": "c", **values}
    what = {"benchmark": "scaffold", "problem": problem, "path": f"result_{number}.txt", "set_path": "strong"}
    return SimpleNamespace(
        number=number, origin=origin, seeds=seeds, codes=codes, value=known.get, line=lambda key: 9, **what
    )


def handed_in(org, scaling="strong"):
    """A submission with a set of that scaling and the strong one, of which `ran` makes runs."""
    sets = [SimpleNamespace(name=name, scaling=name, trials=False) for name in {scaling, "strong"}]
    return SimpleNamespace(org=org, sets=sets)


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


@pytest.mark.parametrize(
    ("runs", "entries", "found"),
    [
        (
            [ran(named=None, source="os.urandom")],
            [],
            [("", 1, "logs that name no entry", "one of those in registry.yaml, which has 0")],
        ),
        ([ran(named=None, source="os.urandom")], [entry(1)], []),  # REG03 says so
        (
            [ran(named=None, source="os.urandom")],
            [entry(1, ("bolt", *KEY[1:]))],
            [("", 1, "logs that name no entry", "one of those in registry.yaml, which has 1")],
        ),
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
    entries = entry(1), entry(2, (*KEY[:3], "smoke"))
    assert seen(checks.seeds_are_assigned, runs, *entries) == [("result_0.txt", 7, found, "those of entry 1")]


def test_reg03_of_many_entries_of_ones_own_twenty_are_told():
    own = [ran(named=None, source="os.urandom")]
    ((*_, wanted),) = seen(checks.seeds_are_assigned, own, *(entry(n) for n in range(1, 23)))
    assert wanted == f"those of entry {', '.join(map(str, range(1, 21)))}"
    assert "SEED04" in CHECKS["REG03"].after  # which names a rehearsal
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
        (ran(0, seeds=[(8, 5), (9, 100)]), 5, "seed 5", "100, which entry 1 assigns to run 0"),
        (ran(2, seeds=[(8, 100)]), 5, "seed 100, that of run 0", "102, which entry 1 assigns to run 2"),
        (ran(2, seeds=[(8, 104)]), 5, "seed 104, that of run 4", "102, which entry 1 assigns to run 2"),
        (ran(2, seeds=[(8, 105)]), 5, "seed 105", "102, which entry 1 assigns to run 2"),
        (ran(2, seeds=[(8, 199)]), None, "seed 199, that of run 99", "102, which entry 1 assigns to run 2"),
        (ran(2, seeds=[(8, 200)]), None, "seed 200", "102, which entry 1 assigns to run 2"),
    ],
)
def test_reg03_a_seed_is_looked_for_among_those_of_the_entry(run, last, found, wanted):
    told = [(run.path, 8, found, wanted)] if found else []
    assert seen(checks.seeds_are_assigned, [run], entry(1), last=last) == told
    weak = told if last is None else seen(checks.seeds_are_assigned, [run], entry(1), last=None)
    assert seen(checks.seeds_are_assigned, [run], entry(1), last=last, scaling="weak") == weak


def test_reg04_the_usual_entry_is_wanted():
    runs = [ran(0, named=2), ran(1), ran(2), ran(3, named=None, source="os.urandom"), ran(4, named=None)]
    wanted = "entry 1, as in the set's other runs"
    assert seen(checks.set_uses_one_entry, runs) == [
        ("result_0.txt", 7, "entry 2", wanted),
        ("result_4.txt", 7, "entry None", wanted),
    ]
    assert seen(checks.set_uses_one_entry, runs[3:4]) == []


def test_reg05_the_first_run_that_was_registered_otherwise_is_named():
    runs = [ran(0), ran(1, source="registry", config_digest="d"), ran(2, config_digest="e"), ran(3, named=None)]
    assert seen(checks.runs_are_as_registered, runs, entry(1)) == [
        ("result_1.txt", 9, "config_digest d, in 2 of 4 logs", "c, as in entry 1")
    ]
    assert seen(checks.runs_are_as_registered, runs, registry=False) == []


@pytest.mark.parametrize(("idle", "ends"), [(20, "21 (box, scaffold, tiny)"), (21, "21 (box, scaffold, tiny); ...")])
def test_reg07_twenty_entries_without_a_set_are_told(idle, ends):
    """One more is used."""
    kept = RoundRegistry("registry.yaml", tuple(entry(n) for n in range(1, idle + 2)))
    files = SimpleNamespace(registry=kept, runs=[ran()], submission=handed_in("ACME"))
    (fault,) = checks.entries_are_used(files)
    assert fault.found.startswith(f"{idle} of {idle + 1} entries without a scored set: entry 2 (box")
    assert fault.found.endswith(ends)


@pytest.mark.parametrize("scaling", ["weak", "throughput"])
def test_reg07_neither_weak_sets_nor_throughput_nor_own_seeds_use_an_entry(scaling):
    kept = RoundRegistry("registry.yaml", (entry(1),))
    measured, own = ran(), ran(source="os.urandom")
    measured.set_path = scaling
    files = SimpleNamespace(registry=kept, runs=[measured, own], submission=handed_in("acme", scaling))
    assert [fault.line for fault in checks.entries_are_used(files)] == [1]
    files.runs.append(ran())
    assert list(checks.entries_are_used(files)) == []
    files.registry, files.runs = None, []
    assert list(checks.entries_are_used(files)) == []
