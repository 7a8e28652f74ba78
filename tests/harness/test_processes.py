"""Programs that are started: none outlives who asked for it, and exit codes say what became of them."""

import os
import signal
import subprocess
import sys
import time

import pytest

from benchmark.tree import result_path
from harness import processes, submit
from harness.launcher import Launcher
from harness.processes import Process, Share, Torchrun, ended, exit_on_signals, finish, running
from tests.support import ROOT
from tests.support.waiting import children, comes_to, gone, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes end with their parent on Linux alone")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_to_submit_ends_its_run(endless, events, tmp_path, number):
    """SIGKILL, which nobody can answer, too."""
    command = [sys.executable, submit.__file__, *endless.harness(tmp_path, "epochs=1000000")]
    log = result_path(tmp_path / "Us", "laptop", "scaffold", 0)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            comes_to(process, log, "eval_accuracy")
            (run,) = children(process.pid)
            process.send_signal(number)
            assert process.wait(60) == (-number if number == signal.SIGKILL else 128 + number)
        finally:
            process.kill()
    wait_for(lambda: gone(run), 60)
    assert events(log)[-1].metadata["reason"] == "SIGTERM"


def test_a_generator_of_data_ends_with_who_started_it(tmp_path):
    (tmp_path / "benchmark").mkdir()
    (tmp_path / "benchmark" / "generate.py").write_text("import time; time.sleep(600)")
    code = f"from pathlib import Path; from harness import data; data.ROOT = Path({str(tmp_path)!r});"
    code += f"data.make_data('smoke', Path({str(tmp_path / 'none')!r}))"
    with subprocess.Popen(python(code), cwd=ROOT) as process:
        try:
            wait_for(lambda: children(process.pid), 60)
            (generator,) = children(process.pid)
        finally:
            process.kill()
    wait_for(lambda: gone(generator), 60)


def python(code: str) -> list[str]:
    """The command of a program."""
    return [sys.executable, "-c", code]


STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('x', flush=True); time.sleep(600)"


def test_a_program_that_does_not_end_when_asked_to_is_killed(tmp_path, capfd):
    process = Process(python(STUBBORN), Share(), patience=0.2)
    wait_for(lambda: capfd.readouterr().out)
    process.end()
    assert process.poll() == -signal.SIGKILL
    process.end()  # it is over


def test_signals_end_this_process_in_order_and_what_it_started():
    with exit_on_signals(), pytest.raises(SystemExit, match="143"), running() as left:
        left[0] = Process(python("import time; time.sleep(600)"), Share())
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL and left[0].poll() == -signal.SIGTERM


def test_a_share_is_cores_and_variables():
    cores = sorted(os.sched_getaffinity(0))[:1]
    code = f"import os, sys; sys.exit(os.sched_getaffinity(0) != {{{cores[0]}}} or os.environ['GPU'] != '7')"
    assert finish(Process(python(code), Share(tuple(cores), {"GPU": "7"}))) == 0
    assert Launcher().run(python("import sys; sys.exit(3)")) == 3


def test_what_several_ranks_say_is_printed_once(capfd):
    lines = ["train.py: rank 0: no data", "train.py: rank 1: no data", "epoch 1: x", "epoch 1: x", "W01 torchrun"]
    code = f"import sys; print(*{lines}, sep=chr(10), file=sys.stderr); sys.exit(1)"
    assert finish(Torchrun(python(code), Share())) == 1
    said = capfd.readouterr().err.splitlines()
    assert said == ["train.py: rank 0: no data", "epoch 1: x"]


@pytest.mark.parametrize(("codes", "wanted"), [([1, 2], 2), ([1, -15], 1)])
def test_one_rank_with_wrong_data_makes_it_2(capfd, codes, wanted):
    code = f"import sys; [print('  exitcode  : %d' % c, file=sys.stderr) for c in {codes}]; sys.exit(1)"
    assert finish(Torchrun(python(code), Share())) == wanted
    assert capfd.readouterr().err.count("exitcode") == 2  # no rank said anything


def test_how_a_run_ended():
    assert ended(2) == "train.py ended with exit code 2"
    assert ended(-9) == "train.py was killed by signal 9"
    assert ended(143) == "train.py was killed by signal 15"


def test_patience_of_launchers_is_longer():
    assert Launcher(1, ("env",)).start(["true"]).patience == processes.PATIENT > Launcher().start(["true"]).patience
