"""The source folders of a submission, from logs and files that are made here."""

import fcntl
import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmark import collect as module
from benchmark.collect import collect, files_in, files_of, main, snapshot
from benchmark.log import LogWriter
from benchmark.source import combine
from benchmark.tree import result_path, source_path

SHARED = {"benchmark/log.py": "log", "implementations/acme/train.py": "train"}
SMOKE = {**SHARED, "implementations/acme/scaffold/task.py": "unet", "implementations/acme/configs/smoke.yaml": "a: 1"}
COSMO = {**SHARED, "implementations/acme/cosmoflow/task.py": "cosmo", "implementations/acme/configs/mini.yaml": "b: 1"}


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def ran(submission: Path, code: dict[str, str], benchmark: str = "scaffold", system: str = "one", run: int = 0) -> Path:
    """The log of a run of this code."""
    path = result_path(submission, system, benchmark, run)
    files = {name: sha(text) for name, text in code.items()}
    path.unlink(missing_ok=True)
    log = LogWriter(path)
    log.event("source", combine(files.items()), files=files, config="")
    log.close()
    return path


def held(*codes: dict[str, str]) -> dict[str, bytes]:
    return {sha(text): text.encode() for code in codes for text in code.values()}


def folders(submission: Path) -> list[dict[str, str]]:
    """The contents of the source folders, each of which has its right name."""
    found = []
    for folder in sorted((submission / "source").iterdir()):
        files = files_in(folder)
        assert folder == source_path(submission, combine(files.items())) and len(folder.name) == 12
        found.append({name: (folder / name).read_text() for name in files})
    return found


def test_two_systems_with_different_configs(tmp_path):
    """An edited configs/smoke.yaml is other code; two files given by --config are told apart by their names alone."""
    edited = SMOKE | {"implementations/acme/configs/smoke.yaml": "a: 2"}
    ran(tmp_path, SMOKE)
    ran(tmp_path, edited, system="two")
    ran(tmp_path, COSMO, "cosmoflow", "two")
    collect(tmp_path, held(SMOKE, edited, COSMO))
    assert sorted(folders(tmp_path), key=len) in ([[edited, SMOKE | COSMO], [SMOKE, edited | COSMO]])
    tuned = [SHARED | {"config/tuned.yaml": "a: 3"}, SHARED | {"config/wide.yaml": "a: 4"}]
    other = [SHARED | {"config/tuned.yaml": "a: 5"}]
    for system, code in enumerate((*tuned, *other)):
        ran(tmp_path / "b", code, system=str(system))
    collect(tmp_path / "b", held(*tuned, *other))
    assert sorted(folders(tmp_path / "b"), key=len) == [other[0], tuned[0] | tuned[1]]


def test_source_that_no_log_names_any_more_goes(tmp_path):
    """The logs of a set are replaced by those of other code, another set's stay."""
    ran(tmp_path, SMOKE)
    ran(tmp_path, COSMO, "cosmoflow")
    collect(tmp_path, held(SMOKE, COSMO))
    new = {name: text + "!" for name, text in SMOKE.items()}
    ran(tmp_path, new)
    collect(tmp_path, held(new))  # COSMO's files come from the folder that is there
    assert sorted(folders(tmp_path), key=lambda f: "!" in str(f)) == [COSMO, new]
    for log in (tmp_path / "results").rglob("result_*.txt"):
        log.unlink()
    collect(tmp_path, {})
    assert folders(tmp_path) == []


def test_a_disk_that_fills_up_while_source_is_copied(tmp_path, monkeypatch, capsys):
    """The file is named, nothing stays half written, what was there stays, and the same call later puts it in order."""
    ran(tmp_path, SMOKE)
    collect(tmp_path, held(SMOKE))
    ran(tmp_path, COSMO, "cosmoflow")

    def full(path, data, real=Path.write_bytes):
        if path.name != "task.py":
            return real(path, data)
        real(path, data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "snapshot", lambda *more: held(SMOKE, COSMO))
    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        assert main([str(tmp_path)]) == 2
    said = r"collect\.py: .* No space left on device: '.*/source/\w+/implementations/acme/\w+/task\.py'\n"
    assert re.fullmatch(said, capsys.readouterr().err)
    assert folders(tmp_path) == [SMOKE]
    assert main([str(tmp_path)]) == 0
    assert folders(tmp_path) == [SMOKE | COSMO]


def test_a_damaged_folder_is_made_anew_by_what_is_left_of_the_code(tmp_path):
    """All is what a process has left that was killed between the removal of a folder and the renaming of the new one:
    the code has changed since."""
    ran(tmp_path, SMOKE)
    collect(tmp_path, held(SMOKE))
    (folder,) = (tmp_path / "source").iterdir()
    (folder / "benchmark" / "log.py").write_text("other")
    collect(tmp_path, held(SMOKE))
    assert folders(tmp_path) == [SMOKE]
    folder.rename(folder.with_name(f".{folder.name}.0a.partial"))
    (tmp_path / "source" / ".0123456789ab.partial").mkdir()  # and this is all that another one had made
    collect(tmp_path, held(SHARED))
    assert folders(tmp_path) == [SMOKE]


def test_a_log_is_no_submission(tmp_path, capsys):
    """Nothing would be collected, and nobody told."""
    log = ran(tmp_path, SMOKE)
    for path in (log, tmp_path / "none"):
        assert main([str(path)]) == 2
        assert capsys.readouterr().err.endswith(f"directory: '{path}'\n")


def test_sets_that_are_collected_at_once_wait_for_each_other(tmp_path):
    """What one of them has half written is no leftover."""
    ran(tmp_path, SMOKE)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with ThreadPoolExecutor() as pool:
        other = pool.submit(collect, tmp_path, held(SMOKE))
        with pytest.raises(TimeoutError):
            other.result(0.2)
        os.close(handle)
        other.result(60)
    assert folders(tmp_path) == [SMOKE]


def test_code_that_is_gone_is_said_and_nothing_is_lost(tmp_path, capsys):
    log = ran(tmp_path, SMOKE)
    collect(tmp_path, held(SMOKE))
    ran(tmp_path, COSMO, "cosmoflow")
    with pytest.raises(ValueError, match=r"result_0\.txt: .*: found no file with the sha256"):
        collect(tmp_path, held(SHARED))
    assert folders(tmp_path) == [SMOKE] and log.exists()
    assert main([str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("path", ["../up.py", "/etc/passwd", "a//b.py", ""])
def test_paths_that_lead_elsewhere_are_refused(tmp_path, path):
    log = ran(tmp_path, {path: "x"})
    with pytest.raises(ValueError, match="wanted a relative path"):
        files_of(log)


def test_a_snapshot_has_what_a_run_can_load(tmp_path):
    (tmp_path / "tuned.yaml").write_text("a: 1")
    found = snapshot(tmp_path / "tuned.yaml", tmp_path / "absent.yaml")
    assert found[sha("a: 1")] == b"a: 1"
    assert Path(module.__file__).read_bytes() in found.values()
