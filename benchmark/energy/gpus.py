"""Read GPUs' counters by their makers' libraries, NVIDIA's nvidia-ml-py and AMD's amdsmi. Both are optional.

On recent GPUs NVML's power is sampled only part of the time (Yang, Adamek and Armour, SC 2024, arXiv 2312.02741). Its
counter of total energy, from Volta on, covers all of the time.
"""

from collections.abc import Collection
from functools import partial

from benchmark.energy.counter import Counter

MILLI, MICRO = 1e-3, 1e-6


def nvidia(uuids: Collection[str]) -> list[Counter]:
    """Return a counter for each GPU. Raises ImportError, the library's errors, or ValueError for a missing GPU."""
    import pynvml

    pynvml.nvmlInit()
    handles = {}
    for index in range(pynvml.nvmlDeviceGetCount()):
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        handles[plain(pynvml.nvmlDeviceGetUUID(handle))] = handle
    wanted = dict.fromkeys(map(plain, uuids))  # each once: ranks may share a GPU
    missing = sorted(wanted.keys() - handles.keys())
    if missing:
        raise ValueError(f"found no GPU {', '.join(missing)}")

    def counter(uuid: str) -> Counter:
        handle = handles[uuid]
        read = partial(pynvml.nvmlDeviceGetTotalEnergyConsumption, handle)
        read()
        watts = pynvml.nvmlDeviceGetEnforcedPowerLimit(handle) * MILLI
        return Counter("nvml", "device", uuid, MILLI, read, limit_watts=watts)

    return [counter(uuid) for uuid in wanted]


def amd(uuids: Collection[str]) -> list[Counter]:
    """Return a counter for each GPU of the node. PyTorch's `uuids` are not the library's, so the counters cannot be
    matched. Raises ImportError, the library's errors, or ValueError unless the node has exactly as many GPUs."""
    import amdsmi

    amdsmi.amdsmi_init()
    handles = amdsmi.amdsmi_get_processor_handles()
    if len(handles) != len(set(uuids)):
        raise ValueError(f"found {len(handles)} GPUs, wanted the {len(set(uuids))} that compute")

    def counter(handle: object) -> Counter:
        def read() -> int:
            count: int = amdsmi.amdsmi_get_energy_count(handle)["energy_accumulator"]
            return count

        read()
        joules = amdsmi.amdsmi_get_energy_count(handle)["counter_resolution"] * MICRO
        return Counter("amdsmi", "device", plain(amdsmi.amdsmi_get_gpu_device_uuid(handle)), joules, read)

    return [counter(handle) for handle in handles]


def plain(uuid: str | bytes) -> str:
    """Return a GPU's uuid as PyTorch writes it."""
    uuid = uuid.decode() if isinstance(uuid, bytes) else uuid
    return uuid.removeprefix("GPU-")
