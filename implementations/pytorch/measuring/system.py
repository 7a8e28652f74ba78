"""Write the system description of a submission, as far as a program can see the machine."""

import shutil
from importlib.metadata import version
from pathlib import Path

import torch

from benchmark.environment.board import adapters, memory
from benchmark.environment.facts import key_values
from benchmark.environment.processor import processors
from benchmark.environment.software import python
from benchmark.environment.system import existing, file_system, kernel, operating_system

UNKNOWN = ""  # MLPerf HPC leaves what does not apply empty
ONE_NODE = "none: one node"
SAY_ADAPTERS = "say which network adapters a node has, and their rate"
SAY_TOPOLOGY = "say how nodes are connected"


def describe_system(
    name: str, org: str, division: str, status: str, data: Path, nodes: int = 1, accelerators: int | None = None
) -> dict:
    """Return the fields of MLPerf HPC's systems/<name>.json, with values as text. `data` is the dataset's folder,
    `nodes` the number of nodes of a run, and `accelerators` how many of a node's accelerators compute, None for all of
    them."""
    cuda = torch.cuda.is_available()
    cpu = processors()
    found = torch.cuda.device_count() if cuda else 0
    return {
        "submitter": org,
        "division": division,
        "status": status,
        "system_name": name,
        "number_of_nodes": str(nodes),
        "host_processors_per_node": str(cpu["sockets"]),
        "host_processor_model_name": cpu["model"],
        "host_processor_core_count": str(cpu["cores"]),
        "host_processor_vcpu_count": str(cpu["threads"]),
        "host_processor_frequency": frequency(),
        "host_processor_caches": cpu["cache"] or UNKNOWN,
        "host_processor_interconnect": UNKNOWN,
        "host_memory_capacity": capacity(memory().get("gib")),
        "host_memory_configuration": UNKNOWN,
        "host_storage_type": storage(data),
        "host_storage_capacity": f"{shutil.disk_usage(existing(data)).total / 2**30:.0f} GiB",
        "host_networking": networking() or (ONE_NODE if nodes == 1 else SAY_ADAPTERS),
        "host_networking_topology": ONE_NODE if nodes == 1 else SAY_TOPOLOGY,
        "accelerators_per_node": str(found if accelerators is None else accelerators),
        "accelerator_model_name": torch.cuda.get_device_name(0) if cuda else UNKNOWN,
        "accelerator_memory_capacity": gib(torch.cuda.get_device_properties(0).total_memory) if cuda else UNKNOWN,
        "accelerator_host_interconnect": UNKNOWN,
        "accelerator_frequency": UNKNOWN,
        "accelerator_on-chip_memories": UNKNOWN,
        "accelerator_memory_configuration": UNKNOWN,
        "accelerator_interconnect": UNKNOWN,
        "accelerator_interconnect_topology": UNKNOWN,
        "cooling": UNKNOWN,
        "hw_notes": UNKNOWN,
        "framework": f"PyTorch {torch.__version__}",
        "other_software_stack": software(),
        "operating_system": operating_system(),
        "sw_notes": UNKNOWN,
    }


def software() -> dict[str, str]:
    """Return the versions of the software below the framework."""
    stack = {"python": python()["version"], "kernel": kernel()["release"]}
    stack |= {name: version(name) for name in ("numpy", "h5py", "mlperf-logging")}
    if torch.version.cuda:
        stack |= {"cuda": torch.version.cuda, "cudnn": str(torch.backends.cudnn.version())}
    return stack


def frequency(root: Path = Path("/")) -> str:
    """Return the present clock of the last processor, if /proc/cpuinfo states it."""
    said = key_values(root / "proc/cpuinfo").get("cpu MHz")
    return f"{said[-1]} MHz" if said else UNKNOWN


def networking(root: Path = Path("/")) -> str:
    """Return the network adapters with a known rate, fastest first, such as "8 x 400 Gb/s InfiniBand NDR"."""
    told = []
    for adapter in adapters(root):
        rate, unit, after = (adapter["rate"] or "").partition(" Gb/sec")
        if unit:
            generation = after.strip(" ()").rpartition(" ")[2]
            told.append((float(rate), f"{adapter['count']} x {rate} Gb/s {adapter['kind']} {generation}".rstrip()))
    return "; ".join(words for _, words in sorted(told, reverse=True))


def storage(data: Path) -> str:
    """Return the type of the file system that holds the data."""
    try:
        return file_system(data)["type"]
    except (OSError, ValueError):
        return UNKNOWN


def capacity(size: int | None) -> str:
    """Return GiB as text."""
    return UNKNOWN if size is None else f"{size} GiB"


def gib(size: int) -> str:
    """Return bytes as GiB."""
    return f"{size / 2**30:.0f} GiB"
