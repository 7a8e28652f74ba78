"""Stand-ins for launchers and container runtimes on one machine: `sbatch`, `srun`, `flux`, `qsub`, `mpirun`, ..."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.launch import render
from tests.support.fake.calls import FAKE, Calls
from tests.support.tiny import environment

KINDS = [  # of jobs: launchers, and what they need
    ("slurm",),
    ("slurm", "--array"),
    ("slurm", "--container", "image.sqsh", "--runtime", "pyxis"),
    ("slurm", "--container", "image.sqsh", "--runtime", "enroot"),
    ("flux",),
    ("flux", "--container", "image.sif"),
    ("pbs",),
    ("pbs", "--array", "--mpi", "pals"),
    ("mpi",),
    ("mpi", "--mpi", "mpich"),
]
START = {"slurm": ("sbatch",), "flux": ("flux", "batch"), "pbs": ("qsub",), "mpi": ("bash",)}

# Starts the program for each of $ranks ranks, with the variables that %s sets for rank $rank; the worst code. All are
# told to end when a file is there.
EACH = """
pids=()
for ((rank = 0; rank < ${ranks:=2}; rank++)); do %s "${program[@]}" & pids+=($!); done
if [[ -n ${END_WHEN:-} ]]; then
    while kill -0 "${pids[0]}" 2>/dev/null && ! compgen -G "$END_WHEN" >/dev/null; do sleep 0.02; done
    compgen -G "$END_WHEN" >/dev/null && kill -TERM "${pids[@]}" 2>/dev/null || true
fi
worst=0
for pid in "${pids[@]}"; do wait "$pid" || { code=$?; ((code > worst)) && worst=$code; }; done
exit "$worst"
"""
# The words before the first that matches a pattern, and the others.
SPLIT = """
options=()
while [[ $1 != %s ]]; do options+=("$1"); shift; done
program=("$@")
"""
SRUN = SPLIT % "[!-]*" + "[[ ${options[*]} =~ --ntasks=([0-9]+) ]] && ranks=${BASH_REMATCH[1]}"
MPI = SPLIT % "env"
SLURM_STEP = (
    "SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=$ranks SLURM_LOCALID=$rank SLURM_STEP_TASKS_PER_NODE=$ranks "
    "SLURM_NODEID=0 SLURM_STEP_NUM_NODES=1"
)
FLUX_TASK = "FLUX_TASK_RANK=$rank FLUX_JOB_SIZE=2 FLUX_TASK_LOCAL_ID=$rank FLUX_JOB_NNODES=1"
OMPI = "OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_LOCAL_SIZE=2"
PALS = "PALS_RANKID=$rank PALS_LOCAL_RANKID=$rank PALS_LOCAL_SIZE=2"
PMI = "PMI_RANK=$rank PMI_SIZE=2 PMI_LOCAL_RANK=$rank PMI_LOCAL_SIZE=2"
# Runs a copy of the script from another folder, as schedulers do, once for each element of an array.
BATCH = """
cp "$1" "$SPOOL/job"
last=$(sed -nE 's/^#(SBATCH --array=|PBS -J )0-([0-9]+)%%1$/\\2/p' "$1")
worst=0
cd /
for ((i = 0; i <= ${last:-0}; i++)); do %s bash "$SPOOL/job" || worst=$?; done
exit "$worst"
"""
FLUX = """
case "$*" in
    "hostlist --nth=0 local") echo localhost ;;
    run*) shift; %s ;;
    batch*) shift; %s ;;
    *) echo "flux $*: unexpected" >&2; exit 1 ;;
esac
"""
IMAGE = SPLIT % "*image"
# Hands on what it is told to alone, and what the stand-ins need.
ENROOT = """
kept=(PATH="$PATH" PYTHON="$PYTHON" CALLS="$CALLS" ACTS="$ACTS")
for word in "${options[@]}"; do
    if [[ $before == --env && -v $word ]]; then kept+=("$word=${!word}"); fi
    before=$word
done
exec env -i "${kept[@]}" "${program[@]:1}"
"""
STANDINS = {
    "sbatch": BATCH % "SLURM_JOB_ID=4711 SLURM_JOB_NODELIST='node[7-8]' SLURM_PROCID=0 SLURM_ARRAY_TASK_ID=$i",
    "srun": SRUN + EACH % f"env {SLURM_STEP}",
    "scontrol": '[[ "$*" == "show hostnames node[7-8]" ]] && printf "localhost\\nnode8\\n"',
    "flux": FLUX % (SRUN + EACH % f"env {FLUX_TASK}", BATCH % ""),
    "qsub": BATCH % 'PBS_JOBID="123456789012[$i].server" PBS_NODEFILE=$SPOOL/nodes PBS_ARRAY_INDEX=$i',
    "mpirun": MPI + EACH % f"env {OMPI}",
    "mpiexec": MPI + EACH % f'env $([[ " ${{options[*]}} " == *" -ppn "* ]] && echo {PMI} || echo {PALS})',
    "apptainer": IMAGE + 'exec "${program[@]:1}"',
    "enroot": IMAGE + ENROOT,
    "python3": 'exec "$PYTHON" "$@"',  # the container's
}


@dataclass(frozen=True)
class Jobs(Calls):
    """A folder where scripts are run: OUT, and notes of what they started."""

    env: dict[str, str]

    def write(self, launcher: str, *given: str) -> Path:
        """The script of a job of two ranks on one node, for smoke and by the implementation that learns nothing where
        nothing else is given."""
        named = {"--implementation": str(FAKE), "--problem": "smoke", "--org": "tester", "--system": "two"}
        named |= {"--nodes": "1", "--layout": "1,2,1,1", "--ranks-per-node": "2", "--cores-per-rank": "1"}
        named |= {"--out": str(self.folder)}
        words = [word for name, value in named.items() if name not in given for word in (name, value)]
        path = self.folder / "job.sh"
        assert render.main([launcher, *words, "--output", str(path), *given]) == 0
        return path

    def run(self, launcher: str, *given: str, **env: object) -> subprocess.CompletedProcess:
        """A finished job. Variables that are "" are not set."""
        env = {k: str(v) for k, v in (self.env | env).items() if v != ""}
        command = [*START[launcher], str(self.write(launcher, *given))]
        return subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, timeout=240)

    @property
    def logs(self) -> Path:
        return self.folder / "tester/results/two"


@pytest.fixture
def jobs(tmp_path) -> Jobs:
    """Jobs of 2 ranks."""
    for name, body in STANDINS.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)
    (tmp_path / "nodes").write_text("localhost\nlocalhost\n")
    (tmp_path / "ACTS").touch()
    names = {"RUNS": "2", "PYTHON": sys.executable, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    names |= {"SPOOL": tmp_path, "CALLS": tmp_path / "CALLS", "ACTS": tmp_path / "ACTS"}
    return Jobs(tmp_path, environment() | {name: str(value) for name, value in names.items()})


@pytest.fixture
def start(jobs, request):
    """The function that runs a script on the tiny problem, or another that a fixture has, with the reference."""

    def run(launcher: str, *given: str, problem: str = "tiny", **env: object) -> subprocess.CompletedProcess:
        tiny = request.getfixturevalue(problem)
        files = ["--implementation", "pytorch", "--problem", problem, "--problems", str(tiny.problems)]
        files += ["--config", str(tiny.config), "--device", "cpu"]
        return jobs.run(launcher, *files, *given, **({"DATA": tiny.data, "RUNS": 1} | env))

    return run
