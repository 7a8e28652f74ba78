"""Scaling studies: what the system of a point is called. Each number of ranks is a system of its own in the tree, so
that each has a set of runs; throughput-only logs of all points lie together, in the study's own system."""


def point_system(system: str, ranks: int) -> str:
    """The system of a study's point."""
    return f"{system}-{ranks}"


def study_of(system: str, ranks: int) -> str | None:
    """The system of the study that a system of so many ranks is a point of; None where its name isn't one's."""
    base = system.removesuffix(f"-{ranks}")
    return base if base and base != system else None
