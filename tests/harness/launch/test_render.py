"""What the renderer refuses, and that every command that pages show fits."""

import re
import shlex

import pytest

from harness.launch import render
from harness.options import Setup
from tests.support import ROOT
from tests.support.described import described
from tests.support.fake.calls import FAKE

PAGES = ("harness/README.md", "docs/submitting.md", "docs/centres.md")
UNASKED = "--problem smoke --nodes 1 --ranks-per-node 1 --container image"  # which starts no train.py


def command(words: str) -> list[str]:
    """The words of a command, with names of an entrant and an implementation that learns nothing where it has none."""
    named = {"--org": "acme", "--system": "box", "--implementation": str(FAKE)}
    more = [part for name, value in named.items() if name not in words for part in (name, value)]
    return [*shlex.split(words), *more]


def script(words: str, capsys) -> str:
    assert render.main(command(words)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("slurm --problem scale9 --nodes 1", "--layout: found 8,1,1,1, wanted a part of the batch of 2"),
        ("slurm --problem scale12 --nodes 8", "scale12"),
        ("slurm --problem smoke --nodes 0", "--nodes: found 0, wanted 1 or more"),
        ("slurm --problem smoke --nodes 1 --hours 0", "--hours: found 0, wanted 0.1 to 10000"),
        ("flux --problem smoke --nodes 1 --array", "--array: flux has no job arrays, wanted slurm or pbs"),
        ("flux --problem smoke --nodes 1 --gres", "--gres: found flux, wanted slurm"),
        ("pbs --problem smoke --nodes 1 --container x --runtime pyxis", "found pyxis with pbs, wanted slurm"),
        ("slurm --problem smoke --nodes 1 --container x --memory 80", "--memory: found ranks that cannot be described"),
        ("slurm --problem smoke --nodes 1 --ranks-per-node 1 --memory 0", "--memory: found another network than"),
        ("slurm --problem smoke --nodes 1 --ranks-per-node 1 epoch=1", "did you mean 'epochs'?"),
        ("slurm --problem smoke --nodes 1 '--directive=a\nrm -r /'", "wanted words on one line"),
    ],
)
def test_what_cannot_run_is_refused(words, said, capsys):
    assert render.main(command(words)) == 2
    out, err = capsys.readouterr()
    assert said in err and err.startswith("render.py: ") and len(err.splitlines()) == 1 and not out


@pytest.mark.slow
def test_what_the_reference_would_refuse_on_all_ranks(capsys):
    words = "flux --problem scale9 --nodes 8 --layout 4,2,2,2 --implementation pytorch"
    assert render.main(command(words)) == 2
    *warnings, line = capsys.readouterr().err.splitlines()
    assert "found 64 ranks, wanted 32" in line and line.startswith("render.py: ")
    assert all("these fit: 4,4,2,2" in warning for warning in warnings)


def test_a_batch_that_is_no_number_is_left_to_train_py(monkeypatch, capsys):
    monkeypatch.setattr(Setup, "describe", lambda *_: described(settings={"batch_size": "8"}))
    assert "#SBATCH --nodes=1\n" in script("slurm --problem smoke --nodes 1", capsys)


def test_the_runs_are_the_rules(capsys):
    text = script("slurm --problem cosmoflow-mini --nodes 2 --ranks-per-node 4 batch_size=8", capsys)
    assert "RUNS=${RUNS:-10}" in text and "--nproc 8" in text and "#SBATCH --nodes=2\n" in text
    assert "--out results/v1.0" in text and "device=cuda" in text


def test_words_of_the_user_stay_words(capsys):
    """What runs in a container is not asked here."""
    text = script(f"""mpi {UNASKED} --data '/a b/$(id)' --container "it's" --runtime enroot recomptue=true""", capsys)
    assert "DATA=${DATA:-'/a b/$(id)'}" in text and "STAGE=${STAGE:-''}" in text and "--runtime enroot" in text
    assert """CONTAINER=${CONTAINER:-'it'"'"'s'}""" in text


@pytest.mark.parametrize("hours", [0.5, 100])
def test_time_limits_in_each_launchers_words(hours, capsys):
    named = f"{UNASKED} --hours {hours}"
    minutes = round(60 * hours)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:00"
    assert f"#SBATCH --time={clock}\n" in script(f"slurm {named}", capsys)
    assert f"# flux: --time-limit={minutes}m\n" in script(f"flux {named}", capsys)
    text = script(f"pbs {named}", capsys)
    assert f"#PBS -l walltime={clock}\n" in text
    assert f"exec timeout --signal=TERM --preserve-status {60 * minutes - 120} " in text


@pytest.mark.slow
def test_commands_on_pages_fit(capsys):
    found = 0
    for page in PAGES:
        text = (ROOT / page).read_text().replace("\\\n", "")
        for typed in re.findall(r"^python harness/launch/render.py (.*)$", text, re.M):
            words = typed.partition(" > ")[0].partition(" # ")[0].replace("--output", "--out")
            words = re.sub(r"--implementation [a-z]+|--memory \d+", "", words)  # a rehearsal takes minutes
            assert script(f"{words} --implementation pytorch", capsys)
            found += 1
    assert found >= 5


def test_what_a_site_wants_of_slurm_otherwise(capsys):
    words = f"slurm {UNASKED}"
    plain = script(words, capsys)
    assert "#SBATCH --gpus-per-node=1\n" in plain and "--gres" not in plain
    assert {"#SBATCH --mem=0", "#SBATCH --requeue", "#SBATCH --open-mode=append"} <= set(plain.splitlines())
    other = script(f"{words} --gres --rank-option=--gpu-bind=none --rank-option='--export=A B'", capsys)
    assert "#SBATCH --gres=gpu:1\n" in other and "--gpus-per-node=" not in other
    assert "--kill-on-bad-exit=1 --gpu-bind=none '--export=A B')\n" in other


@pytest.mark.parametrize("launcher", ["flux", "pbs", "mpi", "pbs --mpi pals", "mpi --mpi mpich"])
def test_every_launcher_takes_more_words(launcher, capsys):
    text = script(f"{launcher} {UNASKED} --rank-option=--more=1", capsys)
    assert text.count(" --more=1)\n") == 1


def test_a_job_of_the_reference_says_how_to_rehearse_it(capsys):
    words = "slurm --problem scale9 --nodes 8 --layout 4,2,2,4 --container image 'tile=[1,2,2,2]'"
    said = "#     python perf/rehearse.py --problem scale9 --layout 4,2,2,4 'tile=[1,2,2,2]'\n"
    assert said in script(f"{words} --implementation pytorch", capsys)
    assert "rehearse" not in script(words, capsys)  # another implementation


TWO = "--ranks-per-node 2 --layout 1,1,1,2 --implementation pytorch"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"{TWO} --memory 80", ""),
        (f"{TWO} --memory 0.01", "ranks that cannot run so, wanted others: memory: rank "),
        ("--ranks-per-node 1 --implementation minimal --memory 80", "another network than the reference's"),
    ],
)
def test_ranks_are_rehearsed_where_their_memory_is_given(words, said, capsys):
    assert render.main(command(f"slurm --problem smoke --nodes 1 {words}")) == (2 if said else 0)
    assert capsys.readouterr().err.startswith(f"render.py: --memory: found {said}" if said else "")


def test_relative_paths_are_of_the_folder_where_the_command_is_typed(tmp_path, monkeypatch, capsys):
    """The job runs in the clone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "image").touch()
    assert "--out results/v1.0 " in script(f"slurm {UNASKED}", capsys)
    found = script(f"slurm {UNASKED} --data d --checkpoint c --config x.yaml --out o", capsys)
    for said in ("DATA:-{}/d}", "CHECKPOINT:-{}/c}", "CONTAINER:-{}/image}", "--config {}/x.yaml", "--out {}/o "):
        assert said.replace("{}", str(tmp_path)) in found
