"""The scripts that render.py writes for each launcher, with stand-ins for the launchers: what they start."""

import shlex
import shutil
import subprocess

import pytest

from benchmark.problem import load_problem
from rules.current import EDITION
from rules.edition import load
from tests.harness.launch.conftest import KINDS
from tests.support import ROOT

PROBLEMS = {  # on 64 ranks
    "scale9": ("--layout", "4,2,2,4"),
    "cosmoflow": (),
    "deepcam-mini": ("batch_size=64", "--hours", "0.5"),
}


@pytest.fixture
def tiny_jobs(jobs, tiny_data):
    """Jobs on the tiny problem, by the implementation that learns nothing."""

    def run(launcher: str, *given: str, acts: tuple[str, ...] = (), **env: object) -> subprocess.CompletedProcess:
        jobs.acts(*acts)
        files = ["--problem", "tiny", "--problems", str(tiny_data.problems), "--device", "cpu"]
        return jobs.run(launcher, *files, *given, **{"DATA": tiny_data.data, **env})

    return run


def test_steps_are_measured(tiny_jobs, jobs):
    done = tiny_jobs("flux", STEPS=10)
    assert done.returncode == 0, done.stderr
    assert [start["options"][-2:] for start in jobs.starts()] == [["--steps", "10"]]
    assert (jobs.logs / "throughput/scaffold/result_0.txt").is_file() and not (jobs.logs / "strong").exists()


@pytest.mark.parametrize("launcher", ["slurm", "flux", "pbs", "mpi"])
def test_the_dataset_is_made_by_all_ranks_and_no_run(tiny_jobs, jobs, tiny_data, launcher):
    made = jobs.folder / f"made by {launcher}"
    done = tiny_jobs(launcher, GENERATE=1, DATA=made)
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


@pytest.mark.parametrize("launcher", ["slurm", "flux", "pbs", "mpi"])
def test_the_next_run_begins_only_if_it_can_end(tiny_jobs, jobs, launcher):
    done = tiny_jobs(launcher, acts=("signal",))
    assert len(jobs.runs()) == 1
    assert done.returncode == 1 and "0 of 2 runs reached the target" in done.stdout


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
    env = jobs.env | {"PYTHON": "echo", "RUNS": "5"}
    done = subprocess.run(["sbatch", str(job)], env=env, cwd="/", capture_output=True, text=True)
    assert done.returncode == 0 and "--data /a b/$(id)" in done.stdout
    words = done.stdout.partition("--exec ")[2].partition(" --nproc")[0]
    assert shlex.split(words)[:2] == ["srun", "--ntasks=2"]
