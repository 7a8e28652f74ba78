from dataclasses import dataclass

import pytest

from benchmark.config import setting
from benchmark.launch import Launch
from benchmark.problem import load_problem
from benchmark.run.describe import Implementation, description
from benchmark.run.log import settings_digest
from benchmark.source import combine

FILES = {"a.py": "1" * 64, "a.yaml": "2" * 64}
ALONE = Launch(0, 1, 0, 1, "none")


@dataclass(frozen=True)
class Settings:
    batch_size: int = setting(4)
    device: str = setting("cuda", machine=True)
    layout: tuple[int, ...] | None = setting(None, machine=True)


@dataclass(frozen=True)
class Plain:
    device: str = setting("cpu")


def test_a_description_is_what_the_contract_lists():
    ours = Implementation("acme", ("--head",), "JAX 1.0", {"jax": "1.0"}, (2, "A100", 40))
    problem = load_problem("smoke")
    settings = {"batch_size": 4, "device": "cuda", "layout": None}
    assert description(ours, problem, Settings(), ALONE, (FILES, "a.yaml")) == {
        "contract": 1,
        "implementation": "acme",
        "benchmark": "scaffold",
        "problem": "smoke",
        "problem_digest": problem.digest(),
        "settings": settings,
        "machine_settings": ["device", "layout"],
        "config_digest": settings_digest(settings),
        "config_file": "a.yaml",
        "source": combine(FILES.items()),
        "files": FILES,
        "ranks": 1,
        "nodes": 1,
        "layout": [1, 1, 1, 1],
        "device": "cuda",
        "accelerators": {"count": 2, "name": "A100", "memory_gib": 40},
        "framework": "JAX 1.0",
        "software": {"jax": "1.0"},
        "options": ["--head"],
    }


@pytest.mark.parametrize(("ranks", "by_node", "nodes"), [(8, 4, 2), (8, 8, 1), (9, 4, 3)])
@pytest.mark.parametrize(("config", "layout"), [(Settings(layout=(2, 1, 2, 2)), [2, 1, 2, 2]), (Plain(), None)])
def test_ranks_are_all_by_data_unless_a_layout_says_otherwise(ranks, by_node, nodes, config, layout):
    launch = Launch(0, ranks, 0, by_node, "slurm")
    found = description(Implementation("a", (), "x"), load_problem("smoke"), config, launch, (FILES, "a.yaml"))
    assert (found["ranks"], found["nodes"], found["layout"]) == (ranks, nodes, layout or [ranks, 1, 1, 1])
    assert (found["accelerators"], found["software"]) == ({"count": 0, "name": "", "memory_gib": 0}, {})
