"""What is found before a run is made."""

import json
import shutil

import pytest

from benchmark.tree import set_path, system_path
from implementations.pytorch import submit
from implementations.pytorch.submitting import preflight
from implementations.pytorch.submitting.preflight import MOST, Preflight, report, words


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
    assert "error: RUN13" in capfd.readouterr().err


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


def test_a_disk_without_room_is_told_beforehand(tiny, tmp_path, capfd, monkeypatch):
    """One byte too few for the weights of five runs."""
    parameters, usage_type = [], type(shutil.disk_usage(tmp_path))

    def usage(path):
        return usage_type(10**12, 0, 5 * 4 * parameters[0] - 1 if parameters else 10**12)

    def measured(*arguments):
        found = measure(*arguments)
        parameters.append(found.parameters)
        return found

    measure = submit.measure
    monkeypatch.setattr(submit, "measure", measured)
    monkeypatch.setattr(preflight.shutil, "disk_usage", usage)
    assert check(tiny, tmp_path) == 2
    size = 5 * 4 * parameters[0]
    assert f"found {size - 1} bytes free, wanted {size} for the runs' final weights" in capfd.readouterr().err


def test_a_full_disk_and_a_file_in_place_of_a_folder_are_one_line(tiny, tmp_path, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "box.json")

    (tmp_path / "file").write_text("")
    assert check(tiny, tmp_path / "file") == 2
    monkeypatch.setattr(submit.Path, "write_text", full)
    assert check(tiny, tmp_path / "new") == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"submit.py: {tmp_path}/file/Us/systems: Not a directory"
    assert second == "submit.py: box.json: No space left on device"
    assert not list((tmp_path / "new" / "Us" / "systems").iterdir())  # no half of a description, which would stay


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
