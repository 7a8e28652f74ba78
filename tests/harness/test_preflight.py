"""What is found before a run is made."""

import shutil
import sys

import pytest

from benchmark.tree import set_path, system_path
from harness import preflight, submission, submit
from harness.preflight import MOST, Finding, Step, epoch_seconds, forecast, one_line, report
from harness.runset import RunSet
from harness.system import write_system
from rules.current import EDITION


def test_a_check_measures_a_step_and_makes_no_runs(forking, tiny, tmp_path, capfd):
    """Of a problem that no rules know; nothing else is wrong."""
    assert submit.main(tiny.harness(tmp_path, "--check")) == 1
    said = capfd.readouterr().err
    assert "5 runs; an epoch takes about" in said and not set_path(tmp_path / "Us", "laptop", "scaffold").exists()
    assert [line.split()[1] for line in said.splitlines() if line.startswith("error: ")] == ["LOG12"]
    assert said.endswith(f"checked by the rules {EDITION}, the current edition, closed division (--division)\n")


def test_what_no_run_could_start_with_is_one_line(tiny, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    for out, more, words in (
        (tmp_path, ["--data", "nowhere"], "no manifest"),
        (tmp_path, ["device=cuda"], "found no GPU"),
        (tmp_path / "file", [], f"{tmp_path}/file/Us/systems: Not a directory"),
    ):
        assert submit.main(tiny.harness(out, "--check", *more)) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("submit.py: ") and words in line


def test_a_disk_without_room_is_reported_beforehand(fake, monkeypatch):
    """Five runs of 100 parameters, whose weights take 2000 bytes."""

    def forecast_with(free):
        usage = type(shutil.disk_usage(fake.folder))(10**9, 0, free)
        monkeypatch.setattr(preflight.shutil, "disk_usage", lambda path: usage)
        return forecast(RunSet(fake.setup(), fake.folder, 5), 5, Step((), 1.0, 100), 1)

    forecast_with(2000)
    with pytest.raises(ValueError, match=r"Us: found 1999 bytes free, wanted 2000 for the runs' final weights"):
        forecast_with(1999)


@pytest.mark.parametrize(
    ("told", "samples", "wanted"),
    [
        ({"throughput": 4.0, "epoch_seconds": 9.0}, 8, 9.0),
        ({"throughput": 4.0, "step_seconds": 1.0}, 8, 2.0),  # the contract
        ({"throughput": 0}, 8, None),
        ({"throughput": "4"}, 8, None),
        ({"throughput": 4.0}, None, None),
        (4.0, 8, None),
    ],
)
def test_an_epoch_takes_what_a_measurement_says(fake, told, samples, wanted):
    assert epoch_seconds({"throughput": told, "train_samples": samples}) == wanted
    fake.submission.mkdir(parents=True)
    said = forecast(RunSet(fake.setup(), fake.folder, 5), 3, Step((), wanted, None), 1)
    unknown = "the measured step does not say how long an epoch takes"
    assert said[0] == f"3 runs; {f'an epoch takes about {wanted} s here' if wanted else unknown}"
    assert said[1].startswith("final weights of 0.0 MB, ")


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
    fast = ["--runs", "1", "compile=false", "threads=1"]
    return ["--problem", "smoke", "--org", "Us", "--system", "laptop", *files, *fast, *more]


def test_an_option_against_the_description_ends_with_what_to_type(forking, tmp_path, capfd):
    """Of a published problem, before any data is there; a description that was there stays."""
    path = system_path(tmp_path / "v1.0" / "Us", "laptop")
    write_system(submit.setup_of(submit.parse(smoke(tmp_path, "--division", "open", "--status", "cloud"))), None)
    before = path.read_bytes()
    assert submit.main(smoke(tmp_path)) == 2
    said = capfd.readouterr().err.splitlines()
    for code, name, other in (("RUN13", "division", "open"), ("RUN14", "status", "cloud")):
        (line,) = [line for line in said if line.startswith(f"error: {code} ")]
        assert line.endswith(f': --{name} {other}, or correct "{name}" in {path}')
    assert said[-1].startswith("checked by the rules ") and path.read_bytes() == before


def test_the_rules_of_settings_are_asked_before_anything_runs(forking, monkeypatch, tmp_path, capfd):
    """Of a published problem: no data is made, no step, and what is refused leaves no description."""

    def generate(*_):
        raise ValueError("no data are made here")

    monkeypatch.setattr(submission, "make_data", generate)
    description = system_path(tmp_path / "v1.0" / "Us", "laptop")
    assert submit.main(smoke(tmp_path, "beta_1=0.8", "average_epochs=2.6")) == 2
    errors = [line for line in capfd.readouterr().err.splitlines() if line.startswith("error: HYP01 ")]
    found = [line.partition("(found ")[2].partition(", wanted ")[0] for line in errors]
    assert found == ["opt_adam_beta_1 0.8", "average_epochs 2.6"] and not description.exists()
    assert submit.main(smoke(tmp_path, "beta_1=0.8", "--division", "open")) == 2
    assert "no data are made here" in capfd.readouterr().err and description.exists()


def test_an_interruption_says_what_to_type(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(submit, "make_submission", lambda *_: sys.exit(130))
    with pytest.raises(SystemExit) as raised:
        submit.main(smoke(tmp_path))
    assert raised.value.code == 130
    assert capsys.readouterr().err == "submit.py: interrupted; the same command goes on with what is missing\n"
