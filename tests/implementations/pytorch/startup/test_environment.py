"""The manifest that a run writes: whole, named by its log, of every node."""

import contextlib
import hashlib
import json
import platform
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from benchmark.environment.manifest import NODE, RUN
from benchmark.log import Event
from compliance.reading.environment import parse
from implementations.pytorch.startup import environment
from implementations.pytorch.startup.environment import gather, torch_facts


def named(event: Event, log: Path) -> dict[str, Any]:
    """The manifest that an event names, if it is the file that is there."""
    data = log.with_name(event.metadata["path"]).read_bytes()
    assert (hashlib.sha256(data).hexdigest(), len(data)) == (event.value, event.metadata["bytes"])
    parse(data)
    return json.loads(data)


def test_a_run_writes_its_environment_before_its_clock_starts(tiny, events, tmp_path):
    log = tmp_path / "result_7.txt"
    assert tiny.train(log, "eval_batch_size=2").returncode == 0
    found = events(log)
    keys = [e.key for e in found]
    assert keys.index("environment") < keys.index("run_start")
    content = named(next(e for e in found if e.key == "environment"), log)
    run, (node,) = content["run"], content["nodes"]
    assert set(run) == set(RUN) and set(node["facts"]) == set(NODE) and node["hosts"] == [platform.node()]
    assert run["command"]["value"][-1] == "eval_batch_size=2" and run["config"]["value"] == tiny.config.read_text()
    assert run["launcher"]["value"] == {"launcher": "none", "ranks": 1, "ranks_per_node": 1, "backend": None}
    assert node["facts"]["torch"]["value"]["version"] == torch.__version__
    assert str(tmp_path) not in json.dumps(content)


def test_a_run_whose_manifest_cannot_be_written_ends_with_one_line(tiny, tmp_path):
    (tmp_path / "environment_0.json").mkdir()
    done = tiny.train(tmp_path / "result_0.txt")
    assert done.returncode == 1 and "run_start" not in (tmp_path / "result_0.txt").read_text()
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"train.py: rank 0: {tmp_path}/") and line.endswith("Is a directory"), line


@dataclass
class Ranks:
    """Stands for the layout of several ranks: each `gather` takes what all of them say from `told`."""

    host: str
    told: list[list[Any]]
    said: list[Any] = field(default_factory=list)

    def gather(self, value: Any) -> list[Any]:
        self.said.append(value)
        return self.told[len(self.said) - 1]


def all_gather(hosts: list[str], told: list[dict], monkeypatch) -> list:
    """What rank 0 gathers of ranks on these hosts; those that tell nothing are not the first of their node."""
    first = []
    for host, one in zip(hosts, told, strict=True):  # what each rank says first does not depend on the others
        ranks = Ranks(host, [[]])
        monkeypatch.setattr(environment.platform, "node", lambda host=host: host)
        with contextlib.suppress(IndexError):
            gather(ranks, one)
        first.append(ranks.said[0])
    second = []
    for host, one in zip(hosts, told, strict=True):
        ranks = Ranks(host, [first, [None] * len(hosts)])
        monkeypatch.setattr(environment.platform, "node", lambda host=host: host)
        gather(ranks, one)
        second.append(ranks.said[1])
    monkeypatch.setattr(environment.platform, "node", lambda: hosts[0])
    return gather(Ranks(hosts[0], [first, second]), told[0])


def test_every_node_has_its_part_and_each_kind_is_sent_once(monkeypatch):
    a, b = ({"kernel": {"value": version, "origin": "os.uname"}} for version in ("6.8", "6.9"))
    nodes = all_gather(["n1", "n1", "n2", "n3", "n4"], [a, {}, b, a, b], monkeypatch)
    assert [(node.host, node.facts) for node in nodes] == [("n1", a), ("n2", b), ("n3", a), ("n4", b)]


def test_few_kinds_are_told_in_full(monkeypatch):
    monkeypatch.setattr(environment, "KINDS", 2)
    kinds = [{"kernel": {"value": str(i), "origin": "os.uname"}} for i in range(3)]
    nodes = all_gather(["n1", "n2", "n3"], kinds, monkeypatch)
    assert [node.facts for node in nodes] == [*kinds[:2], None]


def test_how_pytorch_is_set():
    found = torch_facts(torch.device("cpu"))
    assert found["torch"].value["settings"].startswith("PyTorch built with")
    assert found["backends"].value["matmul_precision"] in ("highest", "high", "medium")
