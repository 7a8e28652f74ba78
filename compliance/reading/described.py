"""Compare a system description with the environment manifest of a run."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from compliance.finding import show
from compliance.reading.environment import Environment
from compliance.reading.values import count_of, is_number
from rules.names import folded

COUNTS = {
    "host_processors_per_node": "sockets",
    "host_processor_core_count": "cores",
    "host_processor_vcpu_count": "threads",
}
UNITS = {"MB": 1e6, "GB": 1e9, "TB": 1e12, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
CAPACITY = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*([MGT]i?B)\b", re.IGNORECASE)


def contradictions(environment: Environment, description: Mapping[str, Any], apart: float) -> Iterator[tuple[str, str]]:
    """Yield (found in the manifest, said in the description) wherever they disagree.

    Capacities may differ by `apart`, a share of the described one. A field is skipped if either side lacks it or has
    no such number or name.
    """
    node = environment.node
    processors = node["processors"] or {}
    for field, name in COUNTS.items():
        said, found = count_of(description.get(field)), processors.get(name)
        if said is not None and is_number(found) and found != said:
            yield f"{name} {show(found)}", f"{field} {said}"
    for what, found, field in names_of(environment):
        said = description.get(field)
        if found and type(said) is str and said.strip() and not _of_one_name(found, said):
            yield f"{what} {show(found)}", f"{field} {show(said)}"
    for what, found, field in capacities_of(environment):
        size = capacity(description.get(field))
        if found and size and abs(found - size) > apart * size:
            yield f"{what} of {found / 2**30:.4g} GiB", f"{field} {show(description[field])}"


def names_of(environment: Environment) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, name in the manifest, field of the description) of processor, framework and operating system."""
    node = environment.node
    for what, found, field in (
        ("processor", (node["processors"] or {}).get("model"), "host_processor_model_name"),
        ("PyTorch", (node["torch"] or {}).get("version"), "framework"),
        ("operating system", node["operating_system"], "operating_system"),
    ):
        if type(found) is str:
            yield what, found.partition("+")[0] if what == "PyTorch" else found, field


def capacities_of(environment: Environment) -> Iterator[tuple[str, float | None, str]]:
    """Yield (kind, bytes in the manifest, field of the description) of main memory and accelerator memory."""
    gib = (environment.node["memory"] or {}).get("gib")
    yield "memory", gib * 2**30 if is_number(gib) else None, "host_memory_capacity"
    for accelerator in (environment.node["accelerators"] or [])[:1]:
        said = accelerator.get("memory.total") if type(accelerator) is dict else None
        yield "accelerator memory", capacity(said), "accelerator_memory_capacity"


def capacity(text: Any) -> float | None:
    """Return the bytes of a capacity such as "1536 GiB"; None for anything else."""
    match = CAPACITY.match(text) if type(text) is str else None
    return float(match[1]) * UNITS[match[2].upper()] if match else None


def _of_one_name(one: str, other: str) -> bool:
    """Return whether one name is part of the other, apart from case, spaces and punctuation."""
    a, b = folded(one), folded(other)
    return a in b or b in a
