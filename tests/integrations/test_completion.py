"""The completion of commands, in a bash of its own that has read it."""

import subprocess
from pathlib import Path

import pytest

pytest.importorskip("shtab")
from integrations import completion
from tests.support import ROOT

TRY = """
source "$1"; shift
complete -p python >/dev/null || exit 3
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_complete_a_script
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "completion.bash"
    path.write_text(completion.script(), encoding="utf-8")
    return path


@pytest.fixture
def completed(written):
    """The function that gives what the last of some words may be, as bash says it in the repository's root."""

    def complete(*words: str, path: str | None = None) -> list[str]:
        env = None if path is None else {"PATH": path}
        command = ["/bin/bash", "--norc", "-c", TRY, "bash", str(written), *words]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    return complete


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("python", "compliance/check.py", "--form"), ["--format"]),
        (("python", "compliance/check.py", "--format", "j"), ["json"]),
        (
            (".venv/bin/python", "harness/submit.py", "--implementation", "acme", "--problem", "deep"),
            ["deepcam", "deepcam-mini"],
        ),
        (("python", "-m", "results.summarize", "--view", "p"), ["procurement"]),
        (("torchrun", "--nproc-per-node", "2", "--", "implementations/pytorch/train.py", "--lay"), ["--layout"]),
        (("python", "harness/launch/render.py", "sl"), ["slurm"]),
        (("python", "compliance/audit.py", "READ"), ["README.md"]),
        (("python", "compliance/check.py", "--no-such-option"), []),
        (("python", "other.py", "--form"), []),
    ],
)
def test_words_are_completed(completed, words, wanted):
    assert completed(*words) == wanted


@pytest.mark.parametrize("script", completion.COMMANDS)
def test_every_option_of_a_command_is_offered(completed, script):
    options = [o for a in completion.completed(script)._actions for o in a.option_strings]
    assert sorted(completed("python", script, "-")) == sorted(options)


def test_completing_starts_no_program(completed):
    """With no program in reach: bash alone."""
    assert completed("python", "harness/submit.py", "--prob", path="/nowhere") == [
        "--problem",
        "--problems",
    ]
