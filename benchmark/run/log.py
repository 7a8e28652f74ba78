"""Write the log of a run, and the files beside it: its environment, its entries in the launch ledger, its weights."""

import contextlib
import errno
import hashlib
import json
import os
import platform
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmark import fingerprint
from benchmark.atomic import replacing
from benchmark.config import machine_settings, shallow
from benchmark.environment.manifest import Facts, Node, write
from benchmark.log import Event, LogWriter, read_log
from benchmark.run import keys
from benchmark.run.devices import Device, grouped
from benchmark.run.errors import OutOfOrder
from benchmark.run.files import LEDGER, environment_path, weights_path
from benchmark.run.keys import Phase
from benchmark.run.ledger import append_end, append_start
from benchmark.run.reader import Evidence
from benchmark.source import combine
from benchmark.workload import AnyProblem

AXES = ("data", "depth", "height", "width")  # by which ranks divide the work
MOST_REASON = 4096  # characters: a reason may name every rank
PACKAGES = ("numpy", "h5py", "mlperf-logging")  # whose versions every log has


def settings_digest(settings: Mapping[str, Any]) -> str:
    """Return the sha256 of settings as canonical JSON: what a log has as `config_digest`."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


class RunLog:
    """The log of a run. It has three phases: the head, the run, and what is done after the clock has stopped.

    An event in the wrong phase, or an end without its start, raises OutOfOrder. With `path` None, as on ranks above 0,
    nothing is written. An event that cannot be written raises OSError, and so does a log file that was replaced: a run
    without its log cannot go on. A new log never overwrites a file: that raises ValueError.

    The log of a `resumed` run is continued. Its file has a head already, so the events of the new head are not written:
    their values are kept in `head`, and `resume` logs them.
    """

    def __init__(self, path: Path | None, resumed: bool = False):
        self.path, self.resumed = path, resumed
        if path and resumed:
            remove_cut_line(path)
        try:
            self.writer = LogWriter(path, append=resumed)
        except FileExistsError:
            if not (path and os.path.lexists(path)):  # something else is in the way of its folder
                raise
            raise ValueError(f"{path}: found a log, wanted a new name: nothing is overwritten") from None
        self.file = self.file_identity()
        self.lock = threading.RLock()  # a signal stops the run from another thread
        self.phase, self.status, self.epoch = Phase.HEAD, "", 0
        self.head: dict[str, Any] = {}
        self.intervals: list[str] = []  # that are open
        self.start_number = 0  # of the run in the ledger
        self.broken = False  # an event could not be written, and its writer got the error
        self.on_edge: Callable[[str, dict[str, Any]], None] = lambda key, metadata: None  # after each start and end

    @property
    def interrupted(self) -> bool:
        """Whether another thread has stopped the run, on a signal, which the main thread does not know yet."""
        return self.phase is Phase.DONE and self.status == keys.ABORTED

    def event(self, key: str, value: Any = None, **metadata: Any) -> None:
        """Log a point in time."""
        self.log("event", key, value, metadata)

    def start(self, interval: str, **metadata: Any) -> None:
        """Log the start of "init", "staging", "epoch" or "eval", or that of the "run", which starts the clock."""
        with self.lock:
            if self.interrupted:
                return
            if interval in self.intervals or (interval == "run" and self.phase is not Phase.HEAD):
                raise OutOfOrder(f"{interval}_start: found {interval} started already, wanted its end first")
            if interval == "run":
                self.phase = Phase.RUN
            self.log("start", f"{interval}_start", None, metadata)
            self.intervals.append(interval)
        self.on_edge(f"{interval}_start", metadata)

    def end(self, interval: str, **metadata: Any) -> None:
        """Log the end of "init", "staging", "epoch" or "eval". `stop` ends the run."""
        with self.lock:
            if self.interrupted:
                return
            if interval not in self.intervals:
                raise OutOfOrder(f"{interval}_stop: found no {interval}_start, wanted one before")
            if interval == "run":
                raise OutOfOrder("run_stop: found it without its status, wanted it by `stop`")
            self.log("end", f"{interval}_stop", None, metadata)
            self.intervals.remove(interval)
        self.on_edge(f"{interval}_stop", metadata)

    def stop(self, status: str, reason: str | None = None) -> None:
        """Stop the clock: log the end of the run. Only the first call counts, and a run that never started has no end.
        Raises OSError if a success cannot be logged; of an aborted run, a full disk may be the reason."""
        with self.lock:
            if self.phase is Phase.DONE:
                return
            started, self.phase, self.status = self.phase is Phase.RUN, Phase.DONE, keys.ABORTED
            if started:
                metadata = {"epoch_num": self.epoch} | ({} if reason is None else {"reason": reason[:MOST_REASON]})
                try:
                    self.write("end", keys.mllog.RUN_STOP, None, {"status": status, **metadata})
                    self.status = status
                except OSError:
                    if status == keys.SUCCESS:
                        raise

    def log(self, kind: str, key: str, value: Any, metadata: dict[str, Any]) -> None:
        """Log an event in its place. `kind` is event, start or end."""
        with self.lock:
            if self.phase not in keys.PHASES.get(key, frozenset(Phase)):
                if self.interrupted:
                    return
                raise OutOfOrder(f"{key}: found it in the phase {self.phase.value!r}, where it does not belong")
            if self.phase is Phase.HEAD and self.resumed:
                self.head |= {key: value} if kind == "event" else {}
            else:
                self.write(kind, key, value, metadata)

    def write(self, kind: str, key: str, value: Any, metadata: dict[str, Any]) -> None:
        """Write an event to the file, and make sure that it is still the run's file."""
        self.broken = True  # unless this succeeds
        {"event": self.writer.event, "start": self.writer.start, "end": self.writer.end}[kind](key, value, **metadata)
        self.check_file()
        self.broken = False

    def file_identity(self) -> tuple[int, int] | None:
        """Return device and inode of the file at `path`; None without a path."""
        at = os.stat(self.path) if self.path else None
        return at and (at.st_dev, at.st_ino)

    def check_file(self) -> None:
        """Raise OSError if the file at `path` is not the one that is being written."""
        try:
            found = "another file" if self.file_identity() != self.file else ""
        except FileNotFoundError:
            found = "no file"
        if found:
            raise OSError(errno.ESTALE, f"found {found} there, wanted the log that this run writes", str(self.path))

    def submission(self, benchmark: str, org: str, system: str, division: str, status: str) -> None:
        """Log what the run belongs to: the beginning of the log."""
        self.event(keys.mllog.CACHE_CLEAR, True)
        self.event(keys.mllog.SUBMISSION_BENCHMARK, benchmark)
        self.event(keys.mllog.SUBMISSION_ORG, org)
        self.event(keys.mllog.SUBMISSION_DIVISION, division)
        self.event(keys.mllog.SUBMISSION_STATUS, status)
        self.event(keys.mllog.SUBMISSION_PLATFORM, system)

    def problem(self, problem: AnyProblem, edition: str) -> None:
        """Log the problem, and the edition of the rules."""
        self.event("problem", problem.name)
        self.event("problem_digest", problem.digest())
        self.event("rules_edition", edition)
        self.event("target", problem.target)
        self.event(keys.mllog.TRAIN_SAMPLES, problem.train_samples)
        self.event(keys.mllog.EVAL_SAMPLES, problem.validation_samples)

    def machine(self, devices: Sequence[Device], nodes: int, layout: Sequence[int], tile: Sequence[int]) -> None:
        """Log the numbers of nodes, ranks and accelerators, the device of each rank, in order, and the layout of ranks
        by data, depth, height and width. The accelerators of a node are the mean of all nodes, rounded up."""
        accelerated = devices[0].kind != "cpu"
        self.event("number_of_nodes", nodes)
        self.event("number_of_ranks", len(devices))
        self.event("accelerators_per_node", -(-len(devices) // nodes) if accelerated else 0)
        self.event("devices", grouped(devices))
        self.event("layout", dict(zip(AXES, layout, strict=True)), tile=list(tile))

    def settings(self, config: Any, repeated: Mapping[str, Any], **precision: Any) -> None:
        """Log the settings, which are a frozen dataclass with `batch_size` and `precision` among its fields, and those
        that the standard `repeated` under keys of its own. `precision` is metadata of that event."""
        self.event(keys.mllog.GLOBAL_BATCH_SIZE, config.batch_size)
        self.event("precision", config.precision, **precision)
        for key, value in repeated.items():
            self.event(key, value)
        settings = shallow(config)
        self.event("hyperparameters", settings, machine=machine_settings(type(config)))
        self.event("config_digest", settings_digest(settings))

    def source(self, files: Mapping[str, str], config_file: str, **versions: str) -> None:
        """Log the loaded files (sha256 by path), which of them is the config file, and the versions of Python, of the
        packages that every run uses, and of others."""
        self.event("source", combine(files.items()), files=dict(files), config=config_file)
        common = {name.replace("-", "_"): version(name) for name in PACKAGES}
        self.event("versions", {"python": platform.python_version(), **versions, **common})

    def environment(self, run: Facts, nodes: Sequence[Node]) -> None:
        """Write the environment beside the log, and log its file. Raises OSError if it cannot be written."""
        if self.path:
            resumptions = self.path.read_bytes().count(b'"key": "resumed"') if self.resumed else -1
            written = write(environment_path(self.path, resumptions + 1), run, nodes)
            self.event("environment", written.digest, bytes=written.size, path=written.path)

    def register(self, seed: int, source: str, config: str, problem: str) -> None:
        """Append the start to the set's ledger, with the digests that the log states, and log the entry. Raises OSError
        or ValueError for a ledger that cannot be appended to."""
        if self.path:
            path = self.path.parent / LEDGER
            digests = {"source": source, "config": config, "problem": problem}
            self.start_number, line = append_start(path, self.path.name, seed, digests, self.resumed)
            self.event("ledger", self.start_number, line=line)

    def resume(self, epoch: int) -> None:
        """Begin to continue the log of a resumed run, which has finished `epoch` epochs."""
        with self.lock:
            if self.interrupted:
                return
            if not self.resumed or self.phase is not Phase.HEAD:
                raise OutOfOrder("resumed: found no head of a resumed run, wanted one before")
            self.phase, self.epoch, self.intervals = Phase.RUN, epoch, ["run"]

    def evidence(self, split: str, evidence: Evidence, bytes_by_rank: Sequence[int] = ()) -> None:
        """Log what all ranks together read of a split in the first epoch. One rank needs no `bytes_by_rank`."""
        self.event(
            "dataset_fingerprint",
            fingerprint.to_hex(evidence.fingerprint),
            split=split,
            samples_count=evidence.samples,
            class_counts=list(evidence.class_counts),
            bytes_read=spread_of(bytes_by_rank or [evidence.bytes]),
        )

    def evaluation(self, key: str, score: float, epochs: float, samples: int, **facts: Any) -> None:
        """Log the score of an evaluation after `epochs` epochs, and the numbers that it follows from."""
        self.event(key, score, epoch_num=epochs, samples_count=samples, **facts)

    def weights(self, data: bytes) -> None:
        """Write the final weights, which are the bytes of a safetensors file, beside the log after the end of the run,
        and log the file. Raises OSError if it cannot be written."""
        if self.path:
            path = weights_path(self.path)
            with replacing(path) as temporary:
                temporary.write_bytes(data)
            name, digest = path.relative_to(self.path.parent).as_posix(), hashlib.sha256(data).hexdigest()
            try:
                self.event("weights", digest, bytes=len(data), path=name)
            except OSError:
                path.unlink(missing_ok=True)  # no log names it
                raise

    def finish(self) -> str:
        """Close the complete log and append the end to the ledger. Return the ledger's head, "" without a ledger.
        Raises OSError or ValueError where the end cannot be appended, but not if the log's own error was reported
        already."""
        with self.lock:
            number, self.start_number = self.start_number, 0
            self.phase, self.status = Phase.DONE, self.status or keys.ABORTED
            if not number or not self.path:
                return ""
            try:
                with contextlib.suppress(*([OSError] if self.broken else [])):
                    self.writer.close()
                self.check_file()
                with open(self.path, "rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                return append_end(self.path.parent / LEDGER, number, self.status, digest)
            except OSError:
                if self.broken:
                    return ""
                raise


def spread_of(values: Sequence[int]) -> dict[str, int]:
    """Return the sum over ranks, and the least and the most of any rank."""
    return {"total": sum(values), "least_by_rank": min(values), "most_by_rank": max(values)}


def remove_cut_line(path: Path) -> None:
    """Remove the last line of a log if a killed writer did not finish it. Raises OSError."""
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)


def time_to_target(path: Path) -> float:
    """Return the seconds of a finished log, from its first run_start to its last run_stop.

    A run that was interrupted and resumed is timed from its first start to its last end, as the rules require. Raises
    OSError for a log that cannot be read, and ValueError for one without both events.
    """
    times: dict[str, int] = {}
    for event in read_log(path):
        if isinstance(event, Event) and event.key == keys.mllog.RUN_START:
            times.setdefault(event.key, event.time_ms)
        elif isinstance(event, Event) and event.key == keys.mllog.RUN_STOP:
            times[event.key] = event.time_ms
    if len(times) < 2:
        raise ValueError(f"{path}: found {', '.join(times) or 'neither run_start nor run_stop'}, wanted both")
    return (times[keys.mllog.RUN_STOP] - times[keys.mllog.RUN_START]) / 1000
