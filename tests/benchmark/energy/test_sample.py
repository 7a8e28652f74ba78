import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from benchmark.energy import sample
from compliance.reading.power import is_power, read_instrument

SCRIPT = Path(sample.__file__)
pytestmark = pytest.mark.usefixtures("handlers")


@pytest.fixture
def log(tmp_path):
    return tmp_path / "results" / "box" / "strong" / "scaffold" / "result_0.txt"


def written(log, name="node_0"):
    return log.parent / "power" / "result_0" / f"{name}.txt"


def test_a_file_in_microwatts(log, tmp_path, capsys):
    (tmp_path / "power1_input").write_text("312000000\n")
    file = ["--file", str(tmp_path / "power1_input"), "--factor", "1e-6"]
    times = ["--interval", "0.02", "--seconds", "0.5"]
    assert sample.main(["--log", str(log), "--name", "node_0", *file, *times]) == 0
    found = read_instrument(written(log))
    assert is_power(written(log).relative_to(tmp_path).parts)
    assert found.faults == () and len(found.readings) >= 3 and {watts for _, watts in found.readings} == {312.0}
    assert f"{len(found.readings)} readings: {written(log)}" in capsys.readouterr().out


def test_a_path_that_is_no_text_is_told_escaped(tmp_path, capsys):
    (tmp_path / "power").write_text("3\n")
    log = tmp_path / os.fsdecode(b"\xff") / "result_0.txt"
    file = ["--file", str(tmp_path / "power"), "--seconds", "0.01"]
    assert sample.main(["--log", str(log), "--name", "node_0", *file]) == 0
    assert capsys.readouterr().out.endswith(f"readings: {tmp_path}/\\udcff/power/result_0/node_0.txt\n")


def test_a_command_until_it_is_ended(log):
    command = [sys.executable, "-c", "print('Instantaneous power reading:   246 Watts')"]
    options = ["--log", str(log), "--name", "node_3", "--interval", "0.05", "--pattern", "reading: *([0-9]+)"]
    run = subprocess.Popen([sys.executable, str(SCRIPT), *options, "--", *command], stdout=subprocess.PIPE, text=True)
    while not (path := written(log, "node_3")).exists() or not path.stat().st_size:
        assert run.poll() is None
    os.kill(run.pid, signal.SIGTERM)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 0 and "readings" in out
    assert {watts for _, watts in read_instrument(path).readings} == {246.0}


def test_a_signal_that_comes_while_the_lock_is_held_ends_it_too():
    """In a process of its own, which a deadlock would keep."""
    code = (
        "import signal; from benchmark.energy.sample import ended_by_signals\n"
        "ended = ended_by_signals()\n"
        "with ended._cond:\n    signal.raise_signal(signal.SIGTERM)\n"
        "assert ended.wait(20)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=SCRIPT.parents[2], timeout=30).returncode == 0


def test_a_reading_that_fails_is_said_and_left_out(tmp_path, capsys):
    given = iter([1.0, ValueError("no number"), OSError(13, "Permission denied"), 2.0])
    ended = threading.Event()

    def read():
        value = next(given)
        if isinstance(value, Exception):
            raise value
        if value == 2.0:
            ended.set()
        return value

    assert sample.sample(read, tmp_path / "node_0.txt", 0.001, 60.0, ended) == 2
    assert [watts for _, watts in read_instrument(tmp_path / "node_0.txt").readings] == [1.0, 2.0]
    assert capsys.readouterr().err == "sample.py: no number\nsample.py: permission denied\n"


@pytest.mark.parametrize("interval", [float("inf"), 1e12])
def test_an_interval_may_be_longer_than_a_system_waits(tmp_path, interval):
    ended = threading.Event()
    timer = threading.Timer(0.1, ended.set)
    timer.start()
    assert sample.sample(lambda: 1.0, tmp_path / "node_0.txt", interval, float("inf"), ended) == 1
    timer.join()


def test_a_command_that_fails_or_says_no_number_is_no_reading(log):
    args = sample.parse(["--log", str(log), "--name", "node_0", "--", sys.executable, "-c", "raise SystemExit('no')"])
    with pytest.raises(ValueError, match="ended with 1: no"):
        sample.source(args)()
    for text in ("none", "1.2.3"):
        with pytest.raises(ValueError, match=r"wanted a number|could not convert"):
            sample.watts(text, r"^([0-9.]+)", 1.0)
    with pytest.raises(ValueError, match="wanted a number"):
        sample.watts("off", "(on)?", 1.0)


def test_nothing_is_written_over_and_nothing_to_read_is_told(log, tmp_path, capsys):
    written(log).parent.mkdir(parents=True)
    written(log).write_text("x")
    assert sample.main(["--log", str(log), "--name", "node_0", "--file", "x"]) == 2
    assert "found a file, wanted a new name" in capsys.readouterr().err and written(log).read_text() == "x"
    times = ["--interval", "0.01", "--seconds", "0.02"]
    assert sample.main(["--log", str(log), "--name", "node_1", "--file", str(tmp_path / "none"), *times]) == 1
    assert "no such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["--name", "node_0"],
        ["--name", "node_0", "--file", "x", "--", "echo"],
        ["--name", "../node", "--file", "x"],
        ["--name", "node_0", "--file", "x", "--interval", "0"],
        ["--name", "node_0", "--file", "x", "--pattern", "[0-9]+"],
        ["--name", "node_0", "--file", "x", "--pattern", "("],
    ],
)
def test_a_wrong_command_is_exit_code_2(log, options, capsys):
    with pytest.raises(SystemExit) as ended:
        sample.main(["--log", str(log), *options])
    assert ended.value.code == 2
