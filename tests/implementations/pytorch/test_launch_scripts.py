"""The scripts for Slurm and Flux, run from end to end where `srun` and `flux` are stand-ins on one machine."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LAUNCH = ROOT / "implementations" / "pytorch" / "launch"
SCRIPTS = sorted(LAUNCH.glob("*.sh"))

# Starts what follows the options twice, with the variables that %s sets for rank $rank, and returns the worst code.
TWICE = """
while [[ $1 == -* ]]; do echo "$1" >>"$OPTIONS"; shift; done
pids=()
for rank in 0 1; do %s "$@" & pids+=($!); done
worst=0
for pid in "${pids[@]}"; do wait "$pid" || { code=$?; ((code > worst)) && worst=$code; }; done
exit "$worst"
"""
SLURM_STEP = (
    "SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=$rank SLURM_STEP_TASKS_PER_NODE=2 SLURM_NODEID=0 "
    "SLURM_STEP_NUM_NODES=1"
)
FLUX_TASK = "FLUX_TASK_RANK=$rank FLUX_JOB_SIZE=2 FLUX_TASK_LOCAL_ID=$rank FLUX_JOB_NNODES=1"
FLUX = """
case "$*" in
    "hostlist --count local") echo 1 ;;
    "hostlist --nth=0 local") echo localhost ;;
    run*) shift; %s ;;
    *) echo "flux $*: unexpected" >&2; exit 1 ;;
esac
"""
STANDINS = {
    "srun": TWICE % f"env {SLURM_STEP}",
    "scontrol": '[[ "$*" == "show hostnames node[7-8]" ]] && printf "localhost\\nnode8\\n"',
    "flux": FLUX % (TWICE % f"env {FLUX_TASK}"),
}
LAUNCHERS = ("RANK", "SLURM", "PMI", "OMPI", "FLUX", "WORLD", "LOCAL", "MASTER")  # around the tests
JOB = {
    "SLURM_NTASKS": "2",
    "SLURM_JOB_ID": "4711",
    "SLURM_JOB_NODELIST": "node[7-8]",
    "SLURM_SUBMIT_DIR": str(ROOT),
    "SLURM_PROCID": "0",  # as in a batch script: no rank
    "SLURM_CPUS_PER_TASK": "1",
    "RANKS_PER_NODE": "2",
    "CORES_PER_RANK": "1",
}


@pytest.fixture
def start(tiny, tmp_path):
    """The function that runs a script on the tiny problem, as 2 ranks that split every sample."""
    for name, body in STANDINS.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)
    names = {"PROBLEM": "tiny", "DATA": tiny.data, "RUNS": "1", "ORG": "tester", "SYSTEM": "two", "OUT": tmp_path}
    names |= {"PYTHON": sys.executable, "OPTIONS": tmp_path / "options"}
    names["PATH"] = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    around = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    env = around | JOB | {name: str(value) for name, value in names.items()}

    def run(script: str, *settings: str):
        files = ["--problems", str(tiny.problems), "--config", str(tiny.config), "--layout", "1,2,1,1"]
        command = ["bash", str(LAUNCH / script), *files, *settings]
        return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)

    return run


@pytest.mark.parametrize("script", ["slurm.sh", "flux.sh"])
def test_a_script_makes_a_submission(start, events, tmp_path, script):
    done = start(script)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 runs reached the target" in done.stdout
    (log,) = (tmp_path / "tester/results/two/strong/scaffold").iterdir()
    assert log.name == "result_0.txt"
    last = {e.key: e for e in events(log)}
    assert (last["number_of_ranks"].value, last["run_stop"].metadata["status"]) == (2, "success")
    assert (tmp_path / "tester/systems/two.json").exists()
    assert (tmp_path / "tester/benchmarks/scaffold/implementations/pytorch/launch" / script).exists()
    asked = (tmp_path / "options").read_text()
    assert "--ntasks=2" in asked and "exit" in asked  # and a rank's end is all ranks'


@pytest.mark.parametrize("script", ["slurm.sh", "flux.sh"])
def test_a_wrong_setting_ends_the_job_at_once(start, tmp_path, script):
    done = start(script, "recomptue=true")
    assert done.returncode == 2
    assert "did you mean 'recompute'?" in done.stderr
    assert not (tmp_path / "options").exists()  # no rank was started


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_sound_bash(script):
    subprocess.run(["bash", "-n", str(script)], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", "--external-sources", str(script)], cwd=ROOT, check=True)


@pytest.mark.parametrize("name", ["Containerfile.cpu", "Containerfile.cuda", "apptainer.def"])
def test_containers_have_the_pins(name):
    text = (LAUNCH / name).read_text()
    wanted = re.search(r"torch==[\d.]+", (ROOT / "pyproject.toml").read_text())[0]
    assert re.findall(r"torch==[\d.]+", text) == [wanted]
    assert "requirements.txt" in text
