"""The scripts that render.py writes for each launcher, where `sbatch`, `srun`, `flux`, `qsub`, `mpirun` are stand-ins
on one machine: from end to end, and, with another stand-in for Python, what they start in which order."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from benchmark.collect import files_in
from benchmark.problem import load_problem
from benchmark.tree import environment_path
from compliance.engine import judge
from implementations.pytorch.launch import render
from rules.edition import current, load

ROOT = Path(__file__).resolve().parents[4]
LAUNCH = ROOT / "implementations" / "pytorch" / "launch"
BOTH = ["slurm", "flux"]
START = {"slurm": ("sbatch",), "flux": ("flux", "batch"), "pbs": ("qsub",), "mpi": ("bash",)}
EVERY = [  # launchers, and what they need
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
PROBLEMS = {  # on 64 ranks
    "scale9": ("--layout", "4,2,2,4"),
    "cosmoflow": (),
    "deepcam-mini": ("batch_size=64", "--hours", "0.5"),
}

# Starts "$@" twice, with the variables that %s sets for rank $rank, and returns the worst code. Both are told to end
# when a file is there.
TWICE = """
pids=()
for rank in 0 1; do %s "$@" & pids+=($!); done
if [[ -n ${END_WHEN:-} ]]; then
    until compgen -G "$END_WHEN" >/dev/null; do sleep 0.02; done
    kill -TERM "${pids[@]}"
fi
worst=0
for pid in "${pids[@]}"; do wait "$pid" || { code=$?; ((code > worst)) && worst=$code; }; done
exit "$worst"
"""
OPTIONS = 'while [[ $1 == -* ]]; do echo "$1" >>"$ASKED"; shift; done\n'
UNTIL_ENV = 'while [[ $1 != env ]]; do echo "$1" >>"$ASKED"; shift; done\n'
SLURM_STEP = (
    "SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=$rank SLURM_STEP_TASKS_PER_NODE=2 SLURM_NODEID=0 "
    "SLURM_STEP_NUM_NODES=1"
)
FLUX_TASK = "FLUX_TASK_RANK=$rank FLUX_JOB_SIZE=2 FLUX_TASK_LOCAL_ID=$rank FLUX_JOB_NNODES=1"
OMPI = "OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_LOCAL_SIZE=2"
PALS = "PALS_RANKID=$rank PALS_LOCAL_RANKID=$rank PALS_LOCAL_SIZE=2"
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
# Notes what it is to run. The log of run n then ends with the line END_n, and rank 0 with the exit code CODE_n.
PYTHON = """
[[ ${SLURM_PROCID:-0}${FLUX_TASK_RANK:-0}${OMPI_COMM_WORLD_RANK:-0}${PALS_RANKID:-0} == 0000 ]] || exit 0
echo "${@##*/implementations/pytorch/}" >>"$CALLS"
[[ $1 == *train.py ]] || exit 0
while [[ $1 != --log ]]; do shift; done
run=${2//[!0-9]/}
run=${run: -1}
mkdir -p "${2%/*}"
end=END_$run code=CODE_$run
echo "${!end:-}" >>"$2"
exit "${!code:-0}"
"""
STANDINS = {
    "sbatch": BATCH % "SLURM_JOB_ID=4711 SLURM_JOB_NODELIST='node[7-8]' SLURM_PROCID=0 SLURM_ARRAY_TASK_ID=$i",
    "srun": OPTIONS + TWICE % f"env {SLURM_STEP}",
    "scontrol": '[[ "$*" == "show hostnames node[7-8]" ]] && printf "localhost\\nnode8\\n"',
    "flux": FLUX % (OPTIONS + TWICE % f"env {FLUX_TASK}", BATCH % ""),
    "qsub": BATCH % 'PBS_JOBID="123456789012[$i].server" PBS_NODEFILE=$SPOOL/nodes PBS_ARRAY_INDEX=$i',
    "mpirun": UNTIL_ENV + TWICE % f"env {OMPI}",
    "mpiexec": UNTIL_ENV + TWICE % f"env {PALS}",
    "python": PYTHON,
}
LAUNCHERS = ("RANK", "SLURM", "PMI", "PALS", "PBS", "OMPI", "FLUX", "WORLD", "LOCAL", "MASTER")  # around the tests
SUCCESS = '"key": "run_stop", "value": null, "metadata": {"status": "success"}'
ABORTED = '"key": "run_stop", "value": null, "metadata": {"status": "aborted", "reason": "%s"}'


@dataclass(frozen=True)
class Jobs:
    """A folder where scripts are run: OUT, and notes of what they started."""

    folder: Path
    env: dict[str, str]

    def write(self, launcher: str, *given: str) -> Path:
        """The script of a job of two ranks on one node, for two runs of smoke where nothing else is given."""
        named = {"--problem": "smoke", "--layout": "1,2,1,1", "--org": "tester", "--system": "two", "--nodes": "1"}
        named |= {"--ranks-per-node": "2", "--cores-per-rank": "1", "--out": str(self.folder)}
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
    def calls(self) -> list[str]:
        """What was to be run but for collecting source, without the folder of the scripts; each run once."""
        notes = self.folder / "calls"
        lines = notes.read_text().splitlines() if notes.exists() else []
        return [line.removeprefix("implementations/pytorch/") for line in lines if "collect.py" not in line]

    @property
    def logs(self) -> Path:
        return self.folder / "tester/results/two"


@pytest.fixture
def jobs(tmp_path) -> Jobs:
    """Jobs of 2 ranks that run nothing but a stand-in for Python."""
    for name, body in STANDINS.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)
    (tmp_path / "nodes").write_text("localhost\nlocalhost\n")
    names = {"RUNS": "2", "PYTHON": tmp_path / "bin/python", "SPOOL": tmp_path}
    names |= {"ASKED": tmp_path / "options", "CALLS": tmp_path / "calls"}
    names |= {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    around = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    return Jobs(tmp_path, around | {name: str(value) for name, value in names.items()})


@pytest.fixture
def start(jobs, request, warm):
    """The function that runs a script on the tiny problem, or another that a fixture has, for real."""

    def run(launcher: str, *given: str, problem: str = "tiny", **env: object) -> subprocess.CompletedProcess:
        tiny = request.getfixturevalue(problem)
        files = ["--problem", problem, "--problems", str(tiny.problems), "--config", str(tiny.config)]
        device = [] if "--device" in given else ["--device", "cpu"]
        real = {"DATA": tiny.data, "PYTHON": sys.executable, "RUNS": 1}
        return jobs.run(launcher, *files, *device, *given, **(real | env))

    return run


@pytest.mark.parametrize("given", [("slurm",), ("pbs", "--mpi", "pals")], ids=lambda words: words[0])
def test_a_script_makes_a_submission(start, events, published, tmp_path, given):
    done = start(*given)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 runs reached the target" in done.stdout
    folder = tmp_path / "tester/results/two/strong/scaffold"
    log = folder / "result_0.txt"
    found = sorted(path.name for path in folder.iterdir())
    assert found == ["environment_0.json", "ledger.jsonl", "result_0.txt", "weights"]
    last = {e.key: e for e in events(log)}
    assert (last["number_of_ranks"].value, last["run_stop"].metadata["status"]) == (2, "success")
    assert last["layout"].value == {"data": 1, "depth": 2, "height": 1, "width": 1}
    assert json.loads((tmp_path / "tester/systems/two.json").read_text())["number_of_nodes"] == "1"
    (source,) = (tmp_path / "tester/source").iterdir()
    assert last["source"].value.startswith(source.name) and files_in(source) == last["source"].metadata["files"]
    launcher = json.loads(environment_path(log).read_text())["run"]["launcher"]["value"]
    wanted = {"slurm": "slurm", "pbs": "pals"}[given[0]]
    assert launcher == {"launcher": wanted, "ranks": 2, "ranks_per_node": 2, "backend": "gloo"}
    verdict = judge([tmp_path / "tester"], edition=current(), rules=published(log, tmp_path / "rules"))
    assert [f.text() for f in verdict.findings] == []


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is there")
def test_no_gpu_is_no_run_on_the_cpu(start, jobs):
    done = start("slurm", "--device", "cuda", STEPS=10)
    assert done.returncode == 2 and "device: found no GPU" in done.stderr and not jobs.logs.exists()


def test_steps_are_measured(start, jobs, events):
    done = start("flux", STEPS=10)
    assert done.returncode == 0, done.stderr
    manifest, log = sorted((jobs.logs / "throughput/scaffold").iterdir())
    assert json.loads(manifest.read_text())["run"]["launcher"]["value"]["launcher"] == "flux"
    found = {f.code for f in judge([log], edition=current()).findings if f.severity == "error"}
    assert found == {"LOG12"}  # a problem that the rules don't publish
    assert [e.metadata["steps"] for e in events(log) if e.key == "throughput"] == [10]
    assert not (jobs.logs / "strong").exists()


def test_the_same_job_goes_on_after_the_time_limit(start, jobs, events):
    folder, log = jobs.folder / "checkpoints", jobs.logs / "strong/scaffold/result_0.txt"
    job = {"problem": "endless", "CHECKPOINT": folder}
    first = start("mpi", "epochs=5", **job, END_WHEN=folder / "run_0/epoch_*")
    assert "run 1 of 1: exit code 143" in first.stdout, first.stderr
    assert events(log)[-1].metadata["reason"] == "SIGTERM"
    second = start("mpi", "epochs=5", **job)
    assert "run 1 of 1: exit code 1\n" in second.stdout, second.stderr
    assert [e.key for e in events(log)].count("resumed") == 1
    assert "after 5 epochs" in events(log)[-1].metadata["reason"]
    third = start("mpi", "epochs=5", **job)
    assert third.stdout.startswith("0 of 1 runs") and third.returncode == 1  # that run is over


@pytest.mark.parametrize(
    ("end", "code", "checkpoint", "begun"),
    [
        (SUCCESS, 0, False, 2),
        (ABORTED % "SIGTERM", 143, False, 1),  # the time limit
        ("", 137, False, 1),
        (ABORTED % "no such file", 2, False, 1),
        (ABORTED % "the loss is nan in epoch 3", 1, False, 2),
        (ABORTED % "Dice 0.9400 after 100 epochs, wanted 0.95", 1, False, 2),
        (ABORTED % "Dice 0.9400 after 100 epochs, wanted 0.95", 143, False, 2),  # of a rank that was taken along
        (ABORTED % "another rank ended", 1, False, 2),
        (ABORTED % "another rank ended", 1, True, 1),  # the next job goes on with it
        (ABORTED % "the loss is nan in epoch 3", 1, True, 2),
    ],
)
@pytest.mark.parametrize("script", BOTH)
def test_the_next_run_begins_only_if_it_can_end(jobs, script, end, code, checkpoint, begun):
    ends = {"END_0": end, "CODE_0": code, "END_1": SUCCESS}
    done = jobs.run(script, CHECKPOINT=jobs.folder / "kept" if checkpoint else "", **ends)
    assert [call.partition(" ")[0] for call in jobs.calls] == ["submit.py"] + ["train.py"] * begun
    good = (end == SUCCESS) + begun - 1
    assert f"{good} of 2 runs reached the target" in done.stdout and done.returncode == (good < 2)


def test_the_description_is_of_the_jobs_nodes(jobs):
    assert jobs.run("flux", "--nodes", "2", "--ranks-per-node", "1", RUNS=0).returncode == 0
    (submit,) = jobs.calls
    assert submit.startswith(f"submit.py --runs 0 --out {jobs.folder} --nproc 2 --nodes 2 --problem smoke ")


def test_runs_that_are_over_are_left_alone(jobs):
    kept = jobs.folder / "kept"
    ends = {"END_0": SUCCESS, "END_1": ABORTED % "SIGTERM", "CODE_1": 143}
    assert jobs.run("slurm", CHECKPOINT=kept, **ends).returncode == 1
    (kept / "run_0").mkdir(parents=True)
    done = jobs.run("slurm", CHECKPOINT=kept, END_1=SUCCESS)
    assert done.returncode == 0 and "2 of 2" in done.stdout
    trained = [call for call in jobs.calls if call.startswith("train.py")]
    runs = [re.search(r"result_(\d)\.txt --checkpoint (\S+) --resume", call).groups() for call in trained]
    assert runs == [("0", f"{kept}/run_0"), ("1", f"{kept}/run_1"), ("1", f"{kept}/run_1")]


@pytest.mark.parametrize("launcher", ["slurm", "pbs"])
def test_a_job_array_makes_each_run_once(jobs, launcher):
    """One element for each run that the rules ask for; started again, finished runs stay, a broken one is made."""
    more = ("--mpi", "pals") if launcher == "pbs" else ()
    ends = {f"END_{run}": SUCCESS for run in range(5)} | {"END_3": "", "CODE_3": 137, "RUNS": ""}
    first = jobs.run(launcher, "--array", *more, **ends)
    assert first.returncode == 1 and first.stdout.count("1 of 1 runs reached the target") == 4
    logs = [jobs.logs / f"strong/scaffold/result_{run}.txt" for run in range(5)]
    before = [log.read_bytes() for log in logs]
    assert jobs.run(launcher, "--array", *more, **ends | {"END_3": SUCCESS, "CODE_3": 0}).returncode == 0
    assert [log.read_bytes() == old for log, old in zip(logs, before, strict=True)] == [True] * 3 + [False, True]
    calls = [shlex.split(call) for call in jobs.calls]
    trained = [Path(words[words.index("--log") + 1]).name for words in calls if words[0] == "train.py"]
    assert trained == [*(f"result_{run}.txt" for run in range(5)), "result_3.txt"]
    assert [words[words.index("--aside") + 1] for words in calls if "--aside" in words] == ["3"]


@pytest.mark.skipif(not shutil.which("flock"), reason="no flock")
def test_two_jobs_at_work_on_one_set(jobs):
    held = jobs.folder / ".tester.two.scaffold.lock"
    with subprocess.Popen(["flock", str(held), "sleep", "60"]) as other:
        while not held.exists() or subprocess.run(["flock", "--nonblock", str(held), "true"]).returncode == 0:
            pass
        done = jobs.run("slurm", END_0=SUCCESS)
        other.kill()
    assert done.returncode == 2 and "found another job at work, wanted one at a time" in done.stderr and not jobs.calls


def test_every_measurement_has_a_log_of_its_own(jobs):
    for _ in range(2):
        assert jobs.run("flux", STEPS=40).returncode == 0
    logs = [re.search(r"train.py --log (\S+) --steps 40 ", call)[1] for call in jobs.calls]
    assert logs == [f"{jobs.logs}/throughput/scaffold/result_{number}.txt" for number in range(2)]


def test_a_runs_own_ends_are_known(jobs):
    """What training/run.py gives for reasons is what runs.sh takes for an end."""
    source = (LAUNCH.parent / "training" / "run.py").read_text()
    reasons = [re.sub(r"{.*?}", "7", text) for text in re.findall(r'raise Aborted\(f"(.*)"\)', source)]
    assert len(reasons) == 2
    for reason in reasons:
        jobs.run("slurm", "--out", str(jobs.folder / reason[:3]), END_0=ABORTED % reason, CODE_0=143)
    assert sum("result_1.txt" in call for call in jobs.calls) == 2


CONTAINERS = {
    "apptainer": 'while [[ $1 != *image ]]; do echo "$1" >>"$CALLS"; shift; done; shift 2; exec python "$@"',
    "enroot": 'while [[ $1 != *image ]]; do echo "$1" >>"$CALLS"; shift; done; shift; [[ $1 == sh ]] && exec "$@"',
}


@pytest.mark.parametrize(
    ("runtime", "option", "form"), [("apptainer", "--bind", "{0}"), ("enroot", "--mount", "{0}:{0}")]
)
def test_a_container_sees_its_folders(jobs, runtime, option, form):
    image = jobs.folder / "image"
    image.write_text("layers")
    for name, body in ((runtime, CONTAINERS[runtime]), ("python3", 'exec python "$@"')):
        path = jobs.folder / "bin" / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)
    words = ("--container", str(image), "--runtime", runtime)
    done = jobs.run("slurm", *words, STAGE="/local", CHECKPOINT=jobs.folder / "kept", DATA="/data", RUNS=0)
    assert done.returncode == 0, done.stderr
    calls = (jobs.folder / "calls").read_text().splitlines()
    seen = [value for name, value in pairwise(calls) if name == option]
    assert seen == [form.format(f) for f in (ROOT, "/data", "/local", jobs.folder / "kept", jobs.folder)]
    assert "submit.py --runs 0" in calls[-1]
    if runtime == "enroot":  # ranks know themselves
        assert {"SLURM_PROCID", "PMI_RANK", "PALS_RANKID", "OMPI_COMM_WORLD_RANK", "FLUX_TASK_RANK"} <= set(calls)


def test_pyxis_starts_everything_by_srun(jobs):
    (jobs.folder / "bin/python3").write_text('#!/bin/bash\nexec python "$@"\n')
    (jobs.folder / "bin/python3").chmod(0o755)
    done = jobs.run("slurm", "--container", "nvcr.io#x/y:1", "--runtime", "pyxis", DATA="/data", RUNS=1, END_0=SUCCESS)
    assert done.returncode == 0, done.stderr
    asked = (jobs.folder / "options").read_text().splitlines()
    assert (
        asked.count("--container-image=nvcr.io#x/y:1") == 3 and asked.count("--ntasks=1") == 2
    )  # submit.py, collect.py
    assert f"--container-mounts={ROOT}:{ROOT},/data:/data,{jobs.folder}:{jobs.folder}" in asked


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_scripts_are_sound_bash(jobs, words):
    for problem, more in PROBLEMS.items():
        layout = () if "--layout" in more else ("--layout", "64,1,1,1")
        shape = ("--nodes", "8", "--ranks-per-node", "8", "--problem", problem, *layout, *more)
        path = jobs.write(*words, *shape, "--directive=--partition=a b")
        subprocess.run(["bash", "-n", str(path)], check=True)
        benchmark = load_problem(problem).workload
        text = path.read_text()
        assert (
            f"/{benchmark} MEASURED=" in text
            and f"RUNS=${{RUNS:-{load(render.EDITION).benchmarks[benchmark].runs}}}" in text
        )
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", "--external-sources", str(path)], cwd=ROOT, check=True)
    subprocess.run(["bash", "-n", str(LAUNCH / "runs.sh")], check=True)


@pytest.mark.parametrize("name", ["Containerfile.cpu", "Containerfile.cuda", "apptainer.def"])
def test_containers_have_the_pins(name):
    text = (LAUNCH / name).read_text()
    build = "cpu" if name.endswith("cpu") else "cuda"
    installs = re.findall(r"pip install (.*?)-r /tmp/requirements/(\w+)\.txt", text)
    assert list(dict.fromkeys(listed for _, listed in installs)) == ["common", build]
    assert all("--require-hashes" in options for options, _ in installs) and "PYTHONNOUSERSITE=1" in text
    if name != "Containerfile.cpu":
        assert "libibverbs1 ibverbs-providers librdmacm1" in text
