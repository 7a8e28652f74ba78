from pathlib import Path

from benchmark.tree import ENVIRONMENT, environment_paths, result_path, source_files, source_path, system_path


def test_where_things_are():
    home = Path("results/v1.0/acme")
    assert system_path(home, "box") == home / "systems/box.json"
    assert source_path(home, "0123456789abcdef") == home / "source/0123456789ab"
    assert result_path(home, "box", "scaffold", 3) == home / "results/box/strong/scaffold/result_3.txt"


def test_the_environments_of_a_run(tmp_path):
    log = tmp_path / "result_12.txt"
    assert environment_paths(log) == []
    for name in ("environment_12_1.json", "environment_1.json", "environment_12_2.json"):
        (tmp_path / name).write_text("")
    assert [path.name for path in environment_paths(log)] == ["environment_12_1.json", "environment_12_2.json"]
    assert ENVIRONMENT.match("environment_12_1.json") and not ENVIRONMENT.match("environment_12.json.txt")


def test_caches_and_links_are_no_source(tmp_path):
    for name in ("train.py", "sub/a.py", "__pycache__/train.pyc", "sub/__pycache__/a.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.py").symlink_to(tmp_path / "train.py")
    assert [p.relative_to(tmp_path).as_posix() for p in source_files(tmp_path)] == ["sub/a.py", "train.py"]
