"""Every script of perf/ starts and ends well, with the smallest of its arguments."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.generate import generate
from benchmark.launch import Launch
from benchmark.problem import load_problem
from perf.pages.scripts import ROOT, STARTED
from tests.support.tiny import environment

REFERENCE = "results/v1.0/reference"
OF_DLIO = {"perf/storage/launch.py"}  # perf/dlio.py starts them, in an environment of its own
ROWS = {  # script: the smallest arguments, with {out}, an empty folder, {smoke}, its data, and {tiny}
    "perf/check_speed.py": f"{REFERENCE} --repeats 1",
    "perf/contract.py": "--out {out}",
    "perf/convergence.py": "--points",
    "perf/dlio.py": "--problem smoke --data {smoke} --out {out}",
    "perf/docs.py": "--out {out}",
    "perf/figures.py": "--problem smoke --out {out}",
    "perf/project.py": "--problem smoke --ranks 2 --system epyc-2core",
    "perf/rehearse.py": "--problem smoke --layout 1,1,1,2 --rank 0",
    "perf/replay_bands.py": "--problem tiny --problems {tiny.problems} --config {tiny.config} --data {tiny.data} "
    "--seeds 1 --epochs 1 --ways float32",
    "perf/telling.py": "--sets 2",
}


def test_every_script_has_a_row():
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "perf").rglob("*.py") if started(path)}
    assert found == ROWS.keys() | OF_DLIO, "each script needs its smallest arguments in ROWS"


def started(path: Path) -> bool:
    return bool(re.search(STARTED, path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("telling --sets 0", "--sets: found 0, wanted at least 1"),
        ("replay_bands --seeds 0", "--seeds: found 0, wanted at least 1"),
        ("replay_bands --epochs -1", "--epochs: found -1, wanted at least 1"),
        ("check_speed . --repeats 0", "--repeats: found 0, wanted at least 1"),
        ("check_speed nowhere", "nowhere: found no result_<i>.txt, wanted a round"),
    ],
)
def test_what_nothing_can_be_said_of_is_one_line(capsys, words, said):
    name, *arguments = words.split()
    assert importlib.import_module(f"perf.{name}").main(arguments) == 2
    assert capsys.readouterr() == ("", f"{name}.py: {said}\n")


@pytest.mark.parametrize("letters", [9, 99_999])
def test_a_closed_pipe_ends_without_a_line(letters):
    code = f"import sys; from perf.script import script; sys.exit(script(lambda _: print('x' * {letters}))())"
    there, here = os.pipe()
    os.close(there)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=here, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (2, b"")


@pytest.fixture(scope="module")
def smoke(tmp_path_factory) -> Path:
    """The dataset of smoke."""
    folder = tmp_path_factory.mktemp("smoke")
    generate(folder, load_problem("smoke"), 1, Launch(0, 1, 0, 1, "none"))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("script", ROWS)
def test_a_script_starts_and_ends(script, request, tmp_path):
    places = {"out": tmp_path}
    for name in {"smoke", "tiny"} & set(re.findall(r"{(\w+)", ROWS[script])):
        places[name] = request.getfixturevalue(name)
    words = [script, *(word.format(**places) for word in ROWS[script].split())]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
