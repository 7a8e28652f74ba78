"""Commands from any folder, with the environment of a clone; other clones; modules that are in the way. Environments
here have `requirements/clone.pth`, as `make setup` copies it, and the packages of the one that runs the tests."""

import os
import re
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.slow  # makes clones, and starts Python some thirty times

OURS = ("benchmark", "rules", "compliance", "results", "harness", "implementations")
LOADED = """
import sys
from pathlib import Path
places = {Path(m.__file__).resolve().parents[0] for n, m in sys.modules.items()
          if n.partition(".")[0] in %r and getattr(m, "__file__", None)}
print(*sorted({str(p)[: -len(r)] for p in places for r in [str(p)[str(p).index("/clone-") + 1:].partition("/")[2]]}))
"""


def clone(folder: Path, environment: Path | None = None) -> Path:
    """A clone of what scripts load, with an environment of its own, or a link to another one's."""
    for name in OURS:
        rounds = shutil.ignore_patterns("v*.0") if name == "results" else None
        shutil.copytree(ROOT / name, folder / name, ignore=rounds)
    if environment:
        (folder / ".venv").symlink_to(environment)
        return folder
    venv.create(folder / ".venv", with_pip=False, symlinks=True)
    (packages,) = folder.glob(".venv/lib/python*/site-packages")
    shutil.copy(ROOT / "requirements" / "clone.pth", packages)
    (packages / "tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


@pytest.fixture(scope="module")
def one(tmp_path_factory) -> Path:
    return clone(tmp_path_factory.mktemp("clones") / "clone-one")


@pytest.fixture(scope="module")
def two(one) -> Path:
    """Another clone, whose environment is a link to the first one's."""
    return clone(one.with_name("clone-two"), one / ".venv")


def run(environment: Path, *words: object, cwd: Path) -> subprocess.CompletedProcess:
    """A command of a clone's Python, in a folder."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [str(environment / ".venv/bin/python"), *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120)


def clones_of(environment: Path, code: str, cwd: Path) -> str:
    """Of which clones the modules are that some code loads."""
    done = run(environment, "-c", code + LOADED % (OURS,), cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


CHECK = "import compliance.check, results.statistics.score\n"


def test_every_script_is_a_module_anywhere(one, tmp_path):
    """All in one process: what each says of itself."""
    scripts = [p for name in OURS for p in (one / name).rglob("*.py") if '__name__ == "__main__"' in p.read_text()]
    names = [".".join(p.relative_to(one).with_suffix("").parts) for p in scripts]
    assert len(names) > 20
    code = "import runpy, sys\nfor name in sys.argv[1:]:\n    sys.argv = [name, '--help']\n    try:\n"
    code += "        runpy.run_module(name, run_name='__main__')\n    except SystemExit as end:\n"
    code += "        print(name, end.code, file=sys.stderr)\n"
    done = run(one, "-W", "ignore", "-c", code, *names, cwd=tmp_path)
    assert [line for line in done.stderr.splitlines() if re.match(r"\S+ \S+$", line)] == [f"{n} 0" for n in names]


def test_a_clone_that_moved_takes_its_environment_along(two, tmp_path):
    home = two.with_name("clone-three")
    clone(home)
    moved = home.rename(home.with_name("clone-moved"))
    assert clones_of(moved, CHECK, tmp_path) == f"{moved}/"
    shutil.rmtree(moved)


def test_a_linked_environment_loads_the_clone_that_runs(one, two, tmp_path):
    assert clones_of(one, CHECK, tmp_path) == f"{one}/"
    assert clones_of(two, CHECK, tmp_path) == f"{two}/"
    for environment in (one, two):  # a script names its clone, whatever the environment's is
        code = f"import runpy, sys; sys.argv = ['x']; sys.path[0] = {str(two)!r}\n{CHECK}"
        assert clones_of(environment, code, tmp_path) == f"{two}/"
        done = run(environment, two / "compliance/check.py", "--diff", tmp_path / "nothing", cwd=tmp_path)
        assert done.returncode == 2 and "Traceback" not in done.stderr


def test_packages_of_these_names_do_not_win(one, tmp_path):
    """Neither an installed one, nor a folder without an __init__.py where a command is started; and no module of the
    clone wins over the standard library's."""
    (packages,) = one.glob(".venv/lib/python*/site-packages")
    (packages / "rules").mkdir()
    (packages / "rules" / "__init__.py").write_text("raise SystemExit('the installed one')\n")
    (tmp_path / "results" / "v1.0").mkdir(parents=True)
    (one / "json.py").write_text("raise SystemExit('not the standard library')\n")
    try:
        assert clones_of(one, CHECK, tmp_path) == f"{one}/"
    finally:
        shutil.rmtree(packages / "rules")
        (one / "json.py").unlink()


@pytest.mark.parametrize("name", ["rules.py", "results/__init__.py"])
def test_a_module_in_the_way_is_named(one, tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("raise SystemExit('a stranger')\n")
    done = run(one, "-m", "compliance.check", "--list", cwd=tmp_path)
    module = re.split(r"[./]", name)[0]
    wanted = f"check.py: found {path} as the module '{module}', wanted {one / module}: start in another folder\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", wanted)
    assert run(one, one / "compliance/check.py", "--list", cwd=tmp_path).returncode == 0  # as a file it runs there


def test_setup_writes_it():
    recipe = (ROOT / "Makefile").read_text().partition("\n.venv/done:")[2].partition("\n\n")[0]
    assert 'cp requirements/clone.pth "$$($(BIN)/python $(LIBRARY))"' in recipe
    assert "requirements/clone.pth" in recipe.split("\n")[0]
