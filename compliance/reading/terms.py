"""The terms that a log is judged by: the edition, and the benchmark and problem that its folder, or the log, names."""

from dataclasses import dataclass

from compliance.reading.log import Log
from rules.edition import Benchmark, Edition, Key, Published


@dataclass(frozen=True)
class Terms:
    """What a log is held against."""

    edition: Edition
    benchmark_name: str
    benchmark: Benchmark | None
    keys: dict[str, Key]
    problem: Published | None
    division: str
    folder_benchmark: str = ""  # what the log's folder says it is; "" where the log was given alone
    throughput_only: bool = False  # whether the log is no run, and says so
    io_only: bool = False  # ... but a trial of the input
    without: frozenset[str] = frozenset()  # rules that don't hold for it, as it is of a campaign of tuning

    @property
    def codes(self) -> frozenset[str]:
        """The rules that judge the log."""
        if self.io_only:
            return self.edition.io_codes - self.without
        codes = self.edition.throughput_codes if self.throughput_only else self.edition.codes
        return codes - self.without

    @property
    def target(self) -> float | None:
        """The score to reach."""
        if self.benchmark and self.benchmark.target is not None:
            return self.benchmark.target
        return self.problem.target if self.problem else None

    @property
    def metric(self) -> str:
        """The key of the score."""
        return self.benchmark.metric if self.benchmark else "eval_accuracy"


def division_of(value: object) -> str:
    """A division as it is compared; "" of what is no text."""
    return value.strip().lower() if type(value) is str else ""


def terms_for(log: Log, edition: Edition, folder_benchmark: str = "", division: str = "") -> Terms:
    """The terms for a log. The benchmark is its folder's, or what it says itself, or the edition's first. `division` is
    the system description's, where that overrules the log's."""
    said = log.value("submission_benchmark")
    name = folder_benchmark or (said if type(said) is str and said in edition.benchmarks else "")
    name = name or next(iter(edition.benchmarks))
    problem = log.value("problem")
    published = edition.problems.get(problem) if type(problem) is str else None
    published = published if published and published.benchmark == name else None
    division = division_of(division) or division_of(log.value("submission_division"))
    tried = bool(edition.io_codes) and log.value("io_only") is True
    only = tried or (bool(edition.throughput_codes) and log.value("throughput_only") is True)
    benchmark, keys = edition.benchmarks[name], edition.keys[name]
    return Terms(edition, name, benchmark, keys, published, division, folder_benchmark, only, tried)
