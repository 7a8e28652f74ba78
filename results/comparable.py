"""Which results can be compared with each other, and why others cannot."""

from results.statistics.result import Result
from rules.edition import load

SAME = (  # fields of a problem that must be equal in two editions
    *("benchmark", "target", "train_samples", "eval_samples", "parameter_count", "problem_digest", "data_seed"),
    *("fingerprints", "class_counts"),
)
LOGGED = ("target", "train_samples", "eval_samples")  # columns that must be equal if an edition publishes no problem


def obstacle(a: Result, b: Result) -> str:
    """Why two results of one benchmark and scaling, which have a score, cannot be compared; "" if they can."""
    if a.group[2] != b.group[2]:
        return f"of different problems ({', '.join(r.group[2] or 'none named' for r in (a, b))})"
    return other_problem(a, b) or other_instances(a, b)


def other_problem(a: Result, b: Result) -> str:
    """How two results' problem of the same name differs between their editions, or why that is not known; "" if the
    problem is the same."""
    if a.judged.edition == b.judged.edition:
        return ""
    name = f"{a.group[2] or a.group[1]} of {a.judged.edition} and of {b.judged.edition}"
    one, other = (load(r.judged.edition).problems.get(r.group[2]) for r in (a, b))
    if one and other:
        found = [field for field in SAME if getattr(one, field) != getattr(other, field)]
        return f"{name} differ in {', '.join(found)}" if found else ""
    said = [[r.one(column) for column in LOGGED] for r in (a, b)]
    for column, x, y in zip(LOGGED, *said, strict=True):
        if x is None or y is None:
            return f"whether {name} are the same is not known: no {column} in the logs of one"
        if x != y:
            return f"{name} differ in {column} ({x:g}, {y:g})"
    return ""


def other_instances(a: Result, b: Result) -> str:
    """Why the throughputs of two results, if they have some, cannot be compared: instances must have the same size."""
    if a.throughput is None or b.throughput is None:
        return ""
    one, other = a.throughput.instance, b.throughput.instance
    if one is None or other is None:
        return "how large their instances are is not known"
    unit = f"{a.one('unit') or 'unit'}s"
    return f"instances of different size ({one:g} and {other:g} {unit})" if one != other else ""


def remarks(a: Result, b: Result) -> list[str]:
    """Sentences that qualify a comparison: different rules, or different divisions."""
    found = []
    if a.group[0] != b.group[0]:
        found.append(f"the problem is the same, the rules are not ({a.group[0]}, {b.group[0]})")
    if a.group[4] != b.group[4]:
        found.append(f"the divisions differ ({a.group[4]}, {b.group[4]})")
    return found
