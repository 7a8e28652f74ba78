"""What a set shows of a system: capability, capacity, or both."""

CAPABILITY, CAPACITY, HYBRID = "capability", "capacity", "hybrid"


def kind_of(scaling: str, instance: float | None, parts: float | None = None) -> str:
    """The kind of a set by its scaling.

    `strong` is capability: one model on all units. `weak` trains many models at once. It is capacity if each model is
    on one unit, and hybrid if each is split over several units (`instance`) or over several ranks of a unit (`parts`).
    "" for other sets, and if neither number is known.
    """
    if scaling == "strong":
        return CAPABILITY
    known = [number for number in (instance, parts) if number is not None]
    if scaling != "weak" or not known:
        return ""
    return HYBRID if max(known) > 1 else CAPACITY
