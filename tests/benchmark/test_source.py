"""The recorder of what a process loads, in processes of its own over a small repository."""

import hashlib
import json
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from benchmark import source
from benchmark.source import Recorder, combine, relative

START = "import sys, json; sys.path[0] = {root!r}\n{before}\nfrom benchmark.source import install\n"
START += "recorder = install()\n"


@pytest.fixture
def repository(tmp_path) -> Path:
    root = tmp_path / "repository"
    for package in ("benchmark", "implementations", "implementations/acme", "rules", "other"):
        (root / package).mkdir(parents=True)
        (root / package / "__init__.py").write_text("")
    shutil.copy(source.__file__, root / "benchmark" / "source.py")
    (root / "implementations" / "acme" / "model.py").write_text("WIDTH = 8\n")
    return root


def run(root: Path, code: str, before: str = "") -> dict[str, str]:
    """The files that are recorded when code has run, some of it before the recorder."""
    code = START.format(root=str(root), before=before) + code + "\nprint(json.dumps(recorder.files))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_what_is_loaded_is_listed_and_nothing_else(repository):
    (repository / "implementations" / "acme" / "unused.py").write_text("")
    (repository / "other" / "helper.py").write_text("")
    elsewhere = repository.parent / "site" / "rules"  # a package of the same name
    elsewhere.mkdir(parents=True)
    (elsewhere / "__init__.py").write_text("")
    code = "import implementations.acme.model, other.helper, logging, yaml; assert install() is recorder"
    code += f"\nsys.path.insert(0, {str(elsewhere.parent)!r}); import rules; assert 'site' in rules.__file__"
    found = run(repository, code)
    names = {"benchmark/__init__.py", "benchmark/source.py", "implementations/__init__.py"}
    names |= {"implementations/acme/__init__.py", "implementations/acme/model.py"}
    assert found == {name: sha((repository / name).read_bytes()) for name in names}


def test_a_file_that_changes_has_the_hash_of_what_was_loaded(repository):
    model = repository / "implementations" / "acme" / "model.py"
    before = model.read_bytes()
    found = run(repository, f"import implementations.acme.model as m; open({str(model)!r}, 'w').write('WIDTH = 9')")
    assert found["implementations/acme/model.py"] == sha(before) != sha(model.read_bytes())


def test_a_stale_cache_is_not_used(repository):
    model = repository / "implementations" / "acme" / "model.py"
    py_compile.compile(str(model), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    model.write_text("WIDTH = 9\n")
    ask = "from implementations.acme.model import WIDTH; assert WIDTH == 8"
    subprocess.run([sys.executable, "-c", ask], cwd=repository, check=True)  # Python by itself takes the cache
    found = run(repository, "from implementations.acme.model import WIDTH; assert WIDTH == 9")
    assert found["implementations/acme/model.py"] == sha(b"WIDTH = 9\n")


@pytest.mark.parametrize(
    ("prefix", "after"),
    [
        ("os.devnull", "None"),
        ("os.devnull; os.environ['PYTHONPYCACHEPREFIX'] = 'user'", "'user'"),
        ("'own'", "'own'"),
        ("None", "None"),
    ],
)
def test_caches_of_other_modules_are_in_use_again(repository, prefix, after):
    run(repository, f"assert sys.pycache_prefix == {after}", before=f"import os; sys.pycache_prefix = {prefix}")


def test_a_link_bytecode_alone_and_what_was_loaded_before_are_listed(repository):
    folder = repository / "implementations" / "acme"
    py_compile.compile(str(folder / "model.py"), cfile=str(folder / "hidden.pyc"))
    (repository.parent / "shared.py").write_text("A = 1\n")
    (folder / "linked.py").symlink_to(repository.parent / "shared.py")
    code = "import implementations.acme.hidden, implementations.acme.linked"
    found = run(repository, code, before="import implementations.acme.model")
    for name in ("hidden.pyc", "linked.py", "model.py"):
        assert found[f"implementations/acme/{name}"] == sha((folder / name).read_bytes())
    assert relative(repository.parent / "shared.py", repository) is None


def test_the_config_is_listed_by_its_place(repository):
    recorder = Recorder(repository)
    inside = repository / "implementations" / "acme" / "configs" / "smoke.yaml"
    files, name = recorder.files_with(inside, b"epochs: 3")
    assert name == "implementations/acme/configs/smoke.yaml" and files == {name: sha(b"epochs: 3")}
    assert recorder.files_with(repository.parent / "tuned.yaml", b"")[1] == "config/tuned.yaml"
    assert not recorder.files  # another run of the process may have another config


def test_a_digest_is_of_names_and_bytes_in_any_order():
    files = [("b.py", "1" * 64), ("a.py", "2" * 64)]
    wanted = hashlib.sha256(f"a.py\0{'2' * 64}\nb.py\0{'1' * 64}\n".encode()).hexdigest()
    assert combine(files) == combine(reversed(files)) == wanted
    assert combine([("a.py", "1" * 64), ("b.py", "2" * 64)]) != wanted


def test_a_file_is_told_without_asking_the_file_system(tmp_path, monkeypatch):
    """Thousands of ranks load a hundred modules each, and resolving a path asks for every folder above it."""
    monkeypatch.setattr(source.os.path, "realpath", Mock(side_effect=AssertionError))
    assert relative(tmp_path / "benchmark" / "log.py", tmp_path) == "benchmark/log.py"
    with pytest.raises(AssertionError):
        relative(tmp_path / "elsewhere.py", tmp_path / "benchmark")
