"""The terms by which a log is judged: the edition, and the benchmark and problem that its folder or the log names."""

from dataclasses import dataclass

from benchmark.tree import THROUGHPUT
from compliance.reading.log import Log
from compliance.rule import IO, RUN, STEPS
from rules.edition import Edition
from rules.key import Key
from rules.limits import Benchmark, Published


@dataclass(frozen=True)
class Terms:
    """The edition, benchmark, problem and division by which a log is judged."""

    edition: Edition
    benchmark_name: str
    benchmark: Benchmark
    keys: dict[str, Key]
    problem: Published | None
    division: str
    folder_benchmark: str = ""  # the one that the log's folder names; "" for a log given alone
    throughput_only: bool = False  # whether the log says that it is no scored run
    io_only: bool = False  # whether it is a trial of the input (then throughput_only is set, too)
    kind: frozenset[str] = frozenset()  # what its folder says in addition: TRIAL or CONFIRMATION
    cores: int | None = None  # of a node, by the system description

    @property
    def kinds(self) -> frozenset[str]:
        """What the log is, of the kinds to which rules apply."""
        return (IO if self.io_only else STEPS if self.throughput_only else RUN) | self.kind

    @property
    def target(self) -> float | None:
        """The score to reach."""
        if self.benchmark.target is not None:
            return self.benchmark.target
        return self.problem.target if self.problem else None

    @property
    def metric(self) -> str:
        """The key of the score."""
        return self.benchmark.metric


def division_of(value: object) -> str:
    """Return a division in lower case, "" for anything but text."""
    return value.strip().lower() if type(value) is str else ""


def terms_for(
    log: Log,
    edition: Edition,
    folder_benchmark: str = "",
    division: str = "",
    kind: frozenset[str] = frozenset(),
    cores: int | None = None,
) -> Terms:
    """Return the terms for a log. The benchmark is its folder's, else the one it logs, else the edition's first.
    `division` is that of the system description, if it overrides the log's; `kind` is what the folder says, nothing in
    an edition without campaigns of tuning; `cores` are those of a described node."""
    kind = kind if edition.limits.tuning else frozenset()
    said = log.value("submission_benchmark")
    name = folder_benchmark or (said if type(said) is str and said in edition.benchmarks else "")
    name = name or next(iter(edition.benchmarks))
    problem = log.value("problem")
    published = edition.problems.get(problem) if type(problem) is str else None
    published = published if published and published.benchmark == name else None
    division = division_of(division) or division_of(log.value("submission_division"))
    tried = edition.limits.io is not None and log.value("io_only") is True
    only = tried or (THROUGHPUT in edition.limits.scalings and log.value("throughput_only") is True)
    benchmark, keys = edition.benchmarks[name], edition.keys[name]
    return Terms(edition, name, benchmark, keys, published, division, folder_benchmark, only, tried, kind, cores)
