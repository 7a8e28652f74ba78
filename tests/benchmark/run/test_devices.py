from benchmark.run.devices import Device, grouped


def gpus(count, ranks=4):
    return [Device(f"nid{n // ranks:06}", "cuda", "X", f"GPU-{n:032x}") for n in range(count)]


def test_up_to_1024_hosts_are_told_one_by_one_with_their_ranks():
    found = grouped([*gpus(2, ranks=2), Device("nid000000", "cpu", "P", "")])
    assert found == [
        {"host": "nid000000", "kind": "cuda", "name": "X", "ranks": 2, "uuids": [d.uuid for d in gpus(2)]},
        {"host": "nid000000", "kind": "cpu", "name": "P", "ranks": 1, "uuids": []},
    ]
    assert len(grouped(gpus(4096))) == 1024
    (found,) = grouped(gpus(4100))
    assert found == {"hosts": ["nid[000000-001024]"], "kind": "cuda", "name": "X", "ranks": 4, "distinct": 4100}
    devices = gpus(4099)  # the last host has fewer ranks
    devices[1] = devices[0]  # an accelerator of two ranks
    wanted = [(["nid[000000-001023]"], 4, 4095), (["nid001024"], 3, 3)]
    assert [(e["hosts"], e["ranks"], e["distinct"]) for e in grouped(devices)] == wanted
