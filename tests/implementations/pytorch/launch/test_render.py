"""What the renderer refuses, and that every command that pages show fits."""

import argparse
import re
import shlex
from pathlib import Path

import pytest

from implementations.pytorch.launch import render

ROOT = Path(__file__).resolve().parents[4]
PAGES = ("docs/submitting.md", "implementations/pytorch/README.md", "README.md")


def command(words: str) -> list[str]:
    """The words of a command, with the names of an entrant where they have none."""
    names = [] if "--org" in words else ["--org", "acme"]
    return [*shlex.split(words), *names, *([] if "--system" in words else ["--system", "box"])]


def script(words: str, capsys) -> str:
    assert render.main(command(words)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["--org", "--system"])
def test_names_have_no_default(name, capsys):
    words = command("slurm --problem smoke --nodes 1 --ranks-per-node 1")
    at = words.index(name)
    with pytest.raises(SystemExit, match="2"):
        render.main([*words[:at], *words[at + 2 :]])
    assert f"the following arguments are required: {name}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("slurm --problem scale9 --nodes 8", "60 of 64 replicas have no part of a batch of 4; these fit: 4,4,2,2"),
        ("flux --problem scale9 --nodes 8 --layout 4,2,2,2", "found 64 ranks, wanted 32"),
        ("slurm --problem scale12 --nodes 8", "scale12"),
        ("slurm --problem smoke --nodes 0", "--nodes: found 0, wanted 1 or more"),
        ("slurm --problem smoke --nodes 1 --runs 0", "--runs: found 0, wanted 1 or more"),
        ("slurm --problem smoke --nodes 1 --hours 0", "--hours: found 0, wanted 0.1 to 10000"),
        ("flux --problem smoke --nodes 1 --array", "--array: flux has no job arrays, wanted slurm or pbs"),
        ("pbs --problem smoke --nodes 1 --container x --runtime pyxis", "found pyxis with pbs, wanted slurm"),
        ("slurm --problem smoke --nodes 1 --org ../x", "found '../x', wanted a name"),
        ("slurm --problem smoke --nodes 1 --ranks-per-node 1 recomptue=true", "did you mean 'recompute'?"),
        ("slurm --problem smoke --nodes 1 '--directive=a\nrm -r /'", "wanted words on one line"),
    ],
)
def test_what_cannot_run_is_refused(words, said, capsys):
    assert render.main(command(words)) == 2
    out, err = capsys.readouterr()
    assert said in err and err.startswith("render.py: ") and len(err.splitlines()) == 1 and not out


def test_the_tree_and_the_runs_are_the_rules(capsys):
    text = script("slurm --problem cosmoflow-mini --nodes 2 --ranks-per-node 4 --org acme --system box", capsys)
    assert (
        "LOGS=results/v1.0/acme/results/box/strong/cosmoflow MEASURED=results/v1.0/acme/results/box/throughput/cosmo"
        in text
    )
    assert "RUNS=${RUNS:-10}" in text and "NODES=2 RANKS=8 LAYOUT=8,1,1,1" in text and "#SBATCH --nodes=2\n" in text


def test_words_of_the_user_stay_words(capsys):
    text = script(
        """mpi --problem smoke --nodes 1 --ranks-per-node 1 --data '/a b/$(id)' --container "it's" """, capsys
    )
    assert "DATA=${DATA:-'/a b/$(id)'}" in text and "LAYOUT=''" in text
    assert """CONTAINER=${CONTAINER:-'it'"'"'s'}""" in text


@pytest.mark.parametrize("hours", [0.5, 12, 100])
def test_time_limits_in_each_launchers_words(hours, capsys):
    named = f"--problem smoke --nodes 1 --ranks-per-node 1 --hours {hours}"
    minutes = round(60 * hours)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:00"
    assert f"#SBATCH --time={clock}\n" in script(f"slurm {named}", capsys)
    assert f"# flux: --time-limit={minutes}m\n" in script(f"flux {named}", capsys)
    text = script(f"pbs {named}", capsys)
    assert f"#PBS -l walltime={clock}\n" in text and f"LIMIT={60 * minutes - 120} " in text


def test_commands_on_pages_fit(capsys):
    found = 0
    for page in PAGES:
        text = (ROOT / page).read_text().replace("\\\n", "")
        for typed in re.findall(r"^python implementations/\w+/launch/render.py (.*)$", text, re.M):
            assert script(typed.partition(" > ")[0].partition(" # ")[0].replace("--output", "--out"), capsys)
            found += 1
    assert found >= 6
    assert isinstance(render.parse(command("slurm --problem smoke --nodes 1")), argparse.Namespace)
