import platform
from types import SimpleNamespace

import torch

from implementations.pytorch.training.devices import Device, device_of, grouped


def test_a_processor_has_its_model_and_no_identity():
    found = device_of(torch.device("cpu"))
    assert (found.host, found.kind, found.uuid) == (platform.node(), "cpu", "")
    assert found.name


def test_an_accelerator_has_its_own(monkeypatch):
    facts = SimpleNamespace(name="A100", uuid="0a-1b")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: facts)
    assert device_of(torch.device("cuda:1"))[1:] == ("cuda", "A100", "0a-1b")


def test_devices_are_told_by_host_and_model():
    ranks = [Device(host, "cuda", "A100", f"{host}{n}") for host in ("a", "b") for n in range(2)]
    assert grouped([*ranks, Device("b", "cpu", "EPYC", "")]) == [
        {"host": "a", "kind": "cuda", "name": "A100", "ranks": 2, "uuids": ["a0", "a1"]},
        {"host": "b", "kind": "cuda", "name": "A100", "ranks": 2, "uuids": ["b0", "b1"]},
        {"host": "b", "kind": "cpu", "name": "EPYC", "ranks": 1, "uuids": []},
    ]


def test_a_run_logs_the_devices_of_all_ranks(tiny, events, tmp_path):
    log = tmp_path / "result_0.txt"
    assert tiny.train(log, "--layout", "2,1,1,1", ranks=2).returncode == 0
    (found,) = (e.value for e in events(log) if e.key == "devices")
    assert [(group["kind"], group["ranks"], group["uuids"]) for group in found] == [("cpu", 2, [])]
