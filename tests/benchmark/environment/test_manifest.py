import hashlib
import json

import pytest

from benchmark.environment import manifest
from benchmark.environment.manifest import Node, digest_of, grouped, write
from compliance.reading.devices import expanded


def facts(**values):
    return {name: {"value": value, "origin": "a test"} for name, value in values.items()}


def node(host, told=True, **values):
    found = facts(**values)
    return Node(host, digest_of(found), found if told else None)


def test_equal_nodes_are_told_once_and_others_by_what_differs():
    nodes = [node("n1", a=1, b=2), node("n2", a=1, b=3), node("n3", told=False, a=1, b=2)]
    assert grouped(nodes) == [{"hosts": ["n1", "n3"], "facts": facts(a=1, b=2)}, {"hosts": ["n2"], "facts": facts(b=3)}]
    assert grouped([node("n1", told=False, a=1), node("n2", a=1)]) == [{"hosts": ["n1", "n2"], "facts": facts(a=1)}]
    (_, other) = grouped([node("n1", a=1), node("n2", told=False, a=2)])  # not taken for equal
    assert other["hosts"] == ["n2"] and other["facts"]["node"]["value"] is None


@pytest.mark.slow
def test_65536_nodes_take_no_more_than_1025():
    """Those of each kind by their numbers, and as the checker reads them."""
    hosts = [f"nid{n:06}" for n in range(65_536)]
    nodes = [node(host, a=n % 2) for n, host in enumerate(hosts[:1024])] + [node(host, a=1) for host in hosts[1024:]]
    assert [len(kind["hosts"]) for kind in grouped(nodes[:1024])] == [512, 512]  # each by itself
    even, odd = grouped(nodes)
    assert len(even["hosts"]) == 512 and odd["hosts"][-2:] == ["nid001021", "nid[001023-065535]"]
    assert expanded(odd["hosts"]) == [*hosts[1:1024:2], *hosts[1024:]]
    assert grouped([node(host, a=1) for host in hosts]) == [{"hosts": ["nid[000000-065535]"], "facts": facts(a=1)}]


def test_a_manifest_is_written_whole_if_it_is_not_too_large(tmp_path, monkeypatch):
    path = tmp_path / "environment_3.json"
    written = write(path, facts(command=["x"]), [node("n1", a=1)])
    data = path.read_bytes()
    assert written == (hashlib.sha256(data).hexdigest(), len(data), "environment_3.json")
    assert json.loads(data)["schema"] == manifest.SCHEMA
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    written = write(tmp_path / "a.json", facts(), [node("n1", a=1)])
    monkeypatch.setattr(manifest, "LARGEST", written.size)
    write(tmp_path / "b.json", facts(), [node("n1", a=1)])
    monkeypatch.setattr(manifest, "LARGEST", written.size - 1)
    with pytest.raises(OSError, match=f"found an environment of {written.size} bytes"):
        write(tmp_path / "c.json", facts(), [node("n1", a=1)])
    assert not (tmp_path / "c.json").exists()
    monkeypatch.undo()
    with pytest.raises(OSError, match="File exists"):
        write(tmp_path / "a.json" / "d.json", facts(), [node("n1", a=1)])
