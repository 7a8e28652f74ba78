"""The events of a run, in the order that the rules want them."""

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
from ..task import Evaluation, Task

EDITION = current()  # of the rules
RESUMED = b'"key": "resumed"'


@dataclass(frozen=True)
class Submission:
    """Who submits what was run on which system."""

    org: str
    system: str
    division: str
    status: str


class RunLog:
    """Rank 0's log; with `path` None it writes nothing. Behind `stop` nothing is written but what is `late`. An event
    that can't be written, or is written into a file that is not at `path` any more, raises OSError: such a run has no
    log.

    The log of a run that is `resumed` is written on: what is said before `go_on`, which the log has said already, is
    kept in `again`.
    """

    def __init__(self, path: Path | None, resumed: bool = False):
        self.path, self.again, self.silent = path, {}, resumed
        self.resumptions = path.read_bytes().count(RESUMED) if path and resumed else 0  # so far
        self.writer = LogWriter(path, append=resumed)
        self.file = self.identity()
        self.lock = threading.Lock()  # a signal stops the run from another thread
        self.running, self.stopped, self.status = False, False, "aborted"
        self.lost = False  # an event could not be written, which whoever wrote it was told
        self.started = 0  # number in the ledger
        self.epoch = 0
        self.passed: Callable[[str, dict[str, Any]], None] = lambda edge, facts: None  # called behind each edge

    def write(self, method: str, key: str, value: Any = None, **metadata: Any) -> None:
        """One event; `method` is the writer's: event, start or end."""
        with self.lock:
            if self.silent:
                self.again |= {key: value} if method == "event" else {}
            elif not self.stopped:
                self.lost = True
                getattr(self.writer, method)(key, value, **metadata)
                self.check()
                self.lost = False

    def identity(self) -> tuple[int, int] | None:
        """Which file is at `path`."""
        at = os.stat(self.path) if self.path else None
        return at and (at.st_dev, at.st_ino)

    def check(self) -> None:
        """Raises OSError if the file that is written is not the one at `path`."""
        try:
            found = "another file" if self.identity() != self.file else ""
        except FileNotFoundError:
            found = "no file"
        if found:
            raise OSError(errno.ESTALE, f"found {found} there, wanted the log that this run writes", str(self.path))

    def event(self, key: str, value: Any = None, **metadata: Any) -> None:
        """A point in time."""
        self.write("event", key, value, **metadata)

    def start(self, interval: str, **metadata: Any) -> None:
        """The start of "run", "epoch", "eval", ..."""
        self.running |= interval == "run"
        self.write("start", f"{interval}_start", **metadata)
        self.passed(f"{interval}_start", metadata)

    def end(self, interval: str, **metadata: Any) -> None:
        """The end of "init", "epoch", "eval", ..."""
        self.write("end", f"{interval}_stop", **metadata)
        self.passed(f"{interval}_stop", metadata)

    def go_on(self, epoch: int) -> None:
        """Write again, after so many epochs; the run is on since its first start."""
        self.silent, self.running, self.epoch = False, True, epoch

    def submission(self, submission: Submission, benchmark: str) -> None:
        """The head of the log."""
        self.event("cache_clear", True)
        self.event("submission_benchmark", benchmark)
        self.event("submission_org", submission.org)
        self.event("submission_division", submission.division)
        self.event("submission_status", submission.status)
        self.event("submission_platform", submission.system)

    def hyperparameters(self, task: Task) -> None:
        """The workload's own events, its hyperparameters under the standard keys; then every setting under ours."""
        for key, value in task.events().items():
            self.event(key, value)
        self.event("hyperparameters", task.config.fields())

    def digests(self, config: RunConfig, files: dict[str, str], config_file: str) -> None:
        """What ran: the resolved config, the files that were loaded (sha256 by path) and which of them was the config's
        source, and the versions of what all this rests on."""
        self.event("config_digest", config.digest())
        self.event("source", combine(files.items()), files=files, config=config_file)
        versions = {"python": platform.python_version()}
        versions |= {name: version(name) for name in ("torch", "numpy", "h5py")}
        self.event("versions", {**versions, "mlperf_logging": version("mlperf-logging")})

    def launch(self, seed: int, source: str, config: str, problem: str) -> None:
        """Enter the start into the ledger of the set, the digests as the log states them, and the entry into the log.
        Raises OSError or ValueError for a ledger that takes none."""
        if self.path:
            path, run = self.path.parent / LEDGER, self.path.name
            before = [e.number for e in read_ledger(path).entries if isinstance(e.said, Start) and e.said.run == run]
            resumes = before[-1] if self.silent and before else None
            start = Start(run, source, config, problem, commitment(seed), resumes)
            self.started, line = append(path, start)
            self.event("ledger", self.started, line=line)

    def finish(self) -> str:
        """The log is complete: close it, and enter the end into the ledger. Its head, "" without a ledger. Raises
        OSError or ValueError where it can't be entered, unless the log was lost: that disk's fault is told once."""
        with self.lock:
            number, self.started = self.started, 0
            if not number:
                return ""
            self.stopped = True
            try:
                with contextlib.suppress(*([OSError] if self.lost else [])):  # what was not written still is not
                    self.writer.close()
                with open(self.path, "rb") as file:
                    log = hashlib.file_digest(file, "sha256").hexdigest()
                return append(self.path.parent / LEDGER, End(number, self.status, log))[1]
            except OSError:
                if self.lost:
                    return ""
                raise

    def evidence(self, split: str, evidence: Evidence, read: list[int]) -> None:
        """What all ranks together read of a split in the first epoch; `read` is the bytes by rank."""
        self.event(
            "dataset_fingerprint",
            fingerprint.to_hex(evidence.fingerprint),
            split=split,
            samples_count=evidence.samples,
            class_counts=list(evidence.class_counts),
            bytes_read={"total": sum(read), "least_by_rank": min(read), "most_by_rank": max(read)},
        )

    def evaluation(self, metric: str, found: Evaluation, samples: int) -> None:
        """The score of an evaluation and what it follows from."""
        self.event(metric, found.value, epoch_num=self.epoch, samples_count=samples, **found.facts)

    def stop(self, status: str, reason: str | None = None) -> None:
        """The end of the run, once: the first reason stands. A run that never started has no end to log.

        Raises OSError if a success can't be logged. Of a run that was aborted, a full disk may be the reason.
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
        """The file of the weights that scored, `size` bytes: its sha256. The run is over, and the clock stands."""
        name = weights_path(self.path).relative_to(self.path.parent).as_posix()
        self.late("weights", digest, bytes=size, path=name)

    def late(self, key: str, value: Any, **metadata: Any) -> None:
        """An event of a run that is over: its clock stands."""
        with self.lock:
            self.writer.event(key, value, **metadata)


def open_log(path: Path | None, resumed: bool) -> RunLog:
    """The log of a new run, or of one that goes on, without what a killed writer left of a line. Raises OSError if it
    can't be written."""
    if path and resumed:
        whole = path.read_bytes()
        os.truncate(path, whole.rfind(b"\n") + 1)
    return RunLog(path, resumed)
