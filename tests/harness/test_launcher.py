"""Commands that start ranks: alone, by torchrun, by a launcher's words, and in containers."""

import sys

import pytest

from harness.launcher import FIRST_PORT, PORTS, Launcher, launcher_words

PROGRAM = ["python", "train.py", "--head"]


def test_one_rank_is_a_plain_process_and_several_are_torchruns():
    assert Launcher().command(PROGRAM) == PROGRAM
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--no-python", "--nproc-per-node", "4"]
    assert Launcher(4).command(PROGRAM) == [*torchrun, "--", *PROGRAM]


def test_a_launchers_words_come_first_then_the_variables_of_ranks(monkeypatch):
    libraries = {"NCCL_DEBUG", "MASTER_ADDR", "MIOPEN_USER_DB_PATH", "HSA_XNACK", "FI_PROVIDER"}
    ranks = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HOME"}
    for name in libraries | ranks:
        monkeypatch.setenv(name, "x y")
    before, named = (command := Launcher(8, ("srun", "--ntasks={ranks}")).command(PROGRAM))[:3], command[3:-3]
    assert before == ["srun", "--ntasks=8", "env"] and command[-3:] == PROGRAM
    values = dict(word.split("=", 1) for word in named)
    assert values["WORLD_SIZE"] == "8" and {name for name, value in values.items() if value == "x y"} == libraries
    assert not ranks & set(values)


def test_each_start_has_a_port_of_its_own():
    found = {Launcher(2, ("srun",)).variables()["MASTER_PORT"] for _ in range(20)}
    assert len(found) > 10 and all(FIRST_PORT <= int(port) < FIRST_PORT + PORTS for port in found)


def test_a_folder_is_removed_by_what_starts_ranks(tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / name / "kernels").mkdir(parents=True)
    Launcher(2).remove(str(tmp_path / "a"))  # ranks on this node, whose folder its owner removes
    Launcher(1, ("env",)).remove(str(tmp_path / "b"))
    monkeypatch.setattr("harness.launcher.ANSWER", 0.1)
    for words in (("sleep", "60"), ("no-such-program",)):
        Launcher(1, words).remove(str(tmp_path / "c"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]


@pytest.mark.parametrize(("text", "said"), [("srun 'x", "No closing quotation"), (" ", "found no words")])
def test_words_that_are_none(text, said):
    with pytest.raises(ValueError, match=f"--exec: .*{said}"):
        launcher_words(text)
