"""SYS: system descriptions that are missing, no JSON, incomplete or of nothing."""

import json
import shutil
from types import SimpleNamespace

import pytest

from compliance.checks import system as checks

damage = pytest.mark.damage


@damage
def description_missing(tree):
    (tree.root / "systems" / "box.json").unlink()
    return [("box.json", 1, "SYS01")]


@damage
def description_that_is_no_json(tree):
    (tree.root / "systems" / "box.json").write_text('{\n "submitter": "acme",\n oops\n}\n')
    return [("box.json", 3, "SYS02")]


@damage
def description_with_a_field_twice(tree):
    path = tree.root / "systems" / "box.json"
    path.write_text(path.read_text().replace('"number_of_nodes"', '"number_of_nodes": 1000, "number_of_nodes"', 1))
    line = path.read_text().partition('"number_of_nodes"')[0].count("\n") + 1
    return [("box.json", line, "SYS02")]


@damage
def description_that_is_a_list(tree):
    (tree.root / "systems" / "box.json").write_text("[1, 2]\n")
    return [("box.json", 1, "SYS02")]


@damage
def description_without_its_processor(tree, logs):
    tree.write_system({k: v for k, v in logs.SYSTEM.items() if k != "host_processor_model_name"})
    return [("box.json", 1, "SYS03")]


@damage
def description_with_a_number_of_words(tree):
    return [("box.json", tree.described(host_processors_per_node="two"), "SYS04")]


@damage
def description_with_another_status(tree):
    return [("box.json", tree.described(status="rumoured"), "SYS05")]


@damage
def description_without_results(tree):
    shutil.copyfile(tree.root / "systems" / "box.json", tree.root / "systems" / "crate.json")
    return [("crate.json", 1, "SYS06")]


def test_damage(entry, exactly):
    exactly(entry)


def test_description_of_each_broken_type(tree, logs, found):
    for name in logs.SYSTEM:
        tree.write_system({**logs.SYSTEM, name: None})
        codes = {code for *_, code in found(tree.root)}
        assert codes <= {"SYS04", "SYS05"}, name
        assert codes or name == "other_software_stack"
    tree.write_system(json.loads(json.dumps(logs.SYSTEM)))
    assert found(tree.root) == []


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("text", ["x"], ["", " ", None, 1]),
        ("any text", ["x", ""], [None, 1, ["x"]]),
        ("any", ["x", "", None, 1, {"a": []}], []),
        ("count", [0, 1, "0", "12"], [-1, 1.0, "two", "", None]),
        ("positive", [1, "12"], [0, "0", -1, "", None]),
        ("count or text", [0, "0", "two", ""], [-1, 1.0, None]),
    ],
)
def test_a_field_is_of_its_kind(kind, good, bad):
    names = [f"field_{i}" for i in range(len(good + bad))]
    box = SimpleNamespace(data=dict(zip(names, good + bad, strict=True)), parts=("box.json",), line_of=names.index)
    edition = SimpleNamespace(limits=SimpleNamespace(system_fields=dict.fromkeys(names, kind)))
    submission = SimpleNamespace(place=lambda *parts: "/".join(parts))
    files = SimpleNamespace(descriptions={"box": box}, edition=edition, submission=submission)
    faults = list(checks.descriptions_have_their_types(files))
    assert [fault.line for fault in faults] == list(range(len(good), len(good + bad)))
    assert {fault.wanted for fault in faults} <= {checks.FIELD_KINDS[kind][1]}
