"""REG: seeds that the registry did not assign, entries that are another's, and registries that are damaged."""

import json
import shutil

import pytest

from compliance.engine import judge
from compliance.register import KEYS
from rules.edition import load
from rules.registry import Registry, Request
from tests.compliance.catalogue import event_changed
from tests.compliance.families.damages import files_changed

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


def test_damage(entry, exactly):
    exactly(entry)


def findings(tree, law, code):
    return [f for f in judge([tree.root], rules=law).findings if f.code == code]


def test_registered_runs_are_in_order_where_an_entry_is_required(registered, found):
    registered.into("assigned")
    registered.registry = Registry("assigned")
    registered.assign(registered.register())
    assert found(registered.root) == []


def test_a_round_may_have_a_registry_that_is_not_used(tree, registered, found):
    registered.write_registry(lines(registered)[0])
    for index, log in enumerate(tree.logs):
        registered.logs[index] = log
    registered.fresh()
    assert found(registered.root) == []


@pytest.mark.parametrize(("seconds", "codes"), [(0, []), (1, ["REG06"])])
def test_reg06_clocks_may_differ_by_the_slack(registered, found, seconds, codes):
    entry = registered.registry.entries[1]
    event = registered.logs[0].one("run_start")
    shift = entry.drawn_ms - int(1000 * (SLACK + seconds)) - event["time_ms"]
    registered.logs[0].shift(shift)
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


def test_a_registry_within_a_submission_is_none(registered, found):
    (registered.root.parent / "registry.yaml").rename(registered.root / "registry.yaml")
    assert {code for *_, code in found(registered.root)} == {"TREE03", "REG02"}


def test_a_damaged_registry_is_told_once_a_round(registered, found):
    shutil.copytree(registered.root, registered.root.with_name("bolt"))
    registered.write_registry("- []\n")
    codes = [code for *_, code in found(registered.root.parent)]
    assert codes.count("REG01") == 1 and codes.count("REG02") == 2


def test_a_weak_set_may_have_any_number_of_runs_and_uses_no_entry(weak, found):
    registry = Registry("v1.0")
    told = {name: weak.logs[0].one(key)["value"] for key, name in KEYS.items()}
    entry = registry.draw(Request(**told), "2026-03-31T22:40:00Z", "1" * 64)
    weak.put(weak.root.parent / "registry.yaml", registry.text)
    for index in range(6):
        weak.changed("seed", index, value=entry.seed(index), metadata={"source": "registry", "entry": 1})
    assert found(weak.root) == [("acme", 1, "REG07")]
