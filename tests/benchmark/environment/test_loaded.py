"""What a process has loaded, held against the RECORD of its distributions: real packages in a folder of their own."""

import hashlib
import importlib
import sys
import sysconfig
import time
from base64 import urlsafe_b64encode

import pytest

from benchmark.environment import loaded as module
from benchmark.environment.loaded import compiled, kind_of, loaded, of_system, spent


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder of packages with the distribution `fast 1.0` of one module, and nothing mapped into the process."""
    folder = tmp_path / "site-packages"
    (folder / "fast-1.0.dist-info").mkdir(parents=True)
    (folder / "acme_fast.py").write_text("SPEED = 1\n")
    (folder / "fast-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: fast\nVersion: 1.0\n")
    record(folder)
    sysconfig.get_path("stdlib")  # which imports a module at the first time
    monkeypatch.setattr(sys, "path", [str(folder)])
    monkeypatch.delitem(sys.modules, "sitecustomize", raising=False)  # Debian's Python has one
    monkeypatch.setattr(module, "MAPS", tmp_path / "no maps")
    monkeypatch.setattr(module, "loaded_files", lambda: [folder / "acme_fast.py"])
    return folder


def record(folder):
    """Write the RECORD of the files that are there."""
    digest = urlsafe_b64encode(hashlib.sha256((folder / "acme_fast.py").read_bytes()).digest()).decode().rstrip("=")
    row = f"acme_fast.py,sha256={digest},10"
    rows = [row, "fast-1.0.dist-info/METADATA,sha256=AAAA,1", "fast-1.0.dist-info/RECORD,,", "../bin/x,sha256=AAAA,1"]
    (folder / "fast-1.0.dist-info" / "RECORD").write_text("\n".join(rows) + "\n")


def test_a_digest_is_of_the_code_and_not_of_the_installation(packages):
    found = loaded()
    assert list(found["records"]) == ["fast 1.0"] and len(found["records"]["fast 1.0"]) == 64
    nothing = {"files": 0, "names": []}
    assert (found["edited"], found["unowned"], found["editable"], found["startup"]) == (nothing, nothing, [], {})
    assert found["kernels"] == {}
    path = packages / "fast-1.0.dist-info" / "RECORD"
    path.write_text(path.read_text().replace("METADATA,sha256=AAAA", "METADATA,sha256=BBBB"))
    assert loaded()["records"] == found["records"]
    (packages / "acme_fast.py").write_text("SPEED = 2\n")
    record(packages)
    assert loaded()["records"] != found["records"]


def test_what_is_not_as_it_was_distributed_is_named(packages, monkeypatch):
    (packages / "acme_fast.py").write_text("SPEED = 9\n")
    (packages / "fast-1.0.dist-info" / "direct_url.json").write_text('{"url": "x", "dir_info": {"editable": true}}')
    found = loaded()
    assert found["edited"] == {"files": 1, "names": [".../acme_fast.py"]} and found["editable"] == ["fast 1.0"]
    (packages / "stray.py").touch()
    monkeypatch.setattr(module, "loaded_files", lambda: [packages / "stray.py", packages / "gone.so"])
    found = loaded()
    assert found["unowned"] == {"files": 2, "names": [".../gone.so", ".../stray.py"]} and found["records"] == {}


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("hook.pth", "import os; os.x = 1\n", True),
        ("hook.pth", "../elsewhere\nimport\tos\n", True),
        ("hook.pth", "../imports\n# import os\n", False),
        ("hook.txt", "import os\n", False),
    ],
)
def test_code_that_runs_before_the_program(packages, name, text, named):
    (packages / name).write_text(text)
    assert loaded()["startup"] == ({name: hashlib.sha256(text.encode()).hexdigest()} if named else {})


def test_sitecustomize_and_import_finders_are_told(packages, monkeypatch):
    class Finder:
        def find_spec(self, *words):
            return None

    (packages / "sitecustomize.py").write_text("X = 1\n")
    monkeypatch.setitem(sys.modules, "sitecustomize", importlib.import_module("sitecustomize"))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    found = loaded()
    assert list(found["startup"]) == ["sitecustomize.py"]
    assert any(name.endswith("Finder") and "test_loaded" in name for name in found["finders"])
    assert kind_of(sys.meta_path[-2]) == "_frozen_importlib_external.PathFinder"


def test_what_belongs_to_the_system():
    assert of_system("/usr/lib/libc.so.6") and of_system(module.__file__) is False
    assert not of_system("/usr/lib/python3/dist-packages/x.py") and not of_system("/scratch/libfast.so")


def test_kernels_of_the_run_and_of_before(packages, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "a.so").write_bytes(b"1")
    since = (cache / "a.so").stat().st_mtime
    monkeypatch.setattr(module, "loaded_files", lambda: [cache / "a.so"])
    found = loaded(cache, since)
    assert found["unowned"]["files"] == 0 and (found["kernels"]["files"], found["kernels"]["before"]) == (1, 0)
    assert loaded(cache, since + 1)["kernels"]["before"] == 1
    (cache / "a.so").write_bytes(b"2")
    assert loaded(cache, since)["kernels"]["sha256"] != found["kernels"]["sha256"]
    monkeypatch.setattr(module, "MOST", 0)
    assert compiled(cache, since)["sha256"] == ""


@pytest.mark.slow
def test_this_process():
    found = loaded()
    assert any(name.startswith("pytest ") for name in found["records"]) and found["edited"]["files"] == 0


def test_what_a_process_spent(tmp_path, monkeypatch):
    before, began = spent(), time.process_time()
    while time.process_time() < began + 0.1:
        pass
    assert spent()["cpu_seconds"] >= before["cpu_seconds"] + 0.09
    monkeypatch.setattr(module, "IO", tmp_path / "none")
    assert list(spent()) == ["cpu_seconds"]
    (tmp_path / "io").write_text("rchar: 12\nwchar: 7\nread_bytes: 0\n")
    monkeypatch.setattr(module, "IO", tmp_path / "io")
    assert {**spent(), "cpu_seconds": 0} == {"cpu_seconds": 0, "read_bytes": 12, "written_bytes": 7}
