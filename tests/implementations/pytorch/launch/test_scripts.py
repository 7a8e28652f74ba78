"""The scripts that render.py writes for each launcher, with stand-ins for the launchers and, mostly, for Python: what
they start, and in which order."""

import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from benchmark.problem import load_problem
from compliance.engine import judge
from implementations.pytorch.launch import render
from rules.edition import current, load

ROOT = Path(__file__).resolve().parents[4]
LAUNCH = ROOT / "implementations" / "pytorch" / "launch"
BOTH = ["slurm", "flux"]
PROBLEMS = {  # on 64 ranks
    "scale9": ("--layout", "4,2,2,4"),
    "cosmoflow": (),
    "deepcam-mini": ("batch_size=64", "--hours", "0.5"),
}
SUCCESS = '"key": "run_stop", "value": null, "metadata": {"status": "success"}'
ABORTED = '"key": "run_stop", "value": null, "metadata": {"status": "aborted", "reason": "%s"}'


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


@pytest.mark.parametrize("launcher", ["slurm", "pbs"])
@pytest.mark.parametrize(("problem", "runs"), [("smoke", 5), ("cosmoflow-mini", 10), ("deepcam-mini", 5)])
def test_an_array_has_an_element_for_each_run(jobs, launcher, problem, runs):
    """As many as the rules ask for of the workload, or as many as were asked for when the script was written."""
    layout = ("--problem", problem, "--layout", "2,1,1,1")
    for given, wanted in (((), runs), (("--runs", "3", "--org", "other"), 3)):
        before = len(jobs.calls)
        ends = {f"END_{run}": SUCCESS for run in range(wanted)}
        done = jobs.run(launcher, "--array", *layout, *given, RUNS="", **ends)
        assert done.returncode == 0 and done.stdout.count("1 of 1 runs reached the target") == wanted
        trained = [re.search(r"result_(\d+)\.txt", call)[1] for call in jobs.calls[before:] if call.startswith("train")]
        assert trained == [str(run) for run in range(wanted)]


@pytest.mark.parametrize("launcher", ["slurm", "pbs"])
def test_an_array_of_fewer_elements_than_runs_is_refused(jobs, launcher):
    done = jobs.run(launcher, "--array", RUNS=10)
    assert done.returncode == 2 and not jobs.calls
    assert "RUNS: found 10, wanted 5: this job array has so many elements (render.py --runs 10)\n" in done.stderr


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


@pytest.mark.parametrize(
    ("runtime", "option", "form"), [("apptainer", "--bind", "{0}"), ("enroot", "--mount", "{0}:{0}")]
)
def test_a_container_sees_its_folders(jobs, runtime, option, form):
    image = jobs.folder / "image"
    image.write_text("layers")
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
    done = jobs.run("slurm", "--container", "nvcr.io#x/y:1", "--runtime", "pyxis", DATA="/data", RUNS=1, END_0=SUCCESS)
    assert done.returncode == 0, done.stderr
    asked = (jobs.folder / "options").read_text().splitlines()
    assert (
        asked.count("--container-image=nvcr.io#x/y:1") == 3 and asked.count("--ntasks=1") == 2
    )  # submit.py, collect.py
    assert f"--container-mounts={ROOT}:{ROOT},/data:/data,{jobs.folder}:{jobs.folder}" in asked


def test_scripts_are_sound_bash(jobs, kind):
    for problem, more in PROBLEMS.items():
        layout = () if "--layout" in more else ("--layout", "64,1,1,1")
        shape = ("--nodes", "8", "--ranks-per-node", "8", "--problem", problem, *layout, *more)
        path = jobs.write(*kind, *shape, "--directive=--partition=a b")
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
