import json

import pytest

from compliance import crate as command
from compliance.crate import CRATE, PROFILE, crate
from compliance.engine import judge


@pytest.fixture
def described(tree, law):
    """The graph of the submission as it is, by identifier."""

    def graph():
        (verdict,) = judge([tree.root], rules=law).submissions
        found = crate(verdict, rules=law)
        assert found["@context"] == f"{CRATE}/context"
        entities = {e["@id"]: e for e in found["@graph"]}
        assert len(entities) == len(found["@graph"])
        json.dumps(found, allow_nan=False).encode()
        return entities

    return graph


def references(value):
    if isinstance(value, dict):
        return [value["@id"]] if value.keys() == {"@id"} else [r for v in value.values() for r in references(v)]
    return [r for v in value for r in references(v)] if isinstance(value, list) else []


def ids(value):
    return {r["@id"] for r in (value if isinstance(value, list) else [value])}


def test_it_is_a_process_run_crate(described):
    found = described()
    descriptor, root = found["ro-crate-metadata.json"], found["./"]
    assert descriptor["conformsTo"] == {"@id": CRATE} and descriptor["about"] == {"@id": "./"}
    assert root["conformsTo"] == {"@id": PROFILE} and found[PROFILE]["version"] == "0.5"
    assert root["name"] == "acme: submission to the ScaFFold benchmark"
    assert root["description"] == "5 logs in 1 set, judged by the rules v1.0: in order"
    assert {"license", "author", "publisher", "datePublished"} <= root.keys()


def test_what_is_referred_to_is_there(described):
    found = described()
    assert {r for e in found.values() for r in references(e)} <= {*found, CRATE}


def test_every_file_that_is_named_exists_and_sets_hold_theirs(tree, described):
    found = described()
    files = {e for e, entity in found.items() if entity["@type"] == "File"}
    assert files >= {"systems/box.json", *(f"results/box/strong/scaffold/result_{i}.txt" for i in range(5))}
    for name in files:
        assert str((tree.root / name).stat().st_size) == found[name]["contentSize"]
    source = f"source/{tree.source.name}/"
    assert ids(found["./"]["hasPart"]) == {"systems/box.json", source, "results/box/strong/scaffold/"}
    assert found[source]["@type"] == ["Dataset", "SoftwareSourceCode"]
    assert ids(found["results/box/strong/scaffold/"]["hasPart"]) == {f for f in files if f.startswith("results/")}


def test_the_same_runs_give_the_same_bytes(described):
    assert json.dumps(described()) == json.dumps(described())


def test_a_submission_that_is_not_in_order_says_so(tree, described):
    tree.changed("seed", value=-1)
    assert ": not in order: " in described()["./"]["description"]


def test_a_metadata_file_that_is_there_is_not_described_by_itself(tree, described):
    tree.put(tree.root / "ro-crate-metadata.json", "{}")
    tree.put(tree.root / "README.md", "what we did")
    found = described()
    assert "about" in found["ro-crate-metadata.json"] and "README.md" in ids(found["./"]["hasPart"])
    assert "ro-crate-metadata.json" not in ids(found["./"]["hasPart"])


def test_without_a_time_there_is_no_date(tree, law):
    for index in range(5):
        for key in ("init_start", "run_start", "run_stop"):
            for event in tree.logs[index].all(key):
                event["time_ms"] = 10**15
        tree.write(index)
    (verdict,) = judge([tree.root], rules=law).submissions
    with pytest.raises(ValueError, match="found no run that logs a time"):
        crate(verdict, rules=law)


def test_the_command_prints_it(capsys, tree):
    before = sorted(tree.root.rglob("*"))
    assert command.main([str(tree.root)]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["@graph"][1]["@id"] == "./" and not err
    assert sorted(tree.root.rglob("*")) == before  # nothing is written


@pytest.mark.parametrize("what", ["nowhere", "set", "round"])
def test_anything_but_one_submission_is_exit_2(capsys, tree, tmp_path, what):
    if what == "round":
        tree.put(tmp_path / "v1.0" / "other" / "systems" / "a.json", "{}")
        tree.put(tmp_path / "v1.0" / "other" / "results" / "a" / "strong" / "scaffold" / "result_0.txt", "")
    paths = {"nowhere": tmp_path / "nowhere", "set": tree.path(0).parent, "round": tmp_path / "v1.0"}
    assert command.main([str(paths[what])]) == 2
    out, err = capsys.readouterr()
    assert not out and err.startswith("crate.py: ") and len(err.splitlines()) == 1
