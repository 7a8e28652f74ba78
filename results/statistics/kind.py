"""What a set shows of a system: capability, capacity, or both."""

CAPABILITY, CAPACITY, HYBRID = "capability", "capacity", "hybrid"


def kind_of(scaling: str, instance: float | None, parts: float | None = None) -> str:
    """`strong`: one model on all units, capability. `weak`, many models at once: capacity where each is on one unit,
    hybrid where each is split over several: `instance` units, or, where these aren't known, `parts`, its ranks. "" for
    other sets, and where neither is known."""
    if scaling == "strong":
        return CAPABILITY
    split = instance if instance is not None else parts
    if scaling != "weak" or split is None:
        return ""
    return HYBRID if split > 1 else CAPACITY
