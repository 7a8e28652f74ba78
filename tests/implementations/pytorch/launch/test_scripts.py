"""The scripts for Slurm and Flux, where `srun` and `flux` are stand-ins on one machine: from end to end, and, with
another stand-in for Python, what they start in which order."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from benchmark.collect import files_in
from benchmark.problem import load_problem
from implementations.pytorch.config import config_path, load_config
from implementations.pytorch.parallel.layout_search import arrange, idle
from implementations.pytorch.task import config_class

ROOT = Path(__file__).resolve().parents[4]
LAUNCH = ROOT / "implementations" / "pytorch" / "launch"
SCRIPTS = sorted(LAUNCH.glob("*.sh"))
BOTH = ["slurm.sh", "flux.sh"]

# Starts what follows the options twice, with the variables that %s sets for rank $rank, and returns the worst code.
# Both are told to end when a file is there.
TWICE = """
while [[ $1 == -* ]]; do echo "$1" >>"$OPTIONS"; shift; done
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
# Notes what it is to run. The log of run n then ends with the line END_n, and rank 0 with the exit code CODE_n.
PYTHON = """
[[ ${SLURM_PROCID:-0}${FLUX_TASK_RANK:-0} == 00 ]] || exit 0
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
    "srun": TWICE % f"env {SLURM_STEP}",
    "scontrol": '[[ "$*" == "show hostnames node[7-8]" ]] && printf "localhost\\nnode8\\n"',
    "flux": FLUX % (TWICE % f"env {FLUX_TASK}"),
    "python": PYTHON,
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
SUCCESS = '"key": "run_stop", "value": null, "metadata": {"status": "success"}'
ABORTED = '"key": "run_stop", "value": null, "metadata": {"status": "aborted", "reason": "%s"}'


@dataclass(frozen=True)
class Jobs:
    """A folder where scripts are run: OUT, and notes of what they started."""

    folder: Path
    env: dict[str, str]

    def run(self, script: str, *given: str, **env: object) -> subprocess.CompletedProcess:
        """A finished job. Variables that are "" are not set."""
        env = {k: str(v) for k, v in (self.env | env).items() if v != ""}
        command = ["bash", str(LAUNCH / script), *given]
        return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)

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
    names = {"RUNS": "2", "ORG": "tester", "SYSTEM": "two", "OUT": tmp_path, "LAYOUT": "1,2,1,1"}
    names |= {"PYTHON": tmp_path / "bin/python", "OPTIONS": tmp_path / "options", "CALLS": tmp_path / "calls"}
    names |= {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    around = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    return Jobs(tmp_path, around | JOB | {name: str(value) for name, value in names.items()})


@pytest.fixture
def start(jobs, request):
    """The function that runs a script on the tiny problem, or another that a fixture has, for real."""

    def run(script: str, *given: str, problem: str = "tiny", **env: object) -> subprocess.CompletedProcess:
        tiny = request.getfixturevalue(problem)
        files = ["--problems", str(tiny.problems), "--config", str(tiny.config)]
        real = {"PROBLEM": problem, "DATA": tiny.data, "PYTHON": sys.executable, "DEVICE": "cpu", "RUNS": 1}
        return jobs.run(script, *files, *given, **(real | env))

    return run


@pytest.mark.parametrize("script", BOTH)
def test_a_script_makes_a_submission(start, events, tmp_path, script):
    done = start(script)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 runs reached the target" in done.stdout
    log, *beside = sorted((tmp_path / "tester/results/two/strong/scaffold").iterdir(), reverse=True)[1:]
    assert (log.name, [path.name for path in beside]) == ("result_0.txt", ["ledger.jsonl"])
    last = {e.key: e for e in events(log)}
    assert (last["number_of_ranks"].value, last["run_stop"].metadata["status"]) == (2, "success")
    assert last["layout"].value == {"data": 1, "depth": 2, "height": 1, "width": 1}
    assert (tmp_path / "tester/systems/two.json").exists()
    (folder,) = (tmp_path / "tester/source").iterdir()
    assert last["source"].value.startswith(folder.name) and files_in(folder) == last["source"].metadata["files"]
    asked = (tmp_path / "options").read_text()
    assert "--ntasks=2" in asked and "exit" in asked  # and a rank's end is all ranks'


@pytest.mark.parametrize("script", BOTH)
def test_a_wrong_setting_ends_the_job_at_once(start, tmp_path, script):
    done = start(script, "recomptue=true")
    assert done.returncode == 2
    assert "did you mean 'recompute'?" in done.stderr
    assert not (tmp_path / "options").exists()  # no rank was started


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is there")
def test_no_gpu_is_no_run_on_the_cpu(start, jobs):
    done = start("slurm.sh", DEVICE="", STEPS=10)
    assert done.returncode == 2 and "device: found no GPU" in done.stderr and not jobs.logs.exists()


def test_steps_are_measured(start, jobs, events):
    done = start("slurm.sh", STEPS=10)
    assert done.returncode == 0, done.stderr
    (log,) = (jobs.logs / "throughput/scaffold").iterdir()
    assert [e.metadata["steps"] for e in events(log) if e.key == "throughput"] == [10]
    assert not (jobs.logs / "strong").exists()


def test_the_same_job_goes_on_after_the_time_limit(start, jobs, events):
    folder, log = jobs.folder / "checkpoints", jobs.logs / "strong/scaffold/result_0.txt"
    job = {"problem": "endless", "CHECKPOINT": folder}
    first = start("slurm.sh", "epochs=5", **job, END_WHEN=folder / "run_0/epoch_*")
    assert "run 1 of 1: exit code 143" in first.stdout, first.stderr
    assert events(log)[-1].metadata["reason"] == "SIGTERM"
    second = start("slurm.sh", "epochs=5", **job)
    assert "run 1 of 1: exit code 1\n" in second.stdout, second.stderr
    assert [e.key for e in events(log)].count("resumed") == 1
    assert "after 5 epochs" in events(log)[-1].metadata["reason"]
    third = start("slurm.sh", "epochs=5", **job)
    assert third.stdout.startswith("0 of 1 runs") and third.returncode == 1  # that run is over


def fits(layout: str, problem: str, ranks: int) -> None:
    """Fails unless every rank of the layout has work, and the problem can be cut like that."""
    definition = load_problem(problem)
    config = load_config(config_class(definition.workload), config_path(problem), [f"layout=[{layout}]"])
    placed = arrange(config.layout, config.tile, definition, 0, ranks)
    assert not idle(placed, definition, config.batch_size // config.accumulate)


@pytest.mark.parametrize(("script", "ranks"), [("slurm.sh", "SLURM_NTASKS"), ("flux.sh", "RANKS_PER_NODE")])
def test_defaults_fit(jobs, script, ranks):
    done = jobs.run(script, "workers=4", **{ranks: 64, "LAYOUT": "", "RUNS": 1, "END_0": SUCCESS})
    assert done.returncode == 0, done.stderr
    submit, train = jobs.calls
    settings = "--org tester --system two --layout 4,2,2,4 device=cuda workers=4"
    assert (
        submit
        == f"submit.py --runs 0 --out {jobs.folder} --nproc 64 --problem scale9 --data {ROOT}/data/scale9 {settings}"
    )
    assert train.endswith(f"result_0.txt --problem scale9 --data {ROOT}/data/scale9 {settings}")
    fits("4,2,2,4", "scale9", 64)
    assert "=8\n" in re.search(r"(--nodes=8)\n", (LAUNCH / script).read_text())[0]


def test_examples_fit():
    found = 0
    for path in (*LAUNCH.iterdir(), LAUNCH.parent / "README.md"):
        text = path.read_text().replace("\\\n", "")
        for line in text.splitlines():
            nodes, layout = re.search(r"--nodes=(\d+)", line), re.search(r"LAYOUT=([\d,]+)", line)
            if nodes and layout:
                problem = re.search(r"PROBLEM=(\w+)", line)
                fits(layout[1], problem[1] if problem else "scale9", 8 * int(nodes[1]))
                found += 1
            elif "--nproc-per-node 8" in line and "--problem" in line:
                fits(re.search(r"--layout ([\d,]+)", line)[1], re.search(r"--problem (\w+)", line)[1], 8)
                found += 1
    assert found >= 6


@pytest.mark.parametrize("script", BOTH)
@pytest.mark.parametrize("env", [{}, {"PROBLEM": "scale11"}, {"STEPS": 9}])
def test_ranks_without_a_layout_are_refused(jobs, script, env):
    done = jobs.run(script, LAYOUT="", **env)
    assert done.returncode == 2 and not jobs.calls
    assert f"LAYOUT: found none, wanted data,depth,height,width for {env.get('PROBLEM', 'scale9')} on 2" in done.stderr


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


def test_runs_that_are_over_are_left_alone(jobs):
    kept = jobs.folder / "kept"
    ends = {"END_0": SUCCESS, "END_1": ABORTED % "SIGTERM", "CODE_1": 143}
    assert jobs.run("slurm.sh", CHECKPOINT=kept, **ends).returncode == 1
    (kept / "run_0").mkdir(parents=True)
    done = jobs.run("slurm.sh", CHECKPOINT=kept, END_1=SUCCESS)
    assert done.returncode == 0 and "2 of 2" in done.stdout
    trained = [call for call in jobs.calls if call.startswith("train.py")]
    runs = [re.search(r"result_(\d)\.txt --checkpoint (\S+) --resume", call).groups() for call in trained]
    assert runs == [("0", f"{kept}/run_0"), ("1", f"{kept}/run_1"), ("1", f"{kept}/run_1")]


def test_every_measurement_has_a_log_of_its_own(jobs):
    for _ in range(2):
        assert jobs.run("flux.sh", "--trace", "build/trace", STEPS=40).returncode == 0
    logs = [re.search(r"train.py --log (\S+) --steps 40 .* --trace build/trace$", call)[1] for call in jobs.calls]
    assert logs == [f"{jobs.logs}/throughput/scaffold/result_{number}.txt" for number in range(2)]


def test_a_runs_own_ends_are_known(jobs):
    """What training/run.py gives for reasons is what runs.sh takes for an end."""
    source = (LAUNCH.parent / "training" / "run.py").read_text()
    reasons = [re.sub(r"{.*?}", "7", text) for text in re.findall(r'raise Aborted\(f"(.*)"\)', source)]
    assert len(reasons) == 2
    for reason in reasons:
        jobs.run("slurm.sh", OUT=jobs.folder / reason[:5], END_0=ABORTED % reason, CODE_0=143)
    assert sum("result_1.txt" in call for call in jobs.calls) == 2


def test_a_container_sees_its_folders(jobs):
    body = 'while [[ $1 != image ]]; do echo "$1" >>"$CALLS"; shift; done; shift 2; exec python "$@"'
    path = jobs.folder / "bin/apptainer"
    path.write_text(f"#!/bin/bash\n{body}\n")
    path.chmod(0o755)
    done = jobs.run("slurm.sh", CONTAINER="image", STAGE="/local", CHECKPOINT="/tmp", DATA="/data", RUNS=0)
    assert done.returncode == 0, done.stderr
    assert jobs.calls[:-1] == [
        "exec",
        "--nv",
        *(w for f in (ROOT, "/data", "/local", "/tmp", jobs.folder) for w in ("--bind", str(f))),
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_sound_bash(script):
    subprocess.run(["bash", "-n", str(script)], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", "--external-sources", str(script)], cwd=ROOT, check=True)


@pytest.mark.parametrize("name", ["Containerfile.cpu", "Containerfile.cuda", "apptainer.def"])
def test_containers_have_the_pins(name):
    text = (LAUNCH / name).read_text()
    build = "cpu" if name.endswith("cpu") else "cuda"
    installs = re.findall(r"pip install (.*?)-r /tmp/requirements/(\w+)\.txt", text)
    assert [listed for _, listed in installs] == ["common", build]
    assert all("--require-hashes" in options for options, _ in installs) and "PYTHONNOUSERSITE=1" in text
    if name != "Containerfile.cpu":
        assert "libibverbs1 ibverbs-providers librdmacm1" in text
