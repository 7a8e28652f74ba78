"""The system description of a submission, filled in as far as a program can see the machine."""

import os
import platform
import shutil
from importlib.metadata import version
from pathlib import Path

import torch

from .network import networking

UNKNOWN = ""  # MLPerf HPC leaves what does not apply empty


def describe_system(name: str, org: str, division: str, status: str, data: Path, nodes: int = 1) -> dict:
    """The fields of MLPerf HPC's systems/<name>.json, values as text; `data` is on the storage that is read,
    and so many `nodes` compute."""
    cuda = torch.cuda.is_available()
    cpu = processors()
    return {
        "submitter": org,
        "division": division,
        "status": status,
        "system_name": name,
        "number_of_nodes": str(nodes),
        "host_processors_per_node": str(cpu["sockets"]),
        "host_processor_model_name": cpu["model"],
        "host_processor_core_count": str(cpu["cores"]),
        "host_processor_vcpu_count": str(os.cpu_count()),
        "host_processor_frequency": cpu["frequency"],
        "host_processor_caches": cpu["cache"],
        "host_processor_interconnect": UNKNOWN,
        "host_memory_capacity": memory(),
        "host_memory_configuration": UNKNOWN,
        "host_storage_type": file_system(data),
        "host_storage_capacity": f"{shutil.disk_usage(existing(data)).total / 2**30:.0f} GiB",
        "host_networking": networking(nodes)[0],
        "host_networking_topology": networking(nodes)[1],
        "accelerators_per_node": str(torch.cuda.device_count() if cuda else 0),
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
    """Versions of what the run rests on beside the framework."""
    stack = {"python": platform.python_version(), "kernel": platform.release()}
    stack |= {name: version(name) for name in ("numpy", "h5py", "mlperf-logging")}
    if torch.version.cuda:
        stack |= {"cuda": torch.version.cuda, "cudnn": str(torch.backends.cudnn.version())}
    return stack


def processors() -> dict:
    """Model, sockets, cores a socket, frequency and cache: from /proc/cpuinfo where there is one."""
    found = {"model": platform.processor() or platform.machine(), "sockets": 1, "cores": os.cpu_count()}
    found |= {"frequency": UNKNOWN, "cache": UNKNOWN}
    fields = key_values(Path("/proc/cpuinfo"))
    if fields:
        found["model"] = last(fields, "model name", found["model"])
        found["sockets"] = len(set(fields.get("physical id", ["0"])))
        found["cores"] = int(last(fields, "cpu cores", str(found["cores"])))
        found["frequency"] = f"{last(fields, 'cpu MHz', '?')} MHz"
        found["cache"] = last(fields, "cache size", UNKNOWN)
    return found


def memory() -> str:
    """Main memory."""
    total = last(key_values(Path("/proc/meminfo")), "MemTotal", "")
    return gib(int(total.split()[0]) * 1024) if total else UNKNOWN


def operating_system() -> str:
    """The distribution's name, or the kernel's."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform()


def file_system(folder: Path) -> str:
    """The type of the file system that holds a folder: of the mounts above it, the longest."""
    folder = existing(folder)
    best = ("", UNKNOWN)
    try:
        for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
            _, mount, kind, *_ = line.split()
            if folder.is_relative_to(mount) and len(mount) >= len(best[0]):
                best = (mount, kind)
    except OSError:
        pass
    return best[1]


def existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    folder = folder.resolve()
    return folder if folder.exists() else existing(folder.parent)


def key_values(path: Path) -> dict[str, list[str]]:
    """Lines `key: value` of a file of /proc, values by key; empty where there is none."""
    fields: dict[str, list[str]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            fields.setdefault(key.strip(), []).append(value.strip())
    return fields


def last(fields: dict[str, list[str]], key: str, default: str) -> str:
    """The last value of a key."""
    return fields.get(key, [default])[-1]


def gib(size: int) -> str:
    """Bytes as GiB."""
    return f"{size / 2**30:.0f} GiB"
