"""Hold facts of one environment manifest against each other: no machine tells both."""

import re
from collections.abc import Iterator
from typing import Any

from compliance.finding import show
from compliance.reading.environment import Environment
from compliance.reading.values import is_number

VECTORS = ("AVX2", "AVX512")  # which PyTorch names alike in both places
USED = re.compile(r"CPU capability usage: (\w+)")
CUDA = re.compile(r"USE_CUDA=(?:1|ON)\b")
RANGES = re.compile(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*")
Pair = tuple[str, Any, str, Any]  # a fact, its value, another fact, and its value


def at_odds(environment: Environment, apart: float) -> Iterator[tuple[str, str]]:
    """Yield (found, wanted) for each pair of facts of the run or its first node that contradict each other. NUMA nodes
    may have `apart` more memory than the node, a share of it."""
    for name, value, other, most in _parts(environment, apart):
        if is_number(value) and is_number(most) and value > most:
            yield f"{name} {show(value)}", f"at most {most:g}, by {other}"
    for name, one, other, two in _twins(environment):
        if type(one) is str and type(two) is str and one != two:
            yield f"{name} {show(one)}", f"{show(two)}, by {other}"


def _processors(ranges: object) -> int | None:
    """Return how many processors a list such as "0,2-5" names, None if it is none."""
    if type(ranges) is not str or not RANGES.fullmatch(ranges):
        return None
    ends = (part.partition("-") for part in ranges.split(","))
    return sum(int(last or first) - int(first) + 1 for first, _, last in ends)


def _parts(environment: Environment, apart: float) -> Iterator[Pair]:
    """Yield pairs of which the first is part of the second, and so not larger."""
    run, node = environment.run, environment.node
    launcher, memory = run["launcher"] or {}, (node["memory"] or {}).get("gib")
    threads = (node["processors"] or {}).get("threads")
    yield "processors of the share", (node["share"] or {}).get("processors"), "processors", threads
    yield "threads of the backends", (node["backends"] or {}).get("threads"), "processors", threads
    yield "ranks per node", launcher.get("ranks_per_node"), "ranks", launcher.get("ranks")
    if is_number(memory):
        yield "GiB of NUMA nodes", environment.numa_gib, "memory", memory * (1 + apart)


def _twins(environment: Environment) -> Iterator[Pair]:
    """Yield pairs that are told twice, and so are equal."""
    node = environment.node
    lscpu, torch = node["lscpu"] or {}, node["torch"] or {}
    if lscpu.get("Architecture") == "x86_64":  # others have no name in /proc/cpuinfo
        yield "processor", (node["processors"] or {}).get("model"), "lscpu", lscpu.get("Model name")
    threads = (node["processors"] or {}).get("threads")
    online = _processors(lscpu.get("On-line CPU(s) list"))
    if type(threads) is int and online is not None:
        yield "processors", f"{threads} online", "lscpu", f"{online} online"
    version, settings = torch.get("version"), torch.get("settings")
    if type(version) is not str or type(settings) is not str:
        return
    used, told = USED.search(settings), (node["backends"] or {}).get("processor")
    if used and used[1] in VECTORS and told in VECTORS:
        yield "vectors of the backends", told, "torch", used[1]
    if version.endswith("+cpu") and CUDA.search(settings):
        yield "torch", version, "its settings", "a build with CUDA"
