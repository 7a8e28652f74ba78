"""Write the system description of a submission, as far as programs can see the machine."""

import difflib
import json
import shutil
from importlib.metadata import version
from pathlib import Path

from benchmark.atomic import replacing, sweep
from benchmark.environment.board import adapters, memory
from benchmark.environment.facts import key_values
from benchmark.environment.processor import processors
from benchmark.environment.software import python
from benchmark.environment.system import existing, file_system, kernel, operating_system
from benchmark.printable import reason
from benchmark.tree import system_path
from harness.implementation import Accelerators, Description
from harness.options import Setup

UNKNOWN = ""  # MLPerf HPC leaves what does not apply empty
ONE_NODE = "none: one node"
SAY_ADAPTERS = "say which network adapters a node has, and their rate"
SAY_TOPOLOGY = "say how nodes are connected"
TEMPLATE = "template.json"


def write_system(setup: Setup, described: Description | None, at_once: int = 1) -> bool:
    """Write the system description, unless there is one, which a person may have completed. `at_once` is the number of
    models that share the node. Return whether it was written. Raises ValueError for an invalid template."""
    path = system_path(setup.submission, setup.system)
    if path.exists():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep([path])
    fields = filled_in(setup.implementation.folder / "systems", setup.system, fields_of(setup, described, at_once))
    with replacing(path) as file:
        file.write_text(json.dumps(fields, indent=4) + "\n", encoding="utf-8")
    return True


def fields_of(setup: Setup, described: Description | None, at_once: int = 1) -> dict[str, object]:
    """Return the fields of MLPerf HPC's systems/<name>.json, with values as text. What an implementation that does not
    describe itself leaves open is empty."""
    cpu = processors()
    nodes = described.nodes if described else 1
    count = computing(described) * at_once
    board = described.accelerators if described and count else Accelerators()
    return {
        "submitter": setup.org,
        "division": setup.division,
        "status": setup.status,
        "system_name": setup.system,
        "number_of_nodes": str(nodes),
        "host_processors_per_node": str(cpu["sockets"]),
        "host_processor_model_name": cpu["model"],
        "host_processor_core_count": str(cpu["cores"]),
        "host_processor_vcpu_count": str(cpu["threads"]),
        "host_processor_frequency": frequency(),
        "host_processor_caches": cpu["cache"] or UNKNOWN,
        "host_processor_interconnect": UNKNOWN,
        "host_memory_capacity": gib(memory().get("gib")),
        "host_memory_configuration": UNKNOWN,
        "host_storage_type": storage(setup.data),
        "host_storage_capacity": f"{shutil.disk_usage(existing(setup.data)).total / 2**30:.0f} GiB",
        "host_networking": networking() or (ONE_NODE if nodes == 1 else SAY_ADAPTERS),
        "host_networking_topology": ONE_NODE if nodes == 1 else SAY_TOPOLOGY,
        "accelerators_per_node": str(count),
        "accelerator_model_name": board.name,
        "accelerator_memory_capacity": gib(board.memory_gib) if board.name else UNKNOWN,
        "accelerator_host_interconnect": UNKNOWN,
        "accelerator_frequency": UNKNOWN,
        "accelerator_on-chip_memories": UNKNOWN,
        "accelerator_memory_configuration": UNKNOWN,
        "accelerator_interconnect": UNKNOWN,
        "accelerator_interconnect_topology": UNKNOWN,
        "cooling": UNKNOWN,
        "hw_notes": UNKNOWN,
        "framework": described.framework if described else UNKNOWN,
        "other_software_stack": software(described),
        "operating_system": operating_system(),
        "sw_notes": UNKNOWN,
    }


def computing(described: Description | None) -> int:
    """Return how many of a node's accelerators compute in a run: one for each of its ranks, or none."""
    return described.ranks // described.nodes if described and described.device != "cpu" else 0


def software(described: Description | None) -> dict[str, str]:
    """Return the versions of the software below the framework."""
    stack = {"python": python()["version"], "kernel": kernel()["release"]}
    stack |= {name: version(name) for name in ("numpy", "h5py", "mlperf-logging")}
    return stack | (dict(described.software) if described else {})


def filled_in(folder: Path, system: str, fields: dict[str, object]) -> dict[str, object]:
    """Return the fields of a system description, with those that people filled in for that system, or for all systems,
    in a folder. Raises ValueError for a file that is no description, and for an unknown field."""
    files = (folder / f"{system}.json", folder / TEMPLATE)
    path = next((path for path in files if path.is_file()), None)
    if path is None:
        return fields
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: found no JSON ({reason(error):.80}), wanted fields of a description") from None
    if not isinstance(values, dict):
        raise ValueError(
            f"{path}: found a {type(values).__name__}, wanted an object with fields of a system description"
        )
    for name in values:
        if name not in fields:
            near = difflib.get_close_matches(name, fields, 1)
            wanted = f"did you mean {near[0]!r}?" if near else "wanted one of those that submit.py writes"
            raise ValueError(f"{path}: found the field {name!r:.80}, {wanted}")
    return {**fields, **{name: value for name, value in values.items() if value not in ("", None)}}


def frequency(root: Path = Path("/")) -> str:
    """Return the present clock of the last processor, if /proc/cpuinfo states it."""
    clocks = key_values(root / "proc/cpuinfo").get("cpu MHz")
    return f"{clocks[-1]} MHz" if clocks else UNKNOWN


def networking(root: Path = Path("/")) -> str:
    """Return the network adapters with a known rate, fastest first, such as "8 x 400 Gb/s InfiniBand NDR"."""
    rated = []
    for adapter in adapters(root):
        rate, unit, after = (adapter["rate"] or "").partition(" Gb/sec")
        if unit:
            generation = after.strip(" ()").rpartition(" ")[2]
            rated.append((float(rate), f"{adapter['count']} x {rate} Gb/s {adapter['kind']} {generation}".rstrip()))
    return "; ".join(words for _, words in sorted(rated, reverse=True))


def storage(data: Path) -> str:
    """Return the type of the file system that holds the data."""
    try:
        return str(file_system(data)["type"])
    except (OSError, ValueError):
        return UNKNOWN


def gib(size: float | None) -> str:
    """Return GiB as text."""
    return UNKNOWN if size is None else f"{size:.0f} GiB"
