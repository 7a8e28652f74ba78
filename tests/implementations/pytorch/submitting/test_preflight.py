"""What is found before a run is made."""

import argparse
import json
import shutil
import sys

import pytest

from benchmark.tree import set_path, system_path
from implementations.pytorch import submit
from implementations.pytorch.config import RunConfig
from implementations.pytorch.submitting import preflight
from implementations.pytorch.submitting.campaign import Campaign
from implementations.pytorch.submitting.preflight import MOST, Preflight, report, want_room, words


def check(tiny, out, *more, settings=()):
    """The exit code of a pre-flight check of the tiny problem, which no rules publish."""
    files = ["--problems", str(tiny.problems), "--config", str(tiny.config), "--data", str(tiny.data)]
    return submit.main(
        [
            "--problem",
            "tiny",
            *files,
            "--org",
            "Us",
            "--system",
            "laptop",
            "--out",
            str(out),
            "--check",
            *more,
            *settings,
        ]
    )


def test_settings_that_a_closed_run_may_not_have(tiny, tmp_path, capfd):
    assert check(tiny, tmp_path, settings=["beta_1=0.8", "weight_decay=0.1"]) == 1
    said = capfd.readouterr().err
    for name in ("opt_adam_beta_1", "opt_weight_decay"):
        assert [line for line in said.splitlines() if line.startswith("error: HYP01") and name in line]
    assert "5 runs; an epoch takes about" in said
    assert not set_path(tmp_path / "Us", "laptop", "scaffold").exists()


def test_a_description_of_another_division(tiny, tmp_path, capfd):
    assert check(tiny, tmp_path) == 1  # no rules know the problem, and nothing else
    first = capfd.readouterr().err
    assert [line.split()[1] for line in first.splitlines() if line.startswith("error: ")] == ["LOG12"]
    path = system_path(tmp_path / "Us", "laptop")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"division": "open"}))
    assert check(tiny, tmp_path) == 1
    said = capfd.readouterr().err.splitlines()
    (line,) = [line for line in said if line.startswith("error: RUN13")]
    assert line.endswith(f': --division open, or correct "division" in {path}')
    assert said[-1] == f"judged by the rules {submit.EDITION}, the newest in rules/, closed division (--division)"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["batch_size=500"], "batch_size: found 500, wanted at most the 7 samples"),
        (["--data", "nowhere"], "no manifest"),
        (["--layout", "1,3,1,1"], "layout"),
        (["device=cuda"], "found no GPU"),
    ],
)
def test_what_no_run_could_start_with(tiny, tmp_path, capsys, options, words):
    assert check(tiny, tmp_path, *options) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("submit.py: ") and words in line


@pytest.mark.parametrize(("short", "fits"), [(1, False), (0, True), (-1, True)])
def test_a_disk_without_room_is_told_beforehand(tmp_path, monkeypatch, short, fits):
    """One byte too few for the weights of five runs of 100 parameters, as many as they take, one more."""
    usage = type(shutil.disk_usage(tmp_path))(10**9, 0, 5 * 4 * 100 - short)
    monkeypatch.setattr(preflight.shutil, "disk_usage", lambda path: usage)
    campaign = Campaign(tmp_path / "Us", "laptop", "scaffold", "tiny", 5, RunConfig(), start=None)
    found = Preflight((), 1.0, 100)
    if fits:
        want_room(campaign, found)
        return
    with pytest.raises(ValueError, match=r"Us: found 1999 bytes free, wanted 2000 for the runs' final weights"):
        want_room(campaign, found)


def test_a_file_in_place_of_a_folder_is_one_line(tiny, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert check(tiny, tmp_path / "file") == 2
    assert capsys.readouterr().err == f"submit.py: {tmp_path}/file/Us/systems: Not a directory\n"


def test_a_full_disk_leaves_no_half_of_a_description(tmp_path, monkeypatch):
    """It would stay, as a description is never overwritten."""

    def full(*_, **__):
        raise OSError(28, "No space left on device", "box.json")

    monkeypatch.setattr(submit.Path, "write_text", full)
    told = {
        "system": "box",
        "org": "Us",
        "division": "closed",
        "status": "onprem",
        "data": tmp_path,
        "nproc": 1,
        "nodes": 1,
    }
    with pytest.raises(OSError, match="No space left"):
        submit.write_system(tmp_path / "Us", argparse.Namespace(**told), RunConfig(device="cpu"))
    assert not list((tmp_path / "Us" / "systems").iterdir())


def test_findings_come_worst_first_and_not_without_end():
    found = Preflight((("review", "b"), ("error", "a"), *(("info", str(n)) for n in range(MOST))), 1.0, 1)
    said = []
    report(found, ["the plan"], said.append)
    assert said[:2] == ["error: a", "review: b"]
    assert said[-2:] == ["and 2 more", "the plan"]
    assert found.wrong and not Preflight((("warning", "c"),), 1.0, 1).wrong


def test_a_finding_in_words():
    finding = {"code": "HYP01", "sentence": "It holds", "found": "1", "wanted": ""}
    assert words(finding) == "HYP01 It holds (found 1)"
    path = "/tmp/x/v1.0/us/source/0123456789ab/implementations/us/train.py"
    assert words({**finding, "path": path, "line": 7}) == "HYP01 It holds (found 1) at implementations/us/train.py:7"


@pytest.mark.parametrize("name", ["division", "status"])
def test_an_option_against_the_description_ends_with_what_to_type(tmp_path, capfd, name):
    """Of a published problem, before any data is there; a description that was there stays."""
    other = {"division": "open", "status": "cloud"}
    names = ["--problem", "smoke", "--org", "Us", "--system", "laptop", "--data", str(tmp_path / "data")]
    path = system_path(tmp_path / "v1.0" / "Us", "laptop")
    path.parent.mkdir(parents=True)
    told = {"system": "laptop", "org": "Us", "data": tmp_path, "nproc": 1, "nodes": 1}
    told |= {"division": "closed", "status": "onprem", name: other[name]}
    submit.write_system(tmp_path / "v1.0" / "Us", argparse.Namespace(**told), RunConfig())
    before = path.read_bytes()
    assert submit.main([*names, "--out", str(tmp_path / "v1.0"), "--runs", "1"]) == 2
    said = capfd.readouterr().err.splitlines()
    code = {"division": "RUN13", "status": "RUN14"}[name]
    (line,) = [line for line in said if line.startswith(f"error: {code} ")]
    assert line.endswith(f': --{name} {other[name]}, or correct "{name}" in {path}')
    assert said[-1].startswith("judged by the rules ") and path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["background_weight=0.9"], ["HYP01 background_weight 0.9"]),
        (["beta_1=0.8", "weight_decay=0.1"], ["HYP01 opt_adam_beta_1 0.8", "HYP01 opt_weight_decay 0.1"]),
        (["--division", "open", "background_weight=0.9"], []),
        (["average_decay=0.995"], []),
        (["average_decay=0.996"], ["HYP01 average_decay 0.996"]),
    ],
)
def test_the_rules_of_settings_are_asked_before_anything_runs(tmp_path, monkeypatch, capfd, options, said):
    """Of a published problem: no data is made, and no step."""
    ran = []
    monkeypatch.setattr(submit, "generate", lambda args: ran.append(args) or 1)
    names = ["--problem", "smoke", "--org", "Us", "--system", "laptop", "--data", str(tmp_path / "data")]
    assert submit.main([*names, "--out", str(tmp_path / "v1.0"), "--runs", "1", *options]) == 2
    errors = [line for line in capfd.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(errors) == len(said) and bool(ran) != bool(said)
    assert system_path(tmp_path / "v1.0" / "Us", "laptop").exists() == bool(ran)  # what is refused leaves none
    for line, wanted in zip(errors, said, strict=True):
        code, found = wanted.split(" ", 1)
        assert line.startswith(f"error: {code} ") and f"(found {found}, wanted " in line


def test_another_division_than_the_descriptions_is_told_before_anything_runs(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(submit, "generate", lambda args: 1)
    names = ["--problem", "smoke", "--org", "Us", "--system", "laptop", "--data", str(tmp_path / "data")]
    for division, told in (("closed", False), ("open", True)):
        assert submit.main([*names, "--out", str(tmp_path / "v1.0"), "--runs", "1", "--division", division]) == 2
        assert ("error: RUN13 " in capfd.readouterr().err) == told


def test_an_interruption_says_what_to_type(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(submit, "check_settings", lambda args: sys.exit(130))
    names = ["--problem", "smoke", "--org", "Us", "--system", "laptop", "--out", str(tmp_path / "v1.0")]
    with pytest.raises(SystemExit) as raised:
        submit.main(names)
    assert raised.value.code == 130
    assert capsys.readouterr().err == "submit.py: interrupted; the same command goes on with what is missing\n"
