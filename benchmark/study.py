"""Name the systems of a scaling study. Each number of ranks is a system of its own in the tree, with a set of runs. The
throughput-only logs of all numbers of ranks lie together in the study's own system."""


def point_system(system: str, ranks: int) -> str:
    """Return the name of the system for one number of ranks."""
    return f"{system}-{ranks}"


def study_of(system: str, ranks: int) -> str | None:
    """Return the study's own system, given a system with this many ranks; None where the name is not a study's."""
    base = system.removesuffix(f"-{ranks}")
    return base if base and base != system else None
