from benchmark.tree import ENVIRONMENT, environment_paths, source_files


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
