from importlib.metadata import version

from benchmark.environment.software import conda, packages


def test_versions_and_builds_of_packages_and_those_of_conda(tmp_path):
    found = packages()
    assert found["torch"] == version("torch") and found["numpy"] == version("numpy")
    assert list(found) == sorted(found) and all(name == name.lower() for name in found)
    (tmp_path / "conda-meta").mkdir()
    (tmp_path / "conda-meta" / "numpy-2.4.6-py311_0.json").write_text("{}")
    (tmp_path / "conda-meta" / "history").write_text("")
    assert conda(tmp_path) == ["numpy-2.4.6-py311_0"] and conda(tmp_path / "none") == []
