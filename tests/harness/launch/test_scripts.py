"""The scripts that render.py writes for each launcher, with stand-ins for the launchers: what they start."""

import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise

import pytest

from benchmark.problem import load_problem
from compliance.engine import judge
from rules.current import EDITION, current
from rules.edition import load
from tests.support import ROOT
from tests.support.jobs import KINDS

LAUNCH = ROOT / "harness" / "launch"
PROBLEMS = {  # on 64 ranks
    "scale9": ("--layout", "4,2,2,4"),
    "cosmoflow": (),
    "deepcam-mini": ("batch_size=64", "--hours", "0.5"),
}


@pytest.fixture
def tiny_jobs(jobs, tiny_data):
    """Jobs on the tiny problem, by the implementation that learns nothing."""

    def run(launcher: str, *given: str, acts: tuple[str, ...] = (), **env: object) -> subprocess.CompletedProcess:
        (jobs.folder / "acts").write_text("\n".join(acts))
        files = ["--problem", "tiny", "--problems", str(tiny_data.problems), "--device", "cpu"]
        return jobs.run(launcher, *files, *given, DATA=tiny_data.data, **env)

    return run


@pytest.mark.skipif(bool(shutil.which("nvidia-smi")), reason="a GPU is there")
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


@pytest.mark.parametrize("launcher", ["slurm", "flux", "pbs", "mpi"])
def test_the_dataset_is_made_by_all_ranks_and_no_run(jobs, tiny_data, launcher):
    made = jobs.folder / f"made by {launcher}"
    files = ["--problem", "tiny", "--problems", str(tiny_data.problems), "--device", "cpu"]
    done = jobs.run(launcher, *files, GENERATE=1, DATA=made)
    assert done.returncode == 0, done.stderr
    assert not jobs.runs()
    assert sorted(p.name for p in made.iterdir()) == sorted(p.name for p in tiny_data.data.iterdir())


def test_the_same_job_goes_on_after_the_time_limit(start, jobs, events):
    folder, log = jobs.folder / "checkpoints", jobs.logs / "strong/scaffold/result_0.txt"
    job = {"problem": "endless", "CHECKPOINT": folder}
    first = start("mpi", "epochs=5", **job, END_WHEN=folder / "two/scaffold/result_0/epoch_*")
    assert first.returncode == 1 and "result_0: broke off with exit code 143" in first.stderr
    assert events(log)[-1].metadata["reason"] == "SIGTERM"
    second = start("mpi", "epochs=5", **job)
    assert "result_0: did not reach its target" in second.stderr
    assert [e.key for e in events(log)].count("resumed") == 1
    assert "after 5 epochs" in events(log)[-1].metadata["reason"]
    third = start("mpi", "epochs=5", **job)
    assert third.stdout.startswith("0 of 1 runs") and third.returncode == 1  # that run is finished


@pytest.mark.parametrize(
    ("launcher", "acts", "runs"),
    [
        ("slurm", ("reach", "reach"), 2),
        *((launcher, ("signal",), 1) for launcher in ("slurm", "flux", "pbs", "mpi")),
    ],
)
def test_the_next_run_begins_only_if_it_can_end(tiny_jobs, jobs, launcher, acts, runs):
    """A signal reaches the run through each launcher's script; what follows from a run's end is the same in all."""
    done = tiny_jobs(launcher, acts=acts)
    assert len(jobs.runs()) == runs
    good = acts.count("reach")
    assert done.returncode == int(good < 2) and f"{good} of 2 runs reached the target" in done.stdout


def test_options_and_variables_of_a_job(tiny_jobs, jobs):
    done = tiny_jobs("slurm", "epochs=4", RUN=1, STAGE="/local", CHECKPOINT=jobs.folder / "kept", NCCL_DEBUG="INFO")
    assert done.returncode == 0, done.stderr
    (run,) = jobs.starts()
    words, values = run["options"], run["variables"]
    assert words[words.index("--stage") + 1] == "/local" and words[words.index("--layout") + 1] == "1,2,1,1"
    assert words[-4:] == ["epochs=4", "--checkpoint", f"{jobs.folder}/kept/two/scaffold/result_1", "--resume"]
    assert {"device=cpu", "--division"} <= set(words) and words[words.index("--log") + 1].endswith("result_1.txt")
    assert (values["MASTER_ADDR"], values["WORLD_SIZE"], values["NCCL_DEBUG"]) == ("localhost", "2", "INFO")
    assert "1 of 1 runs reached the target" in done.stdout


@pytest.mark.parametrize("launcher", ["slurm", "pbs"])
def test_a_job_array_makes_each_run_once(tiny_jobs, jobs, launcher):
    """One element for each run; started again, finished runs stay, a broken one is made."""
    more = ("--array", "--runs", "3", *(("--mpi", "pals") if launcher == "pbs" else ()))
    first = tiny_jobs(launcher, *more, acts=("reach", "kill", "reach"), RUNS="")
    assert first.returncode != 0 and first.stdout.count("1 of 1 runs reached the target") == 2
    assert jobs.runs() == [f"result_{run}.txt" for run in range(3)]
    assert tiny_jobs(launcher, *more, RUNS="").returncode == 0 and jobs.runs() == ["result_1.txt"]


@pytest.mark.parametrize(("launcher", "problem", "runs"), [("slurm", "smoke", 5), ("pbs", "cosmoflow-mini", 10)])
def test_an_array_has_an_element_for_each_run(jobs, launcher, problem, runs):
    """As many as the rules ask for of the workload, or as many as were asked for when the script was written."""
    layout = ("--array", "--problem", problem, "--layout", "2,1,1,1")
    for given, wanted in (((), runs), (("--runs", "3"), 3)):
        text = jobs.write(launcher, *layout, *given).read_text()
        assert f"0-{wanted - 1}%1\n" in text and f"RUNS=${{RUNS:-{wanted}}}" in text


@pytest.mark.parametrize("launcher", ["slurm", "pbs"])
def test_an_array_of_fewer_elements_than_runs_is_refused(jobs, launcher):
    done = jobs.run(launcher, "--array", RUNS=10)
    assert done.returncode == 2 and not jobs.starts()
    assert "RUNS: found 10, wanted 5: this job array has so many elements (render.py --runs 10)\n" in done.stderr


@pytest.mark.parametrize(
    ("runtime", "option", "form"), [("apptainer", "--bind", "{0}"), ("enroot", "--mount", "{0}:{0}")]
)
def test_a_container_sees_its_folders(tiny_jobs, jobs, tiny_data, runtime, option, form):
    image = jobs.folder / "image"
    image.write_text("layers")
    words = ("--container", str(image), "--runtime", runtime)
    done = tiny_jobs("slurm", *words, STAGE="/local", CHECKPOINT=jobs.folder / "kept", RUNS=1)
    assert done.returncode == 0, done.stderr
    seen = {value for name, value in pairwise(jobs.asked) if name == option}
    assert seen == {form.format(f) for f in (ROOT, tiny_data.data, "/local", jobs.folder / "kept", jobs.folder)}
    assert len(jobs.starts()[0]["variables"]["CONTAINER_DIGEST"]) == 64


def test_pyxis_starts_everything_by_srun(tiny_jobs, jobs, tiny_data):
    done = tiny_jobs("slurm", "--container", "nvcr.io#x/y:1", "--runtime", "pyxis", RUNS=1)
    assert done.returncode == 0, done.stderr
    assert jobs.asked.count("--container-image=nvcr.io#x/y:1") == 2  # what would run, and the run
    mounts = ",".join(f"{folder}:{folder}" for folder in (ROOT, tiny_data.data, jobs.folder))
    assert f"--container-mounts={mounts}" in jobs.asked


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_scripts_are_sound_bash(jobs, kind):
    for problem, more in PROBLEMS.items():
        layout = () if "--layout" in more else ("--layout", "64,1,1,1")
        shape = ("--nodes", "8", "--ranks-per-node", "8", "--problem", problem, *layout, *more, "batch_size=64")
        path = jobs.write(*kind, *shape, "--directive=--partition=a b")
        subprocess.run(["bash", "-n", str(path)], check=True)
        benchmark = load_problem(problem).workload
        assert f"RUNS=${{RUNS:-{load(EDITION).benchmarks[benchmark].runs}}}" in path.read_text()
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", "--external-sources", str(path)], cwd=ROOT, check=True)


def test_words_reach_submit_as_they_were(jobs):
    """Quoted for the shell, then for --exec."""
    job = jobs.write("slurm", "--directive=-A a", "--data", "/a b/$(id)")
    done = subprocess.run(
        ["sbatch", str(job)], env=jobs.env | {"PYTHON": "echo", "RUNS": "5"}, cwd="/", capture_output=True, text=True
    )
    assert done.returncode == 0 and "--data /a b/$(id)" in done.stdout
    words = done.stdout.partition("--exec ")[2].partition(" --nproc")[0]
    assert shlex.split(words)[:2] == ["srun", "--ntasks=2"]


@pytest.mark.parametrize("name", ["Containerfile.cpu", "Containerfile.cuda", "apptainer.def"])
def test_containers_have_the_pins(name):
    text = (LAUNCH / name).read_text()
    build = "cpu" if name.endswith("cpu") else "cuda"
    installs = re.findall(r"pip install (.*?)-r /tmp/requirements/(\w+)\.txt", text)
    assert list(dict.fromkeys(listed for _, listed in installs)) == ["common", build]
    assert all("--require-hashes" in options for options, _ in installs) and "PYTHONNOUSERSITE=1" in text
    if name != "Containerfile.cpu":
        assert "libibverbs1 ibverbs-providers librdmacm1" in text
