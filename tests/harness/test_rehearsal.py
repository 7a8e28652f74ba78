"""Runs of several ranks are rehearsed before they are made."""

import subprocess
from types import SimpleNamespace

import pytest

from harness import rehearsal
from harness.implementation import sha256
from harness.rehearsal import command, memory_gib, rehearsed, same_network
from tests.support.described import described

REFERENCE = rehearsal.ROOT / "implementations" / "pytorch"
NETWORK = ("layers/conv.py", "parallel/halo.py", "scaffold/model.py")


def of(name="pytorch", ranks=2, device="cpu", **files):
    """The description of a run of a copy of the reference, some of whose files are others."""
    digests = {path: sha256(REFERENCE / path) for path in NETWORK} | files
    return described(
        implementation=name,
        problem="smoke",
        settings={"batch_size": 2, "precision": "bfloat16", "device": device, "tile": [1, 1, 1, 1]},
        files={f"implementations/{name}/{path}": digest for path, digest in digests.items()},
        ranks=ranks,
        layout=[1, 1, 1, ranks],
        device=device,
    )


SETUP = SimpleNamespace(problems=None)


def test_a_copy_with_the_references_network_is_rehearsed_and_no_other():
    assert same_network(of("acme"), REFERENCE)
    assert same_network(of("acme", **{"training/run.py": "another"}), REFERENCE)
    assert not same_network(of("acme", **{"layers/conv.py": "another"}), REFERENCE)
    assert not same_network(of("acme", **{"layers/new.py": "0" * 64}), REFERENCE)
    assert not same_network(described(files={"implementations/x/train.py": "0" * 64}), REFERENCE)


@pytest.mark.parametrize(
    ("code", "stderr", "good", "said"),
    [
        (0, "", True, "rehearsed 2 ranks: nothing stands against it"),
        (0, "rehearse.py: idle\n", True, "warning: rehearsal: idle"),
        (1, "noise\nrehearse.py: memory: rank 0 takes 94.1\n", False, "error: rehearsal: memory: rank 0 takes 94.1"),
        (1, "ModuleNotFoundError: torch\n", True, "ranks are not rehearsed: ModuleNotFoundError: torch"),
    ],
)
def test_what_stands_against_runs_is_said(monkeypatch, capsys, code, stderr, good, said):
    done = subprocess.CompletedProcess([], code, "", stderr)
    monkeypatch.setattr(rehearsal.subprocess, "run", lambda *_, **__: done)
    assert rehearsed(SETUP, of()) is good
    assert said in capsys.readouterr().err.splitlines()


def test_one_rank_is_measured_instead_and_strangers_are_told(monkeypatch, capsys):
    monkeypatch.setattr(rehearsal.subprocess, "run", lambda *_, **__: pytest.fail("rehearsed"))
    assert rehearsed(SETUP, of(ranks=1)) and rehearsed(SETUP, None)
    assert capsys.readouterr().err == ""
    assert rehearsed(SimpleNamespace(problems="mine.yaml"), of())
    assert rehearsed(SETUP, of("acme", **{"layers/conv.py": "another"}))
    assert capsys.readouterr().err.count("ranks are not rehearsed: it can be done") == 2


def test_the_settings_of_the_run_are_rehearsed():
    found = command(of(device="cuda"), 80)
    assert found[2:8] == ["--problem", "smoke", "--layout", "1,1,1,2", "--memory", "80.000"]
    assert found[8:] == ["batch_size=2", "precision=bfloat16", "tile=[1, 1, 1, 1]"]
    assert memory_gib(of(ranks=2)) * 2 == pytest.approx(memory_gib(of(ranks=1)))
