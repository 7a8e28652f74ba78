"""What is found before a run is made."""

import json
import shutil
import sys

import pytest

from benchmark.tree import set_path, system_path
from harness import preflight, submission, submit
from harness.preflight import MOST, Finding, Step, forecast, one_line, report
from harness.runset import RunSet
from harness.system import write_system
from rules.current import EDITION


def check(tiny, out, *more):
    """The exit code of a pre-flight check of the tiny problem, which no rules publish."""
    files = ["--problems", str(tiny.problems), "--config", str(tiny.config), "--data", str(tiny.data)]
    names = ["--problem", "tiny", *files, "--org", "Us", "--system", "laptop", "--out", str(out)]
    return submit.main([*names, "--check", *more])


def test_a_description_of_another_division(forking, tiny, tmp_path, capfd):
    assert check(tiny, tmp_path) == 1  # no rules know the problem, and nothing else
    first = capfd.readouterr().err
    assert "5 runs; an epoch takes about" in first and not set_path(tmp_path / "Us", "laptop", "scaffold").exists()
    assert [line.split()[1] for line in first.splitlines() if line.startswith("error: ")] == ["LOG12"]
    path = system_path(tmp_path / "Us", "laptop")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"division": "open"}))
    assert check(tiny, tmp_path) == 1
    said = capfd.readouterr().err.splitlines()
    (line,) = [line for line in said if line.startswith("error: RUN13")]
    assert line.endswith(f': --division open, or correct "division" in {path}')
    assert said[-1] == f"checked by the rules {EDITION}, the current edition, closed division (--division)"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--data", "nowhere"], "no manifest"),
        (["device=cuda"], "found no GPU"),
    ],
)
def test_what_no_run_could_start_with(tiny, tmp_path, capsys, options, words):
    assert check(tiny, tmp_path, *options) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("submit.py: ") and words in line


@pytest.fixture
def forecast_with(fake, monkeypatch):
    """The forecast of five runs of 100 parameters, whose weights take 2000 bytes, where so many are free."""

    def forecast_with(free):
        usage = type(shutil.disk_usage(fake.folder))(10**9, 0, free)
        monkeypatch.setattr(preflight.shutil, "disk_usage", lambda path: usage)
        return forecast(RunSet(fake.setup(), fake.folder, 5), Step((), 1.0, 100), 1)

    return forecast_with


@pytest.mark.parametrize("free", [2000, 2001])
def test_a_disk_with_just_enough_room_is_enough(forecast_with, free):
    assert forecast_with(free)[0] == "5 runs; an epoch takes about 1.0 s here"


def test_a_disk_without_room_is_reported_beforehand(forecast_with):
    with pytest.raises(ValueError, match=r"Us: found 1999 bytes free, wanted 2000 for the runs' final weights"):
        forecast_with(1999)


def test_a_file_in_place_of_a_folder_is_one_line(tiny, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert check(tiny, tmp_path / "file") == 2
    assert capsys.readouterr().err == f"submit.py: {tmp_path}/file/Us/systems: Not a directory\n"


def test_a_full_disk_leaves_no_half_of_a_description(fake, monkeypatch):
    """It would stay, as a description is never overwritten."""

    def full(*_, **__):
        raise OSError(28, "No space left on device", "box.json")

    setup = fake.setup()
    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(OSError, match="No space left"):
        write_system(setup, None)
    assert not list((fake.submission / "systems").iterdir())


def test_findings_come_worst_first_and_not_without_end(capsys):
    found = tuple(Finding("info", str(number)) for number in range(MOST + 2))
    report((Finding("error", "a"), *found[1:]), "open")
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "error: a" and said[-2] == "and 2 more" and said[-1].endswith("open division (--division)")


def test_a_finding_in_words():
    finding = {"code": "HYP01", "sentence": "It holds", "found": "1", "wanted": ""}
    assert one_line(finding) == "HYP01 It holds (found 1)"
    path = "/tmp/x/v1.0/us/source/0123456789ab/implementations/us/train.py"
    assert one_line({**finding, "path": path, "line": 7}) == "HYP01 It holds (found 1) at implementations/us/train.py:7"


def smoke(tmp_path, *more):
    """submit.py's options for smoke, whose data are not there."""
    files = ["--data", str(tmp_path / "data"), "--out", str(tmp_path / "v1.0")]
    return ["--problem", "smoke", "--org", "Us", "--system", "laptop", *files, "--runs", "1", *more]


FAST = ("compile=false", "threads=1")


@pytest.fixture
def generated(monkeypatch):
    """Datasets that would have been generated."""
    made = []

    def generate(*data):
        made.append(data)
        raise ValueError("not here")

    monkeypatch.setattr(submission, "make_data", generate)
    return made


@pytest.mark.parametrize("name", ["division", "status"])
def test_an_option_against_the_description_ends_with_what_to_type(forking, tmp_path, capfd, name):
    """Of a published problem, before any data is there; a description that was there stays."""
    other = {"division": "open", "status": "cloud"}
    path = system_path(tmp_path / "v1.0" / "Us", "laptop")
    write_system(submit.setup_of(submit.parse(smoke(tmp_path, f"--{name}", other[name]))), None)
    before = path.read_bytes()
    assert submit.main(smoke(tmp_path, *FAST)) == 2
    said = capfd.readouterr().err.splitlines()
    code = {"division": "RUN13", "status": "RUN14"}[name]
    (line,) = [line for line in said if line.startswith(f"error: {code} ")]
    assert line.endswith(f': --{name} {other[name]}, or correct "{name}" in {path}')
    assert said[-1].startswith("checked by the rules ") and path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["background_weight=0.9"], ["HYP01 background_weight 0.9"]),
        (["beta_1=0.8", "weight_decay=0.1"], ["HYP01 opt_adam_beta_1 0.8", "HYP01 opt_weight_decay 0.1"]),
        (["--division", "open", "background_weight=0.9"], []),
        (["average_epochs=2.5"], []),
        (["average_epochs=2.6"], ["HYP01 average_epochs 2.6"]),
    ],
)
def test_the_rules_of_settings_are_asked_before_anything_runs(forking, generated, tmp_path, capfd, options, said):
    """Of a published problem: no data is made, and no step."""
    assert submit.main(smoke(tmp_path, *FAST, *options)) == 2
    errors = [line for line in capfd.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(errors) == len(said) and bool(generated) != bool(said)
    assert system_path(tmp_path / "v1.0" / "Us", "laptop").exists() == bool(generated)  # what is refused leaves none
    for line, wanted in zip(errors, said, strict=True):
        code, found = wanted.split(" ", 1)
        assert line.startswith(f"error: {code} ") and f"(found {found}, wanted " in line


def test_an_interruption_says_what_to_type(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(submit, "make_submission", lambda *_: sys.exit(130))
    with pytest.raises(SystemExit) as raised:
        submit.main(smoke(tmp_path))
    assert raised.value.code == 130
    assert capsys.readouterr().err == "submit.py: interrupted; the same command goes on with what is missing\n"
