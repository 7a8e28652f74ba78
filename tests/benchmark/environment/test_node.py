import json
from pathlib import Path

from benchmark.environment.commands import Asked
from benchmark.environment.manifest import LARGEST, NODE
from benchmark.environment.node import COMMANDS, node_facts, plain


def test_every_fact_but_pytorchs_is_read_and_small():
    found = node_facts(Path("/"), Asked({**COMMANDS, "lscpu": ("sleep", "60")}, 0.8))
    assert set(found) == set(NODE) - {"torch", "backends"}
    assert all(value is None or type(value) is NODE[name] for name, (value, _) in found.items())
    assert found["lscpu"] == (None, "lscpu: no answer within 0.8 s")
    assert found["processors"].value["threads"] and found["packages"].value and found["kernel"].value
    assert len(json.dumps(plain(found))) < LARGEST / 10
