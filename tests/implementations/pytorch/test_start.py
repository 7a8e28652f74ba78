"""Runs that are forked from a warm process: each is a run like any other, and none outlives who asked for it."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmark.tree import result_path
from implementations.pytorch import start
from implementations.pytorch.start import Warm, can_be_warm

ROOT = Path(__file__).resolve().parents[3]
SUBMIT = ROOT / "implementations" / "pytorch" / "submit.py"
WARM = "implementations/pytorch/warm.py"
FOREVER = "epochs=1000000"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux alone")


def wait_for(condition, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds  # on a machine that does much else
    while not condition():
        assert time.monotonic() < deadline, "waited for too long"
        time.sleep(0.05)


def has(log: Path, key: str) -> bool:
    return log.exists() and f'"{key}"' in log.read_text()


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def last(log: Path, events) -> dict:
    """The metadata of the run_stop that ends a log, but for the weights that a successful run names behind it."""
    event = [event for event in events(log) if event.key != "weights"][-1]
    assert event.key == "run_stop"
    return event.metadata


def values(log: Path, events) -> dict:
    return {e.key: e for e in events(log)}


def test_a_forked_run_is_a_run_and_names_the_source_that_it_loaded(tiny, warm, events, tmp_path):
    """As one that is started by itself does, and warm.py."""
    logs = [tmp_path / f"{i}.txt" for i in range(3)]
    assert tiny.train(logs[0], fresh=True).returncode == 0
    assert [warm.start(tiny.options(log)).wait(300) for log in logs[1:]] == [0, 0]
    alone, *forked = (values(log, events) for log in logs)
    assert len({found["seed"].value for found in (alone, *forked)}) == 3
    for found in forked:
        files = found["source"].metadata["files"]
        assert files.keys() == {*alone["source"].metadata["files"], WARM}
        assert found.keys() == alone.keys()
        assert files[WARM] == hashlib.sha256((ROOT / WARM).read_bytes()).hexdigest()
        assert files == {**alone["source"].metadata["files"], WARM: files[WARM]}


def test_folder_streams_and_variables_are_the_runs_own(tiny, warm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "errors.txt").open("w") as errors:
        run = warm.start([*tiny.options(Path("log.txt")), "epoch=3"], (0, 1, errors.fileno()))
        assert run.wait(300) == 2 and run.poll() == 2
        assert warm.start(["--help"], (0, errors.fileno(), errors.fileno())).wait(60) == 0
        more = {"RANK": "5", "WORLD_SIZE": "2"}
        assert warm.start(tiny.options(Path("log.txt")), (0, 1, errors.fileno()), more).wait(60) == 2
    said = (tmp_path / "errors.txt").read_text()
    assert said.startswith("train.py: ") and "did you mean" in said.splitlines()[0] and "usage: train.py" in said
    assert said.splitlines()[-1] == "train.py: RANK: found 5 of 2 ranks, wanted 0..1"
    assert warm.start([*tiny.options(Path("log.txt"))]).wait(300) == 0 and has(tmp_path / "log.txt", "run_stop")


def test_a_run_that_is_killed_takes_nobody_along(endless, tiny, warm, tmp_path):
    log = tmp_path / "killed.txt"
    run = warm.start([*endless.options(log), FOREVER])
    beside = warm.start([*endless.options(tmp_path / "beside.txt"), "epochs=3"])
    wait_for(lambda: has(log, "run_start"))
    with pytest.raises(subprocess.TimeoutExpired):
        run.wait(0.01)
    assert run.poll() is None
    run.kill()
    assert run.wait(60) == -signal.SIGKILL and gone(run.pid)
    run.kill()  # nobody's number any more
    assert beside.wait(300) == 1  # by its limit of epochs
    assert warm.start(tiny.options(tmp_path / "next.txt")).wait(300) == 0


def test_the_end_of_the_warm_process_is_that_of_its_runs(endless, events, tmp_path):
    log = tmp_path / "log.txt"
    with Warm(compiler=False) as warm:
        run = warm.start([*endless.options(log), FOREVER, "workers=1"])
        wait_for(lambda: has(log, "eval_accuracy"))
    assert gone(run.pid) and last(log, events)["reason"] == "SIGTERM"
    assert warm.start(endless.options(log)) is None


def test_a_killed_warm_process_ends_its_runs(endless, events, tmp_path):
    log = tmp_path / "log.txt"
    with Warm(compiler=False) as warm:
        run = warm.start([*endless.options(log), FOREVER])
        wait_for(lambda: has(log, "eval_accuracy"))
        warm.process.kill()
        assert run.wait(60) == -signal.SIGKILL
        wait_for(lambda: gone(run.pid))
        assert warm.start(endless.options(log)) is None
    assert last(log, events)["reason"] == "SIGTERM"


def test_who_asked_for_a_run_and_is_gone_has_it_ended(endless, events, warm, tmp_path):
    log = tmp_path / "log.txt"
    run = warm.start([*endless.options(log), FOREVER])
    wait_for(lambda: has(log, "eval_accuracy"))
    run.teller.close()
    wait_for(lambda: gone(run.pid))
    assert last(log, events)["reason"] == "SIGTERM"


def test_it_has_no_thread(warm):
    """OpenMP's would not be there in a fork, which would wait for them. OpenBLAS ends its own at every fork."""
    assert warm.start(["--help"], (0, 2, 2)).wait(300) == 0
    assert len(os.listdir(f"/proc/{warm.process.pid}/task")) == 1


def test_an_edited_warm_process_forks_nothing(tiny, tmp_path, monkeypatch):
    folder = tmp_path / "implementations" / "acme"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text("import sys; sys.exit(7)")
    shutil.copy(ROOT / WARM, folder)
    monkeypatch.setattr(start, "HERE", folder)
    with Warm(compiler=False) as warm:
        assert warm.start([]).wait(300) == 7
        with (folder / "warm.py").open("a") as file:
            file.write("# edited\n")
        assert warm.start([]) is None
        assert warm.process.poll() is None


def test_a_run_whose_compiler_fails_runs_on(tiny, events, tmp_path):
    environment = {**os.environ, "CXX": shutil.which("false"), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "kept")}
    errors = tmp_path / "errors.txt"
    with Warm(compiler=True, environment=environment) as warm, errors.open("w") as stream:
        run = warm.start([*tiny.options(tmp_path / "log.txt"), "compile=true"], (0, 1, stream.fileno()))
        assert run.wait(300) == 0
    assert "norms are not compiled" in errors.read_text()
    assert "train.py: kernels are not compiled: this run can't be in one set with runs whose" in errors.read_text()
    assert [e.value for e in events(tmp_path / "log.txt") if e.key == "compiled"] == [False]
    assert last(tmp_path / "log.txt", events)["status"] == "success"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_to_submit_ends_its_run(endless, events, tmp_path, number):
    """SIGKILL, which nobody can answer, too."""
    files = ["--problems", str(endless.problems), "--config", str(endless.config), "--data", str(endless.data)]
    command = [sys.executable, str(SUBMIT), "--problem", "endless", *files, "--org", "us", "--system", "one"]
    log = result_path(tmp_path / "us", "one", "scaffold", 0)
    with subprocess.Popen([*command, "--out", str(tmp_path), FOREVER], stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: has(log, "eval_accuracy"))
            processes = family(process.pid)
            assert len(processes) == 2  # the warm process and the run
            process.send_signal(number)
            assert process.wait(60) == (-number if number == signal.SIGKILL else 128 + number)
        finally:
            process.kill()
    wait_for(lambda: all(map(gone, processes)), 60)
    assert last(log, events)["reason"] == "SIGTERM"


def family(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return [*children, *(grandchild for child in children for grandchild in family(child))]


def test_an_end_that_is_not_awaited_is_asked_for_and_then_made(monkeypatch):
    monkeypatch.setattr(start, "PATIENCE", 0.2)
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        start.end(process)
        assert process.returncode == -signal.SIGKILL
    with start.exit_on_signals(), pytest.raises(SystemExit, match="143"):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_what_is_compiled_is_kept_in_the_build_folder_unless_told_otherwise(tmp_path, monkeypatch):
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    assert Path(start.environment(tmp_path)["TORCHINDUCTOR_CACHE_DIR"]).parent == tmp_path / "build" / "inductor"
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/elsewhere")
    assert start.environment(tmp_path)["TORCHINDUCTOR_CACHE_DIR"] == "/elsewhere"


def test_many_ranks_and_gpus_start_by_themselves():
    assert can_be_warm(1, "cpu") and not can_be_warm(2, "cpu") and not can_be_warm(1, "cuda")
