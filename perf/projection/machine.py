"""Describing a system by a few rates: perf/systems/<name>.yaml as frozen dataclasses."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmark.config import build, plain, read_yaml, suggest

SYSTEMS = Path(__file__).resolve().parents[1] / "systems"
# A rank may reach more than the given rate, which may itself have been measured, or because of caches. More than twice
# the rate means a wrong rate, or a failed calibration.
MOST_SHARE = 2.0


@dataclass(frozen=True)
class ByPrecision:
    """A number for each precision of the network."""

    float32: float
    bfloat16: float


@dataclass(frozen=True)
class Wire:
    """A connection between ranks: the rate at which one rank sends, in GB/s (10^9 bytes), and a message's latency."""

    gb_per_second: float
    microseconds: float


@dataclass(frozen=True)
class Storage:
    """The file system of the dataset: its rate for one node and for all nodes together, in GB/s (10^9 bytes)."""

    gb_per_second_of_a_node: float
    gb_per_second_of_all: float


@dataclass(frozen=True)
class Errors:
    """How far rates may be wrong, as shares: with 0.25 the true rate is up to 1.25 times as high, or as low, as stated.
    `latency` is of all latencies. 0 says that nothing is known."""

    compute: float = 0.0
    memory: float = 0.0
    link: float = 0.0
    network: float = 0.0
    storage: float = 0.0
    latency: float = 0.0


@dataclass(frozen=True)
class System:
    """The rates of a rank's processor, memory, links and storage. A rank is one process: an accelerator, or its share
    of a node's cores."""

    source: str  # origin of the numbers: "datasheet: ..." or "measured: ..."
    ranks_per_node: int
    memory_gib: float  # memory of a rank
    reserve_gib: float  # part of it that libraries and their workspace need
    peak_tflops: ByPrecision  # matrix rate of a rank by its maker, 10^12 FLOP/s
    reached: ByPrecision  # share of peak_tflops that convolutions reach; shares are at most MOST_SHARE
    memory_gb_per_second: float  # memory rate of a rank by its maker
    memory_reached: float  # share of the memory rate that operations between convolutions reach
    optimizer_reached: float  # share of the memory rate that the optimizer's step reaches
    operation_microseconds: float  # least time of any operation, such as launching a kernel
    link: Wire  # between the ranks of a node
    network: Wire  # between nodes, for a rank while all ranks of its node send
    storage: Storage
    overlap: float = 0.0  # share of the backward pass in which gradients are averaged at the same time
    imbalance: float = 0.0  # time that a rank waits for the slowest one, as a share of its computing
    node_kw: float = 0.0  # power of a node that trains, in kW; 0 where it is not known
    errors: Errors = Errors()

    def __post_init__(self) -> None:
        if self.ranks_per_node < 1:
            raise ValueError(f"ranks_per_node: found {self.ranks_per_node}, wanted at least 1")
        rates = ("memory_gib", "memory_gb_per_second", "memory_reached", "optimizer_reached")
        positive = {name: getattr(self, name) for name in rates}
        for name in ("peak_tflops", "reached"):
            positive |= {f"{name}.{kind}": value for kind, value in dataclasses.asdict(getattr(self, name)).items()}
        for name in ("link", "network"):
            positive[f"{name}.gb_per_second"] = getattr(self, name).gb_per_second
        positive |= {f"storage.{name}": value for name, value in dataclasses.asdict(self.storage).items()}
        for name, value in positive.items():
            if not value > 0:
                raise ValueError(f"{name}: found {value}, wanted more than 0")
        for name in ("reached.float32", "reached.bfloat16", "memory_reached", "optimizer_reached"):
            if not positive[name] <= MOST_SHARE:
                raise ValueError(f"{name}: found {positive[name]}, wanted a share of the rate, at most {MOST_SHARE:g}")
        least = {f"{name}.microseconds": getattr(self, name).microseconds for name in ("link", "network")}
        least |= {f"errors.{name}": value for name, value in dataclasses.asdict(self.errors).items()}
        least |= {"operation_microseconds": self.operation_microseconds, "node_kw": self.node_kw}
        for name, value in least.items():
            if not value >= 0:
                raise ValueError(f"{name}: found {value}, wanted 0 or more")
        for name in ("overlap", "imbalance"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: found {getattr(self, name)}, wanted 0..1")
        if not 0 <= self.reserve_gib < self.memory_gib:
            raise ValueError(f"reserve_gib: found {self.reserve_gib}, wanted less than memory_gib {self.memory_gib}")

    def scaled(self, kind: str, factor: float) -> "System":
        """The system with the rates of a kind, a field of Errors, `factor` times as high: latencies are times."""
        match kind:
            case "compute":
                peaks = {name: factor * peak for name, peak in dataclasses.asdict(self.peak_tflops).items()}
                return dataclasses.replace(self, peak_tflops=ByPrecision(**peaks))
            case "memory":
                return dataclasses.replace(self, memory_gb_per_second=factor * self.memory_gb_per_second)
            case "link" | "network":
                wire = getattr(self, kind)
                return dataclasses.replace(
                    self, **{kind: dataclasses.replace(wire, gb_per_second=factor * wire.gb_per_second)}
                )
            case "storage":
                rates = {name: factor * rate for name, rate in dataclasses.asdict(self.storage).items()}
                return dataclasses.replace(self, storage=Storage(**rates))
            case "latency":
                wires = {
                    name: dataclasses.replace(wire, microseconds=wire.microseconds / factor)
                    for name, wire in (("link", self.link), ("network", self.network))
                }
                return dataclasses.replace(self, **wires, operation_microseconds=self.operation_microseconds / factor)
        raise ValueError(f"found kind of rates {kind!r}, wanted a field of Errors")

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
