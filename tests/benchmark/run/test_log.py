import errno
import hashlib
import itertools
import os
import shutil
import threading
import time
from dataclasses import dataclass
from unittest.mock import Mock

import pytest

from benchmark.config import setting
from benchmark.environment.manifest import Node
from benchmark.ledger import End, read_ledger
from benchmark.log import LogWriter
from benchmark.problem import load_problem
from benchmark.run import keys
from benchmark.run.devices import Device, grouped
from benchmark.run.errors import OutOfOrder
from benchmark.run.files import LEDGER, weights_path
from benchmark.run.keys import Phase
from benchmark.run.log import RunLog, settings_digest, time_to_target
from benchmark.run.reader import Evidence
from benchmark.source import combine
from tests.support.lines import line


@pytest.fixture
def log(tmp_path) -> RunLog:
    log = RunLog(tmp_path / "log.txt")
    log.start("run")
    return log


def test_the_clock_starts_once_and_stops_with_its_status(log, events):
    with pytest.raises(OutOfOrder, match=r"^run_stop: found it without its status"):
        log.end("run")
    for _ in range(2):
        with pytest.raises(OutOfOrder, match=r"^run_start: "):
            log.start("run")
        log.stop("success")
    assert [e.key for e in events(log.path)] == ["run_start", "run_stop"]


def replace(path) -> None:
    """Put another file of the same content in its place."""
    os.replace(shutil.copy(path, path.with_name("other")), path)


@pytest.mark.parametrize(("lose", "found"), [(os.remove, "no file"), (replace, "another file")])
@pytest.mark.parametrize("act", [lambda log: log.event("after", 1), lambda log: log.stop("success"), RunLog.finish])
def test_a_run_whose_log_is_gone_ends(log, lose, found, act):
    log.start_number = 1  # it is in the ledger
    lose(log.path)
    with pytest.raises(OSError, match=f"found {found} there, wanted the log that this run writes") as caught:
        act(log)
    assert (caught.value.filename, caught.value.errno) == (str(log.path), errno.ESTALE)
    log.stop("aborted", "the first reason stands")  # and nothing is raised while the run ends
    assert not (log.path.parent / LEDGER).exists()


def test_a_full_disk_is_told_once(log, monkeypatch):
    """The writer, whose buffer can't be emptied, and the ledger, which is on the same disk, fail once more."""
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    log.start_number = 1
    monkeypatch.setattr(log.writer, "event", full)
    monkeypatch.setattr(log.writer, "close", full)
    monkeypatch.setattr("benchmark.run.log.append_end", full)
    with pytest.raises(OSError, match="No space left"):
        log.event("loss", 1.0)
    assert log.finish() == ""
    log.start_number, log.broken = 1, False
    with pytest.raises(OSError, match="No space left"):  # nobody has told of it
        log.finish()


def test_a_run_that_is_resumed_writes_its_own_log_on(tmp_path, events):
    path = tmp_path / "log.txt"
    writer = LogWriter(path)
    writer.start("run_start")
    writer.close()
    with path.open("a") as file:
        file.write(':::MLLOG {"namespace"')
    log = RunLog(path, resumed=True)
    log.event("said", "already")
    log.start("init")
    log.resume(2)
    log.event("new", 1)
    log.stop("aborted", ", ".join(f"rank {n}" for n in range(65_536)))
    found = events(path)
    reason = found[-1].metadata["reason"]
    assert [e.key for e in found] == ["run_start", "new", "run_stop"] and found[-1].metadata["epoch_num"] == 2
    assert len(reason) == 4096 and reason.startswith("rank 0, rank 1, ")
    assert log.head == {"said": "already"}


def in_phase(path, phase: Phase) -> RunLog:
    """A log whose run is in a phase: before its clock starts, while it runs, after a success."""
    log = RunLog(path)
    if phase is not Phase.HEAD:
        log.start("run")
    if phase is Phase.DONE:
        log.stop("success")
    return log


INTERVALS = ("init", "staging", "epoch", "eval", "run")
POINTS = [event.key for event in keys.EVENTS if event.key.rpartition("_")[0] not in INTERVALS]


@pytest.mark.parametrize("phase", Phase)
def test_an_event_belongs_to_its_phase(tmp_path, events, phase):
    """An implementation's own may stand in any."""
    for key in (*POINTS, "opt_name"):
        log = in_phase(tmp_path / f"{key}.txt", phase)
        before = log.path.read_bytes()
        if phase in keys.PHASES.get(key, Phase):
            log.event(key, 1)
            assert events(log.path)[-1].key == key
        else:
            with pytest.raises(OutOfOrder, match=f"^{key}: found it in the phase '{phase.value}'"):
                log.event(key, 1)
            assert log.path.read_bytes() == before


HOMES = {"init": Phase.HEAD, "staging": Phase.RUN, "epoch": Phase.RUN, "eval": Phase.RUN}


@pytest.mark.parametrize("interval", HOMES)
@pytest.mark.parametrize("phase", Phase)
def test_an_interval_belongs_to_its_phase_and_may_come_again(tmp_path, events, interval, phase):
    log = in_phase(tmp_path / "log.txt", phase)
    before = log.path.read_bytes()
    if phase is HOMES[interval]:
        for _ in range(2):
            log.start(interval)
            with pytest.raises(OutOfOrder, match=f"^{interval}_start: found {interval} started already"):
                log.start(interval)
            log.end(interval)
            with pytest.raises(OutOfOrder, match=f"^{interval}_stop: found no {interval}_start"):
                log.end(interval)
        assert [e.key for e in events(log.path)][-4:] == [f"{interval}_start", f"{interval}_stop"] * 2
        return
    for act in (log.start, log.start, log.end):  # what is refused leaves no interval open
        with pytest.raises(OutOfOrder, match=f"^{interval}_"):
            act(interval)
    assert log.path.read_bytes() == before


def test_a_run_resumes_once_and_only_one_that_was_begun_so():
    resumed = RunLog(None, resumed=True)
    resumed.resume(1)
    for log in (resumed, RunLog(None)):
        with pytest.raises(OutOfOrder, match=r"^resumed: "):
            log.resume(1)


@pytest.mark.parametrize("make", [lambda path: path.write_text("a week"), lambda path: path.symlink_to("nowhere")])
def test_a_new_log_never_overwrites(tmp_path, make):
    path = tmp_path / "log.txt"
    make(path)
    with pytest.raises(ValueError, match=r"log\.txt: found a log, wanted a new name: nothing is overwritten$"):
        RunLog(path)
    assert path.is_symlink() or path.read_text() == "a week"
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        RunLog(tmp_path / "file" / "log.txt")


def test_a_signal_stops_a_log_that_another_thread_writes(tmp_path, events):
    """At any moment: what the main thread logs after that is passed over, and nothing is raised."""
    for number, moment in enumerate(itertools.chain([0.0], (0.002 * n for n in range(1, 15)))):
        log, ended = RunLog(tmp_path / f"{number}.txt"), threading.Event()

        def interrupt(log=log, moment=moment, ended=ended):
            time.sleep(moment)
            log.stop("aborted", "SIGTERM")
            log.finish()
            ended.set()

        thread = threading.Thread(target=interrupt)
        thread.start()
        log.start("init")
        log.end("init")
        log.start("run")
        for epoch in itertools.count(1):
            over = ended.is_set()
            log.start("epoch", epoch_num=epoch)
            log.event("tracked_stats", {"loss": 1.0}, epoch_num=epoch)
            log.end("epoch", epoch_num=epoch)
            log.stop("aborted", "too late") if over else None
            if over:
                break
        thread.join()
        found = events(log.path)
        stops = [e.metadata["reason"] for e in found if e.key == "run_stop"]
        assert stops == ["SIGTERM"] * any(e.key == "run_start" for e in found)
        assert not stops or found[-1].key == "run_stop"


def test_a_signal_before_the_clock_starts_keeps_it_from_starting(tmp_path):
    logs = RunLog(tmp_path / "new.txt"), RunLog(None, resumed=True)
    for log in logs:
        log.stop("aborted", "SIGTERM")
        log.start("run") if not log.resumed else log.resume(1)
        log.event("tracked_stats", {})
        log.stop("success")
        assert (log.phase, log.status) == (Phase.DONE, "aborted")
    assert logs[0].path.read_bytes() == b""


def test_edges_are_told_after_they_are_logged(log, events):
    told = []
    log.on_edge = lambda key, metadata: told.append((key, metadata, events(log.path)[-1].key))
    log.start("eval", epoch_num=1)
    log.event("energy_reading", {})
    log.end("eval", epoch_num=1, samples_count=4)
    start, stop = {"epoch_num": 1}, {"epoch_num": 1, "samples_count": 4}
    assert told == [("eval_start", start, "eval_start"), ("eval_stop", stop, "eval_stop")]


@dataclass(frozen=True)
class Settings:
    batch_size: int = setting(4)
    precision: str = setting("float32")
    threads: int = setting(2, machine=True)


def test_a_whole_log_from_its_head_to_its_weights(tmp_path, events):
    """What an implementation calls, and what the log then holds."""
    log, problem, files = RunLog(tmp_path / "result_3.txt"), load_problem("smoke"), {"a.py": "1" * 64}
    log.submission("scaffold", "us", "box", "open", "cloud")
    log.start("init")
    log.event(keys.mllog.SEED, 7, source="os.urandom")
    log.problem(problem, "v9.9")
    log.settings(Settings(), {"opt_name": "adam"}, tf32=False)
    log.source(files, "a.yaml", mine="1.2")
    log.environment({}, [Node("here", "0", {})])
    log.register(7, combine(files.items()), settings_digest({}), problem.digest())
    log.end("init")
    log.start("run")
    log.evidence("train", Evidence(1, 3, (5, 6), 9), [3, 2, 4])
    log.evidence("validation", Evidence(2, 1, (7,), 5))  # by one rank
    log.epoch = 1
    log.evaluation(keys.mllog.EVAL_ACCURACY, 0.5, 1, 4, true=[1])
    log.stop(keys.SUCCESS)
    log.weights(b"tensors")
    assert weights_path(log.path).read_bytes() == b"tensors"
    head = log.finish()

    found = events(log.path)
    settings = {"batch_size": 4, "precision": "float32", "threads": 2}
    wanted = [
        ("cache_clear", True, {}),
        ("submission_benchmark", "scaffold", {}),
        ("submission_org", "us", {}),
        ("submission_division", "open", {}),
        ("submission_status", "cloud", {}),
        ("submission_platform", "box", {}),
        ("init_start", None, {}),
        ("seed", 7, {"source": "os.urandom"}),
        ("problem", "smoke", {}),
        ("problem_digest", problem.digest(), {}),
        ("rules_edition", "v9.9", {}),
        ("target", problem.target, {}),
        ("train_samples", problem.train_samples, {}),
        ("eval_samples", problem.validation_samples, {}),
        ("global_batch_size", 4, {}),
        ("precision", "float32", {"tf32": False}),
        ("opt_name", "adam", {}),
        ("hyperparameters", settings, {"machine": ["threads"]}),
        ("config_digest", settings_digest(settings), {}),
        ("source", combine(files.items()), {"files": files, "config": "a.yaml"}),
    ]
    said = [(e.key, e.value, {k: v for k, v in e.metadata.items() if k not in ("file", "lineno")}) for e in found]
    assert said[: len(wanted)] == wanted
    versions, environment, ledger, *rest = said[len(wanted) :]
    assert versions[0] == "versions" and versions[1].keys() == {"python", "mine", "numpy", "h5py", "mlperf_logging"}
    data = (tmp_path / "environment_3.json").read_bytes()
    facts = {"bytes": len(data), "path": "environment_3.json"}
    assert environment == ("environment", hashlib.sha256(data).hexdigest(), facts)
    start, end = read_ledger(tmp_path / LEDGER).entries
    assert ledger == ("ledger", 1, {"line": start.line}) and end.line == head
    assert end.said == End(1, "success", hashlib.sha256(log.path.read_bytes()).hexdigest())
    read = {"total": 9, "least_by_rank": 2, "most_by_rank": 4}
    evidence = {"split": "train", "samples_count": 3, "class_counts": [5, 6], "bytes_read": read}
    alone = {"split": "validation", "samples_count": 1, "class_counts": [7], "bytes_read": dict.fromkeys(read, 5)}
    assert rest == [
        ("init_stop", None, {}),
        ("run_start", None, {}),
        ("dataset_fingerprint", f"{1:064x}", evidence),
        ("dataset_fingerprint", f"{2:064x}", alone),
        ("eval_accuracy", 0.5, {"epoch_num": 1, "samples_count": 4, "true": [1]}),
        ("run_stop", None, {"status": "success", "epoch_num": 1}),
        ("weights", hashlib.sha256(b"tensors").hexdigest(), {"bytes": 7, "path": "weights/result_3.safetensors"}),
    ]


def test_of_a_run_without_a_log_nothing_is_beside_it(tmp_path, monkeypatch):
    """As on ranks above 0."""
    monkeypatch.chdir(tmp_path)
    log = RunLog(None)
    with pytest.raises(OutOfOrder):
        log.event("tracked_stats", {})
    log.environment({}, [])
    log.register(7, "", "", "")
    log.start("run")
    log.stop("success")
    log.weights(b"")
    assert log.file is None and log.finish() == "" and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("kind", "hosts", "accelerators"), [("cpu", "aabb", 0), ("cuda", "aabb", 2), ("cuda", "aab", 2)]
)
def test_the_machine_is_that_of_all_ranks(tmp_path, events, kind, hosts, accelerators):
    log, devices = RunLog(tmp_path / "log.txt"), [Device(host, kind, "A", "") for host in hosts]
    log.machine(devices, 2, (2, 1, 2, 1), (1, 1, 2, 1))
    found = {e.key: e for e in events(log.path)}
    counted = [found[key].value for key in ("number_of_nodes", "number_of_ranks", "accelerators_per_node")]
    assert counted == [2, len(hosts), accelerators]
    assert found["devices"].value == grouped(devices)
    assert found["layout"].value == {"data": 2, "depth": 1, "height": 2, "width": 1}
    assert found["layout"].metadata["tile"] == [1, 1, 2, 1]


def test_a_run_is_timed_from_its_first_start_to_its_last_stop(tmp_path):
    """To the millisecond, also if it was resumed."""
    path = tmp_path / "a.txt"
    marks = ("init_start", 1), ("run_start", 1_000), ("run_stop", 2_500), ("run_start", 2_000), ("run_stop", 29_381)
    path.write_text("".join(line(key, time) for key, time in marks))
    assert time_to_target(path) == 28.381
    for text, found in (("", "neither run_start nor run_stop"), (line("run_stop", 1), "run_stop")):
        path.write_text(text)
        with pytest.raises(ValueError, match=rf"a\.txt: found {found}, wanted both"):
            time_to_target(path)
