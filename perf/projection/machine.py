"""Describing a system by a few rates: perf/systems/<name>.yaml as frozen dataclasses."""

from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path

import yaml

from benchmark.config import Settings, build, plain, read_yaml, setting, suggest

SYSTEMS = Path(__file__).resolve().parents[1] / "systems"
# A rank may reach more than the given rate, which may itself have been measured, or because of caches. More than twice
# the rate means a wrong rate, or a failed calibration.
MOST_SHARE = 2.0


@dataclass(frozen=True)
class ByPrecision(Settings):
    """A number for each precision of the network."""

    float32: float = setting(MISSING, above=0)
    bfloat16: float = setting(MISSING, above=0)


@dataclass(frozen=True)
class Shares(Settings):
    """A share of a rate for each precision of the network."""

    float32: float = setting(MISSING, above=0, most=MOST_SHARE)
    bfloat16: float = setting(MISSING, above=0, most=MOST_SHARE)


@dataclass(frozen=True)
class Wire(Settings):
    """A connection between ranks: the rate at which one rank sends, in GB/s (10^9 bytes), and a message's latency."""

    gb_per_second: float = setting(MISSING, above=0)
    microseconds: float = setting(MISSING, least=0)


@dataclass(frozen=True)
class Storage(Settings):
    """The file system of the dataset: its rate for one node and for all nodes together, in GB/s (10^9 bytes)."""

    gb_per_second_of_a_node: float = setting(MISSING, above=0)
    gb_per_second_of_all: float = setting(MISSING, above=0)


@dataclass(frozen=True)
class Errors(Settings):
    """How far rates may be wrong, as shares: with 0.25 the true rate is up to 1.25 times as high, or as low, as stated.
    `latency` is of all latencies. 0 says that nothing is known."""

    compute: float = setting(0.0, least=0)
    memory: float = setting(0.0, least=0)
    link: float = setting(0.0, least=0)
    network: float = setting(0.0, least=0)
    storage: float = setting(0.0, least=0)
    latency: float = setting(0.0, least=0)


RATES = {  # of each kind of errors: the fields with its rates, in a System or in one of its groups
    "compute": ("peak_tflops.float32", "peak_tflops.bfloat16"),
    "memory": ("memory_gb_per_second",),
    "link": ("link.gb_per_second",),
    "network": ("network.gb_per_second",),
    "storage": ("storage.gb_per_second_of_a_node", "storage.gb_per_second_of_all"),
    "latency": ("link.microseconds", "network.microseconds", "operation_microseconds"),
}


@dataclass(frozen=True)
class System(Settings):
    """The rates of a rank's processor, memory, links and storage. A rank is one process: an accelerator, or its share
    of a node's cores."""

    source: str  # origin of the numbers: "datasheet: ..." or "measured: ..."
    ranks_per_node: int = setting(MISSING, least=1)
    memory_gib: float = setting(MISSING, above=0)  # memory of a rank
    reserve_gib: float = setting(MISSING, least=0)  # part of it that libraries and their workspace need
    peak_tflops: ByPrecision  # matrix rate of a rank by its maker, 10^12 FLOP/s
    reached: Shares  # share of peak_tflops that convolutions reach
    memory_gb_per_second: float = setting(MISSING, above=0)  # memory rate of a rank by its maker
    memory_reached: float = setting(MISSING, above=0, most=MOST_SHARE)  # share that work between convolutions reaches
    optimizer_reached: float = setting(MISSING, above=0, most=MOST_SHARE)  # share that the optimizer's step reaches
    operation_microseconds: float = setting(MISSING, least=0)  # least time of any operation, such as launching a kernel
    link: Wire  # between the ranks of a node
    network: Wire  # between nodes, for a rank while all ranks of its node send
    storage: Storage
    overlap: float = setting(0.0, least=0, most=1)  # of the backward pass, while gradients are averaged
    imbalance: float = setting(0.0, least=0, most=1)  # time that a rank waits for the slowest, by its computing time
    node_kw: float = setting(0.0, least=0)  # power of a node that trains, in kW; 0 where it is not known
    errors: Errors = Errors()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reserve_gib >= self.memory_gib:
            raise ValueError(f"reserve_gib: found {self.reserve_gib}, wanted less than memory_gib {self.memory_gib}")

    def scaled(self, kind: str, factor: float) -> "System":
        """The system with the rates of a kind, a field of Errors, `factor` times as high: latencies are times."""
        values = plain(self)
        for name in RATES[kind]:
            group, _, field = name.rpartition(".")
            place = values[group] if group else values
            place[field] *= 1 / factor if kind == "latency" else factor
        return build(System, values, self.source)

    def flops(self, precision: str) -> float:
        """The FLOP/s that a rank's convolutions reach."""
        return 1e12 * getattr(self.peak_tflops, precision) * getattr(self.reached, precision)

    @property
    def bandwidth(self) -> float:
        """The bytes/s that a rank's other operations reach."""
        return 1e9 * self.memory_gb_per_second * self.memory_reached

    @property
    def room(self) -> float:
        """The bytes of memory that a rank has for the run."""
        return 2**30 * (self.memory_gib - self.reserve_gib)

    def reading(self, nodes: int) -> float:
        """The bytes/s at which so many nodes read together."""
        return 1e9 * min(nodes * self.storage.gb_per_second_of_a_node, self.storage.gb_per_second_of_all)


def load_system(name: str) -> System:
    """A system by its name in perf/systems/, or from a file ending in .yaml. Raises ValueError naming file and
    field."""
    path = Path(name)
    if path.suffix != ".yaml":
        known = sorted(p.stem for p in SYSTEMS.glob("*.yaml"))
        if name not in known:
            raise ValueError(f"no system {name!r}{suggest(name, known)} (or a file's name, ending in .yaml)")
        path = SYSTEMS / f"{name}.yaml"
    return build(System, read_yaml(path), str(path))


def dump_system(system: System, doubts: Sequence[str] = ()) -> str:
    """The YAML of a system, below its doubts as comments."""
    comments = "".join(f"# {doubt}\n" for doubt in doubts)
    return comments + yaml.safe_dump(plain(system), sort_keys=False, width=110)
