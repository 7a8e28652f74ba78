"""Manifests as strangers may write them: what is refused, and that nothing costs much."""

import json

import pytest

from benchmark.environment.facts import Fact
from benchmark.environment.manifest import NODE, RUN
from compliance.reading import environment as reading
from compliance.reading.digest import Named
from compliance.reading.values import Unsound
from tests.compliance.environments import manifest
from tests.compliance.logs import event


def changed(change) -> bytes:
    content = manifest()
    change(content)
    return json.dumps(content).encode()


def first(content, **facts):
    content["nodes"][0]["facts"].update(facts)


def without(content, number):
    for name in list(NODE)[:number]:
        content["nodes"][0]["facts"].pop(name)


def nested(content, levels):
    first(content, clocks={"value": json.loads('{"x": ' * levels + "1" + "}" * levels), "origin": "a test"})


FACT = Fact("x", "a test")._asdict()


def test_a_good_manifest(monkeypatch):
    found = reading.parse(json.dumps(manifest()).encode())
    assert set(found.run) == set(RUN) and set(found.node) == set(NODE)
    assert found.nodes[0].hosts == ("n1",) and found.node["driver"] is None and found.numa_gib == 24
    found = reading.parse(changed(lambda c: c["nodes"][0].update(hosts=["login", "n[08-11]"])))
    assert found.nodes[0].hosts == ("login", "n08", "n09", "n10", "n11")
    monkeypatch.setattr(reading, "NODE", NODE | {"umask": dict})
    found = reading.parse(json.dumps(manifest()).encode())
    assert found.node["umask"] is None and found.node.keys() == {*NODE, "umask"}


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "no JSON"),
        (changed(lambda c: c.update(schema=3)), "schema 3"),
        (changed(lambda c: c.update(schema=1)), "the fact 'loaded'"),
        (changed(lambda c: c["run"]["loaded"]["value"].update(kernels={"files": 1})), "loaded {'records'"),
        (changed(lambda c: c["run"]["loaded"]["value"]["spent"].update(cpu_seconds=1 << 53)), "loaded {'records'"),
        (changed(lambda c: c.update(schema=True)), "schema True"),
        (changed(lambda c: c.update(more=1)), "['more', 'nodes', 'run', 'schema']"),
        (changed(lambda c: c.update(nodes=[])), "nodes []"),
        (changed(lambda c: c["nodes"].extend([{"hosts": ["n"], "facts": {}}] * 17)), "nodes [{'hosts'"),
        *(
            (changed(lambda c, hosts=hosts: c["nodes"][0].update(hosts=hosts)), f"hosts {hosts}"[:40])
            for hosts in ([], [7], [""], ["n" * 256], ["n[1-999999999]"])
        ),
        (changed(lambda c: c["nodes"].extend([{"hosts": ["n[1-90000]"], "facts": {}}] * 2)), "hosts ['n[1-90000]']"),
        (changed(lambda c: first(c, weather=FACT)), "the fact 'weather'"),
        (changed(lambda c: first(c, node=FACT)), "the fact 'node'"),  # of others alone
        (changed(lambda c: first(c, kernel=FACT)), "kernel 'x'"),
        (changed(lambda c: first(c, driver={"value": "x", "origin": ""})), "driver of origin ''"),
        (changed(lambda c: first(c, driver={"value": "x", "origin": "o" * 501})), "driver of origin"),
        (changed(lambda c: first(c, driver={"value": None})), "driver {'value': None}"),
        (changed(lambda c: c["run"].pop("command")), "no command"),
        (changed(lambda c: c["nodes"][0]["facts"].pop("pci")), "no pci"),
        (json.dumps(dict.fromkeys("gfedcba")).encode(), "['a', 'b', 'c', 'd', 'e'] "),
        *((changed(lambda c, n=n: without(c, n)), f"no {', '.join(list(NODE)[:5])} ") for n in (5, 6)),
        (changed(lambda c: nested(c, 9)), "clocks nested too deeply"),
        (changed(lambda c: c["nodes"].append({"hosts": ["n"]})), "nodes [{'hosts'"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_is_refused(data, found):
    with pytest.raises(Unsound) as caught:
        reading.parse(data)
    assert f"{caught.value.found} ".startswith(found) and len(caught.value.found) < 300


def test_no_more_of_a_file_is_read_than_shows_that_it_is_too_large(tmp_path):
    (tmp_path / "environment_0.json").write_bytes(bytes(99))
    assert len(reading.content(tmp_path / "environment_0.json", 10)) == 11


def test_what_a_log_names(monkeypatch):
    digest = "a" * 64
    said = event(3, "environment", value=digest, bytes=7, path="environment_4.json")
    later = [event(9, "resumed", value={"environment": "b" * 64}), event(12, "resumed", value={"environment": 3})]
    assert reading.named(said, later, "set/result_4.txt") == (
        Named(3, digest, 7, "environment_4.json"),
        Named(9, "b" * 64, 0, "environment_4_1.json"),
    )
    assert reading.named(said, later, "set/result_5.txt") == () == reading.named(None, later, "set/result_4.txt")
    monkeypatch.setattr(reading, "MOST_RESUMED", 2)
    found = reading.named(said, [later[0]] * 3, "set/result_4.txt")
    assert [n.file for n in found] == ["environment_4.json", "environment_4_1.json", "environment_4_2.json"]


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["nodes"][0].update(hosts=["n" * 255]),
        lambda c: c["run"]["loaded"]["value"]["spent"].update(cpu_seconds=0),
        lambda c: first(c, driver={"value": "x", "origin": "o" * 500}),
        lambda c: first(c, driver={"value": "x", "origin": "o"}),
        lambda c: nested(c, 8),
        lambda c: c["nodes"].extend([{"hosts": ["n"], "facts": {}}] * 16),
        lambda c: c["nodes"].append({"hosts": ["n"], "facts": {"node": {"value": {}, "origin": "o"}}}),
    ],
)
def test_what_is_just_good(change):
    assert reading.parse(changed(change)).nodes
