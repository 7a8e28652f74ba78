"""Counters of GPUs, by their makers' libraries: NVIDIA's nvidia-ml-py, AMD's amdsmi. Both are optional.

NVML's power is sampled for a part of the time on recent GPUs (Yang, Adamek and Armour, SC 2024, arXiv 2312.02741); its
counter of total energy, from Volta on, counts all of it.
"""

from collections.abc import Callable, Collection

from benchmark.energy.counter import Counter

MILLI, MICRO = 1e-3, 1e-6


def nvidia(uuids: Collection[str]) -> list[Counter]:
    """A counter for each of the GPUs with these uuids. Raises ImportError, the library's errors, or ValueError where
    one is not there."""
    import pynvml

    pynvml.nvmlInit()
    handles = {}
    for index in range(pynvml.nvmlDeviceGetCount()):
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        handles[plain(pynvml.nvmlDeviceGetUUID(handle))] = handle
    missing = sorted(set(map(plain, uuids)) - handles.keys())
    if missing:
        raise ValueError(f"found no GPU {', '.join(missing)}")

    def counter(uuid: str) -> Counter:
        handle = handles[uuid]

        def read() -> int:
            return pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)

        read()
        watts = pynvml.nvmlDeviceGetEnforcedPowerLimit(handle) * MILLI
        return Counter("nvml", "device", uuid, MILLI, read, limit_watts=watts)

    return [counter(plain(uuid)) for uuid in uuids]


def amd(uuids: Collection[str]) -> list[Counter]:
    """A counter for each GPU of the node, whose uuids here are not those that PyTorch names. Raises ImportError, the
    library's errors, or ValueError where the node has more GPUs than there are `uuids`: which of them is not known."""
    import amdsmi

    amdsmi.amdsmi_init()
    handles = amdsmi.amdsmi_get_processor_handles()
    if len(handles) != len(uuids):
        raise ValueError(f"found {len(handles)} GPUs, wanted the {len(uuids)} that compute")

    def reader(handle: object) -> tuple[float, Callable[[], int]]:
        def read() -> dict:
            return amdsmi.amdsmi_get_energy_count(handle)

        return read()["counter_resolution"] * MICRO, lambda: read()["energy_accumulator"]

    def counter(handle: object) -> Counter:
        joules, read = reader(handle)
        read()
        return Counter("amdsmi", "device", plain(amdsmi.amdsmi_get_gpu_device_uuid(handle)), joules, read)

    return [counter(handle) for handle in handles]


def plain(uuid: str | bytes) -> str:
    """A GPU's uuid as PyTorch names it."""
    uuid = uuid.decode() if isinstance(uuid, bytes) else uuid
    return uuid.removeprefix("GPU-")
