"""Describe what would run, for `--describe`: the JSON that docs/implementing.md lists."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmark.config import machine_settings, shallow
from benchmark.launch import Launch
from benchmark.run.log import settings_digest
from benchmark.source import combine
from benchmark.workload import AnyProblem


@dataclass(frozen=True)
class Implementation:
    """What describes an implementation: its folder's name, the options of the contract that it takes, the name and
    version of its framework, the versions of what that is built on, and the accelerators found here: their number,
    their name, and the memory of one in GiB."""

    name: str
    options: Sequence[str]
    framework: str
    software: Mapping[str, str] = field(default_factory=dict)
    accelerators: tuple[int, str, int] = (0, "", 0)


def description(
    implementation: Implementation,
    problem: AnyProblem,
    config: Any,
    launch: Launch,
    source: tuple[Mapping[str, str], str],
) -> dict[str, Any]:
    """Return a run's resolved settings, digests, ranks and device. `source` is what `Recorder.files_with` returns."""
    files, config_file = source
    count, name, memory = implementation.accelerators
    settings = shallow(config)
    return {
        "contract": 1,
        "implementation": implementation.name,
        "benchmark": problem.workload,
        "problem": problem.name,
        "problem_digest": problem.digest(),
        "settings": settings,
        "machine_settings": machine_settings(type(config)),
        "config_digest": settings_digest(settings),
        "config_file": config_file,
        "source": combine(files.items()),
        "files": dict(files),
        "ranks": launch.world_size,
        "nodes": math.ceil(launch.world_size / launch.local_world_size),
        "layout": settings.get("layout") or [launch.world_size, 1, 1, 1],
        "device": config.device,
        "accelerators": {"count": count, "name": name, "memory_gib": memory},
        "framework": implementation.framework,
        "software": dict(implementation.software),
        "options": list(implementation.options),
    }
