"""Submissions by `submit.py`, with an implementation that learns nothing."""

import json
from pathlib import Path

import pytest

from benchmark.collect import files_in
from benchmark.tree import THROUGHPUT, set_path, system_path
from rules.registry import parse_request


def test_runs_by_any_implementation(fake, capsys):
    assert fake.submit("--runs", "2", "--status", "cloud", "threads=3") == 0
    folder = set_path(fake.submission, "laptop", "scaffold")
    assert sorted(path.name for path in folder.iterdir()) == ["result_0.txt", "result_1.txt"]
    (first, second) = (words["options"] for words in fake.starts())
    files = ["--problems", str(fake.tiny.problems), "--data", str(fake.tiny.data)]
    names = ["--org", "Us", "--system", "laptop", "--division", "closed", "--status", "cloud"]
    assert first == ["--problem", "tiny", *files, *names, "--log", str(folder / "result_0.txt"), "threads=3"]
    assert [word.replace("_1", "_0") for word in second] == first
    said = capsys.readouterr()
    assert "2 of 2 runs reached the target" in said.out
    assert "publish no such problem (LOG12): no round scores its runs" in said.err
    assert fake.submit("--runs", "2", "threads=3") == 0 and fake.runs() == []


def test_one_run_or_all_of_a_set_are_made_anew(fake, capsys):
    assert fake.submit("--runs", "2") == 0 and len(fake.starts()) == 2
    before = files_in(fake.submission)
    assert fake.submit("--runs", "2", "--run", "1", "--anew", "threads=2") == 2
    assert "found other settings than now" in capsys.readouterr().err and files_in(fake.submission) == before
    folder = set_path(fake.submission, "laptop", "scaffold")
    for more, names in ((["--run", "1"], ["result_1.txt"]), ([], ["result_0.txt", "result_1.txt"])):
        before = set(folder.glob("superseded/*"))
        assert fake.submit("--runs", "2", "--anew", *more) == 0
        assert fake.runs() == names
        (new,) = {*folder.glob("superseded/*")} - before
        assert sorted(path.name for path in new.iterdir()) == names
        assert f"what was there is now in {new}" in capsys.readouterr().err


@pytest.mark.slow
def test_checkpoints_are_those_of_each_run(fake):
    fake.acts("kill")
    kept = fake.folder / "kept"
    assert fake.submit("--runs", "1", "--checkpoint", str(kept)) == 1
    fake.starts()
    assert fake.submit("--runs", "1", "--checkpoint", str(kept)) == 0
    (again,) = (words["options"] for words in fake.starts())
    at = str(kept / "laptop" / "scaffold" / "result_0")
    assert again[again.index("--checkpoint") :] == ["--checkpoint", at, "--resume"] and not Path(at).exists()


@pytest.mark.slow
def test_steps_are_measured_in_a_log_of_their_own(fake, capsys):
    for _ in range(2):
        assert fake.submit("--steps", "7") == 0
    folder = set_path(fake.submission, "laptop", "scaffold", THROUGHPUT)
    assert sorted(path.name for path in folder.iterdir()) == ["result_0.txt", "result_1.txt"]
    assert [words["options"][-2:] for words in fake.starts()] == [["--steps", "7"]] * 2
    assert system_path(fake.submission, "laptop").is_file()
    fake.acts("refuse")
    assert fake.submit("--steps", "7") == 2 and len(list(folder.iterdir())) == 2


@pytest.mark.slow
def test_an_implementation_without_the_optional_options(fake, capsys, monkeypatch):
    monkeypatch.setenv("LACKING", "--describe --head --steps --checkpoint")
    assert fake.submit("--runs", "1") == 0
    assert "train.py has no --describe: settings, devices and software are not known" in capsys.readouterr().err
    system = json.loads(system_path(fake.submission, "laptop").read_text())
    assert (system["framework"], system["accelerators_per_node"]) == ("", "0")
    assert fake.submit("--register") == 2 and "found no --describe in train.py" in capsys.readouterr().err
    monkeypatch.setenv("LACKING", "--head --steps --checkpoint")
    assert fake.submit("--runs", "1", "--check") == 0
    said = capsys.readouterr().err
    assert "train.py has no --head, so that settings are not judged beforehand" in said
    assert "train.py has no --steps, so that no step is measured beforehand" in said
    assert fake.submit("--checkpoint", "x") == 2 and "--checkpoint: found no such option" in capsys.readouterr().err


def test_what_to_register_is_what_is_described(fake, capsys):
    assert fake.submit("--register", "threads=2") == 0
    request = parse_request(capsys.readouterr().out)
    assert (request.title, request.source) == ("Us, laptop, scaffold, tiny", "0" * 64)
    assert request.config == fake.setup("threads=2").describe().config_digest
    assert [start["options"][-1] for start in fake.starts()] == ["--head"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--batch", "batch_size=8"], "unrecognized arguments"),
        (["--runs", "-1"], "--runs: found -1, wanted 0 or more"),
        (["--steps", "0"], "--steps: found 0, wanted 1 or more"),
        (["--throughput", "1"], "--throughput: found 1, wanted 2 or more"),
        (["--throughput", "2", "--runs", "1"], "found 1 with --throughput 2"),
        (["--throughput", "2", "--study", "strong", "--ranks", "1"], "--study: found --throughput too"),
        (["--witness", "http://x", "--entry", "1"], "--witness: found --entry too, wanted one of them"),
        (["--keep-states"], "--keep-states: found no --checkpoint"),
        (["--study", "strong"], "found one of --study and --ranks"),
        (["--study", "strong", "--ranks", "0"], "--ranks: found '0'"),
        (["--study", "weak", "--ranks", "1", "--runs", "5"], "found 5 with --study weak"),
    ],
)
def test_options_that_contradict_each_other(fake, capsys, more, said):
    with pytest.raises(SystemExit, match="2"):
        fake.submit(*more)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--registry", "x"], "--registry: found no --entry"),
        (["--implementation", "nobody"], "--implementation: found no "),
        (["--exec", "'"], "--exec: found"),
        (["batch_size=99"], "batch_size: found 99, wanted at most the 7 samples"),
        (["epoch=3"], "did you mean 'epochs'"),
        (["--org", "../up"], "found '../up', wanted a name"),
        (["--problem", "tyni"], "tyni"),
    ],
)
def test_what_cannot_be_is_one_line(fake, capsys, more, said):
    assert fake.submit(*more) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("submit.py: ") and said in line and not fake.submission.exists()


@pytest.mark.slow
def test_a_layout_is_asked_for_where_accelerators_would_be_idle(fake, capsys):
    """The fake says that this node has four. Ranks of a launcher may be on other nodes."""
    said = "submit.py: --layout: found none, and 4 accelerators here, wanted 2,2,1,1 or 1,2,2,1, or 1,1,1,1 to use one"
    for more in ([], ["--steps", "7"]):
        assert fake.submit("--runs", "1", "device=cuda", *more) == 2
        assert said in capsys.readouterr().err and not fake.starts()
    assert fake.submit("--runs", "1", "device=cuda", "--layout", "1,1,1,1") == 0
    assert "uses 1 of this node's 4 accelerators" in capsys.readouterr().err
    assert fake.submit("--runs", "1", "device=cuda", "--exec", "env", "--anew") == 0
    assert "accelerators" not in capsys.readouterr().err
