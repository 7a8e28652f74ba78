"""Write the events of a run to its log and its ledger."""

import contextlib
import errno
import hashlib
import os
import platform
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmark import fingerprint
from benchmark.ledger import End, Start, append, commitment, read_ledger
from benchmark.log import LogWriter
from benchmark.tree import LEDGER, combine, weights_path
from rules.edition import current

from ..config import RunConfig
from ..input.reader import Evidence
from ..measuring.steps import totals
from ..task import Evaluation, Task

EDITION = current()  # of the rules
RESUMED = b'"key": "resumed"'


@dataclass(frozen=True)
class Submission:
    """The submission that a run belongs to."""

    org: str
    system: str
    division: str
    status: str


class RunLog:
    """The log of rank 0. With `path` None, as on other ranks, it writes nothing. After `stop` only `late` events are
    written. An event that cannot be written raises OSError, and so does a log file that was replaced: a run without its
    log cannot go on.

    The log of a `resumed` run is continued. Its head is in the file already, so events before `go_on` are not written.
    Their values are kept in `again`, which the event `resumed` logs.
    """

    def __init__(self, path: Path | None, resumed: bool = False):
        self.path, self.again, self.silent = path, {}, resumed
        self.resumptions = path.read_bytes().count(RESUMED) if path and resumed else 0  # until now
        self.writer = LogWriter(path, append=resumed)
        self.file = self.identity()
        self.lock = threading.Lock()  # a signal stops the run from another thread
        self.running, self.stopped, self.status = False, False, "aborted"
        self.lost = False  # an event could not be written, and its writer got the error
        self.started = 0  # number of the start in the ledger
        self.epoch = 0
        self.passed: Callable[[str, dict[str, Any]], None] = lambda edge, facts: None  # called after each start and end

    def write(self, method: str, key: str, value: Any = None, **metadata: Any) -> None:
        """Write one event. `method` is the writer's: event, start or end."""
        with self.lock:
            if self.silent:
                self.again |= {key: value} if method == "event" else {}
            elif not self.stopped:
                self.lost = True
                getattr(self.writer, method)(key, value, **metadata)
                self.check()
                self.lost = False

    def identity(self) -> tuple[int, int] | None:
        """Return device and inode of the file at `path`; None without a path."""
        at = os.stat(self.path) if self.path else None
        return at and (at.st_dev, at.st_ino)

    def check(self) -> None:
        """Raise OSError if the file at `path` is not the one that is being written."""
        try:
            found = "another file" if self.identity() != self.file else ""
        except FileNotFoundError:
            found = "no file"
        if found:
            raise OSError(errno.ESTALE, f"found {found} there, wanted the log that this run writes", str(self.path))

    def event(self, key: str, value: Any = None, **metadata: Any) -> None:
        """Log a point in time."""
        self.write("event", key, value, **metadata)

    def start(self, interval: str, **metadata: Any) -> None:
        """Log the start of "run", "epoch", "eval", ..."""
        self.running |= interval == "run"
        self.write("start", f"{interval}_start", **metadata)
        self.passed(f"{interval}_start", metadata)

    def end(self, interval: str, **metadata: Any) -> None:
        """Log the end of "init", "epoch", "eval", ..."""
        self.write("end", f"{interval}_stop", **metadata)
        self.passed(f"{interval}_stop", metadata)

    def go_on(self, epoch: int) -> None:
        """Begin to write the log of a resumed run, which has finished `epoch` epochs."""
        self.silent, self.running, self.epoch = False, True, epoch

    def submission(self, submission: Submission, benchmark: str) -> None:
        """Log the submission, which is the head of the log."""
        self.event("cache_clear", True)
        self.event("submission_benchmark", benchmark)
        self.event("submission_org", submission.org)
        self.event("submission_division", submission.division)
        self.event("submission_status", submission.status)
        self.event("submission_platform", submission.system)

    def hyperparameters(self, task: Task) -> None:
        """Log the workload's hyperparameters under the standard keys, then every setting under `hyperparameters`."""
        for key, value in task.events().items():
            self.event(key, value)
        self.event("hyperparameters", task.config.fields())

    def digests(self, config: RunConfig, files: dict[str, str], config_file: str) -> None:
        """Log the digest of the resolved config, the loaded files (sha256 by path), which of them is the config file,
        and the versions of Python and packages."""
        self.event("config_digest", config.digest())
        self.event("source", combine(files.items()), files=files, config=config_file)
        versions = {"python": platform.python_version()}
        versions |= {name: version(name) for name in ("torch", "numpy", "h5py")}
        self.event("versions", {**versions, "mlperf_logging": version("mlperf-logging")})

    def launch(self, seed: int, source: str, config: str, problem: str) -> None:
        """Append the start to the set's ledger, with the digests that the log states, and log the entry. Raises OSError
        or ValueError for a ledger that cannot be appended to."""
        if self.path:
            path, run = self.path.parent / LEDGER, self.path.name
            before = [e.number for e in read_ledger(path).entries if isinstance(e.said, Start) and e.said.run == run]
            resumes = before[-1] if self.silent and before else None
            start = Start(run, source, config, problem, commitment(seed), resumes)
            self.started, line = append(path, start)
            self.event("ledger", self.started, line=line)

    def finish(self) -> str:
        """Close the complete log and append the end to the ledger. Return the ledger's head, "" without a ledger.
        Raises OSError or ValueError where the end cannot be appended, but not if the log's own error was reported
        already."""
        with self.lock:
            number, self.started = self.started, 0
            if not number:
                return ""
            self.stopped = True
            try:
                with contextlib.suppress(*([OSError] if self.lost else [])):  # the buffer still cannot be written
                    self.writer.close()
                self.check()
                with open(self.path, "rb") as file:
                    log = hashlib.file_digest(file, "sha256").hexdigest()
                return append(self.path.parent / LEDGER, End(number, self.status, log))[1]
            except OSError:
                if self.lost:
                    return ""
                raise

    def evidence(self, split: str, evidence: Evidence, read: list[int]) -> None:
        """Log what all ranks together read of a split in the first epoch. `read` has the bytes by rank."""
        self.event(
            "dataset_fingerprint",
            fingerprint.to_hex(evidence.fingerprint),
            split=split,
            samples_count=evidence.samples,
            class_counts=list(evidence.class_counts),
            bytes_read=totals(read),
        )

    def evaluation(self, metric: str, found: Evaluation, samples: int) -> None:
        """Log the score of an evaluation and the numbers that it follows from."""
        self.event(metric, found.value, epoch_num=self.epoch, samples_count=samples, **found.facts)

    def stop(self, status: str, reason: str | None = None) -> None:
        """Log the end of the run. Only the first call counts, and a run that never started has no end to log.

        Raises OSError if a success cannot be logged. For an aborted run it does not, since a full disk may be the
        reason.
        """
        with self.lock:
            if self.stopped:
                return
            self.stopped = True
            if self.running:
                why = {} if reason is None else {"reason": reason}
                try:
                    self.writer.end("run_stop", None, status=status, epoch_num=self.epoch, **why)
                    self.check()
                    self.status = status
                except OSError:
                    self.lost = True
                    if status == "success":
                        raise

    def weights(self, digest: str, size: int) -> None:
        """Log the file of the final weights, by its sha256 and its size in bytes, after the end of the run."""
        name = weights_path(self.path).relative_to(self.path.parent).as_posix()
        self.late("weights", digest, bytes=size, path=name)

    def late(self, key: str, value: Any, **metadata: Any) -> None:
        """Log an event after the end of the run."""
        with self.lock:
            self.writer.event(key, value, **metadata)


def open_log(path: Path | None, resumed: bool) -> RunLog:
    """Open the log of a new run, or of a resumed one. A line that a killed writer did not finish is removed. Raises
    OSError if the log cannot be written."""
    if path and resumed:
        whole = path.read_bytes()
        os.truncate(path, whole.rfind(b"\n") + 1)
    return RunLog(path, resumed)
