"""What the options that commands share amount to."""

import dataclasses
from pathlib import Path

import pytest
import yaml

from benchmark.source import ROOT
from harness import submit
from harness.launcher import Launcher
from harness.options import assignments, launcher_of
from rules.current import EDITION
from tests.support.described import described


def launcher(*words: str) -> Launcher:
    """The launcher of a command."""
    return launcher_of(submit.parse(["--problem", "smoke", "--org", "a", "--system", "b", *words]))


def test_options_of_a_launcher(tmp_path):
    assert launcher() == Launcher() and launcher("--layout", "2,2,1,1").ranks == 4
    assert launcher("--layout", "2;2").ranks == 1  # which train.py will refuse
    assert launcher("--nproc", "3").ranks == 3 and launcher("--python", "x").python == "x"
    found = launcher("--exec", "srun -n {ranks}", "--nproc", "8", "--container", "image", "--out", str(tmp_path))
    assert (found.words, found.python) == (("srun", "-n", "{ranks}"), "python3")
    assert tmp_path in found.container.paths
    with pytest.raises(ValueError, match="--container: found no --exec"):
        launcher("--container", "image")
    with pytest.raises(ValueError, match="--nproc: found 0"):
        launcher("--nproc", "0")


def test_a_container_sees_all_that_a_run_is_told_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to("disk")
    named = {name: f"{name}.x" for name in ("problems", "config", "data", "stage", "out")} | {"checkpoint": "link/new"}
    words = [word for name, value in named.items() for word in (f"--{name}", value)]
    found = launcher("--exec", "srun", "--container", "image", *words).container
    own = ROOT / "implementations" / "pytorch"
    assert set(found.paths) == {own, tmp_path / "disk/new", *(tmp_path / value for value in named.values())}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.x", "disk", "link", "out.x"]
    assert (tmp_path / "disk/new").is_dir()
    named = ["--data", "none", "--checkpoint", "none", "--out", "registered"]
    found = launcher("--exec", "srun", "--container", "image", "--register", *named).container
    assert set(found.paths) == {own, tmp_path / "registered"} and not (tmp_path / "none").exists()


def test_paths_do_not_depend_on_the_folder_in_which_ranks_begin(fake, tmp_path, monkeypatch):
    """In a container it is the clone."""
    monkeypatch.chdir(tmp_path)
    words = fake.setup("--config", "c.yaml", "--stage", "disk").options()
    assert {str(tmp_path / "c.yaml"), str(tmp_path / "disk")} < set(words)


def test_a_head_that_this_node_does_not_see_is_an_error(fake):
    setup = dataclasses.replace(fake.setup(), launcher=Launcher(1, ("true",)))
    with setup.scratch() as folder, pytest.raises(ValueError, match="found no log, wanted its head, in a folder"):
        assert folder.parent == setup.out
        setup.write_head(folder / "elsewhere.txt")
    assert not folder.exists()


def test_a_setup_is_what_was_typed(fake):
    setup = fake.setup("--entry", "3", "--stage", "/disk", "--layout", "2,1,1,1", "epochs=4")
    assert (setup.benchmark, setup.published, setup.submission) == ("scaffold", None, fake.submission)
    words = setup.options()
    registry = str(fake.submission.parent / "registry.yaml")
    assert words[-6:] == ["--stage", "/disk", "--registry", registry, "--entry", "3"]
    assert "--log" not in words and words[words.index("--layout") + 1] == "2,1,1,1" and setup.settings == ("epochs=4",)
    assert "--registry" not in fake.setup().options()


def test_where_things_are_by_default():
    setup = submit.setup_of(submit.parse(["--problem", "smoke", "--org", "a", "--system", "b"]))
    root = Path(submit.__file__).parents[1]
    assert (setup.data, setup.out) == ((root / "data" / "smoke").resolve(), root / "results" / EDITION)
    assert setup.implementation.folder == root / "implementations" / "pytorch" and setup.published


@pytest.mark.parametrize(
    ("value", "text"),
    [((10, 1e-05), "[10, 1.0e-05]"), ("null", "'null'"), (None, "null"), ("x" * 200 + " y", f"{'x' * 200} y")],
)
def test_a_setting_is_yaml_on_one_line(value, text):
    assert assignments({"a": value}) == [f"a={text}"]
    assert yaml.safe_load(text) == (list(value) if isinstance(value, tuple) else value)


def test_a_description_of_another_problem_is_refused(fake, monkeypatch):
    setup = fake.setup()
    monkeypatch.setattr(type(setup.implementation), "describe", lambda *_: described(problem="other"))
    with pytest.raises(ValueError, match="--describe: found the problem 'other', wanted tiny"):
        setup.describe()


@pytest.mark.parametrize(("option", "there"), [("org", "BETA"), ("system", "Beta/results/b-ox")])
def test_a_name_beside_another_spelling_of_it_is_refused(tmp_path, option, there):
    words = ["--problem", "smoke", "--org", "Beta", "--system", "box", "--out", str(tmp_path)]
    (tmp_path / "Beta" / "results" / "box").mkdir(parents=True)
    submit.setup_of(submit.parse(words))
    (tmp_path / there).mkdir()
    with pytest.raises(ValueError, match=f"^--{option}: found .* beside {tmp_path / there}, wanted that name"):
        submit.setup_of(submit.parse(words))
