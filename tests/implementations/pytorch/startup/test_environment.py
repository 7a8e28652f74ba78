"""The manifest that a run writes: whole, named by its log, of every node."""

import hashlib
import json
import platform
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmark.environment.manifest import NODE, RUN, Node
from benchmark.log import Event
from compliance.engine import judge
from compliance.reading.environment import parse
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.startup import environment
from implementations.pytorch.startup.environment import gather, torch_facts
from tests.support.threaded import in_threads


def named(event: Event, log: Path) -> dict[str, Any]:
    """The manifest that an event names, if it is the file that is there."""
    data = log.with_name(event.metadata["path"]).read_bytes()
    assert (hashlib.sha256(data).hexdigest(), len(data)) == (event.value, event.metadata["bytes"])
    parse(data)
    return json.loads(data)


def test_a_run_writes_its_environment_before_its_clock_starts(tiny, tmp_path):
    log = tmp_path / "result_7.txt"
    found = tiny.ran(log, "eval_batch_size=2")
    keys = [e.key for e in found]
    assert keys.index("environment") < keys.index("run_start")
    content = named(next(e for e in found if e.key == "environment"), log)
    run, (node,) = content["run"], content["nodes"]
    assert set(run) == set(RUN) and set(node["facts"]) == set(NODE) and node["hosts"] == [platform.node()]
    assert run["command"]["value"][-1] == "eval_batch_size=2" and run["config"]["value"] == tiny.config.read_text()
    assert run["launcher"]["value"] == {"launcher": "none", "ranks": 1, "ranks_per_node": 1, "backend": None}
    assert node["facts"]["torch"]["value"]["version"] == torch.__version__
    assert str(tmp_path) not in json.dumps(content)


def gathered(hosts: list[str], told: list[dict], monkeypatch) -> list[list[Node]]:
    """What each of the ranks on these hosts gathers; those that tell nothing are not the first of their node."""
    me = threading.local()
    monkeypatch.setattr(environment.platform, "node", lambda: hosts[me.rank])

    def work(layout: Layout) -> list[Node]:
        me.rank = layout.rank
        return gather(layout, told[layout.rank])

    return in_threads(monkeypatch, Layout(len(hosts)), work)


def test_every_node_has_its_part_and_each_kind_is_sent_once(monkeypatch):
    """By the first rank that has it: nobody gathers the facts of all ranks."""
    sent, real = [], Layout.broadcast_object
    monkeypatch.setattr(
        Layout, "broadcast_object", lambda self, value, source: (sent.append(source), real(self, value, source))[1]
    )
    a, b = ({"kernel": {"value": version, "origin": "os.uname"}} for version in ("6.8", "6.9"))
    nodes = gathered(["n1", "n1", "n2", "n3", "n4"], [a, {}, b, a, b], monkeypatch)
    for found in nodes:
        assert [(node.host, node.facts) for node in found] == [("n1", a), ("n2", b), ("n3", a), ("n4", b)]
    assert sorted(sent) == [0] * 5 + [2] * 5


def test_few_kinds_are_told_in_full(monkeypatch):
    monkeypatch.setattr(environment, "KINDS", 2)
    kinds = [{"kernel": {"value": str(i), "origin": "os.uname"}} for i in range(3)]
    nodes = gathered(["n1", "n2", "n3"], kinds, monkeypatch)[0]
    assert [node.facts for node in nodes] == [*kinds[:2], None]


def test_how_pytorch_is_set():
    found = torch_facts(torch.device("cpu"))
    assert found["torch"].value["settings"].startswith("PyTorch built with")
    assert found["backends"].value["matmul_precision"] in ("highest", "high", "medium")


@pytest.mark.slow
def test_kernels_that_were_there_before_are_named(tiny, tmp_path):
    planted = tmp_path / "cache"
    planted.mkdir()
    (planted / "poisoned").touch()
    log = tmp_path / "runs" / "result_0.txt"
    for before in (1, 0):
        env = {"TORCHINDUCTOR_CACHE_DIR": str(planted)}
        assert tiny.train(log, "compile=true", fresh=True, env=env).returncode == 0
        loaded = json.loads(log.with_name("environment_0.json").read_text())["run"]["loaded"]["value"]
        kernels, spent = loaded["kernels"], loaded["spent"]
        assert spent["compile_seconds"] > 0 and 0 < spent["cpu_seconds"] < 120
        assert 1 << 20 < spent["read_bytes"] < 1 << 34
        assert kernels["before"] == before and kernels["files"] > before
        findings = judge([str(log.parent)]).findings
        said = [f.found.partition(" were")[0] for f in findings if f.code in ("ENV12", "ENV13")]
        assert said == (["kernels of which 1 files"] if before else [])
        shutil.rmtree(log.parent)
        planted = tmp_path / "fresh"
