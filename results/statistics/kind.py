"""What a set shows of a system: capability, capacity, or both."""

CAPABILITY, CAPACITY, HYBRID = "capability", "capacity", "hybrid"


def kind_of(scaling: str, instance: float | None, parts: float | None = None) -> str:
    """`strong`: one model on all units, capability. `weak`, many models at once: capacity where each is on one unit,
    hybrid where each is split, over several units (`instance`) or over several ranks of one (`parts`). "" for other
    sets, and where neither is known."""
    if scaling == "strong":
        return CAPABILITY
    known = [number for number in (instance, parts) if number is not None]
    if scaling != "weak" or not known:
        return ""
    return HYBRID if max(known) > 1 else CAPACITY
