"""What a description says by itself, and what it leaves to people."""

import json

import pytest

from harness import system
from harness.system import fields_of, filled_in, write_system
from tests.support.described import described

INFINIBAND = [{"kind": "InfiniBand", "rate": "400 Gb/sec (4X NDR)", "board": "MT_0838", "count": 8}]
ETHERNET = [
    {"kind": "Ethernet", "rate": "25 Gb/sec", "board": "mlx5_core", "count": 2},
    {"kind": "Ethernet", "rate": None, "board": "virtio_net", "count": 1},
]
FIELDS = {"cooling": "", "hw_notes": "", "host_memory_capacity": "24 GiB"}


@pytest.mark.parametrize(
    ("found", "nodes", "wanted"),
    [
        (INFINIBAND, 16, "8 x 400 Gb/s InfiniBand NDR"),
        (ETHERNET + INFINIBAND, 1, "8 x 400 Gb/s InfiniBand NDR; 2 x 25 Gb/s Ethernet"),
        (ETHERNET[1:], 2, system.SAY_ADAPTERS),
        (ETHERNET[1:], 1, system.ONE_NODE),
    ],
)
def test_network_adapters(fake, monkeypatch, found, nodes, wanted):
    monkeypatch.setattr(system, "adapters", lambda root: found)
    fields = fields_of(fake.setup(), described(nodes=nodes, ranks=nodes))
    assert (fields["host_networking"], fields["number_of_nodes"]) == (wanted, str(nodes))
    assert fields["host_networking_topology"] == (system.ONE_NODE if nodes == 1 else system.SAY_TOPOLOGY)


def test_values_are_text(fake):
    board = {"count": 8, "name": "H100", "memory_gib": 79.6}
    fields = fields_of(fake.setup(), described(ranks=4, nodes=2, accelerators=board), 2)
    assert all(type(v) is str for k, v in fields.items() if k != "other_software_stack")
    names = ("accelerators_per_node", "accelerator_model_name", "accelerator_memory_capacity", "framework")
    assert [fields[name] for name in names] == ["4", "H100", "80 GiB", "x 1"]
    assert fields["other_software_stack"]["fake"] == "1" and fields["other_software_stack"]["python"]
    assert fields["host_memory_capacity"].endswith(" GiB") and fields["host_storage_type"]
    fields = fields_of(fake.setup(), described(device="cpu"))
    assert (fields["accelerators_per_node"], fields["accelerator_model_name"]) == ("0", "")


def test_a_description_is_never_overwritten(fake):
    assert write_system(fake.setup(), None)
    (path,) = (fake.submission / "systems").iterdir()
    path.write_text("{}")
    assert not write_system(fake.setup(), None) and path.read_text() == "{}"


def put(folder, name, told):
    (folder / name).write_text(told if isinstance(told, str) else json.dumps(told))


def test_what_is_filled_in_is_taken_from_the_systems_own_file_first(tmp_path):
    put(tmp_path, "template.json", {"cooling": "air", "host_memory_capacity": "", "hw_notes": None})
    put(tmp_path, "box.json", {"cooling": "liquid"})
    assert filled_in(tmp_path, "box", FIELDS) == {**FIELDS, "cooling": "liquid"}
    assert filled_in(tmp_path, "other", FIELDS) == {**FIELDS, "cooling": "air"}  # what is empty is left


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("{", r"template\.json: found no JSON"),
        ([], r"template\.json: found a list, wanted an object"),
        ({"coling": "air"}, r"template\.json: found the field 'coling', did you mean 'cooling'\?"),
        ({"zzz": ""}, r"found the field 'zzz', wanted one of those that submit\.py writes"),
    ],
)
def test_what_is_no_description_is_refused(tmp_path, told, words):
    put(tmp_path, "template.json", told)
    with pytest.raises(ValueError, match=words):
        filled_in(tmp_path, "box", FIELDS)
