import dataclasses
import shutil

import pytest

from benchmark.manifest import load_manifest
from harness import data
from harness.data import compare_data, has_data, make_data
from rules.current import EDITION
from rules.edition import load


def test_missing_samples_are_generated_where_they_can_be(tiny_data, tmp_path, capfd):
    folder = shutil.copytree(tiny_data.data, tmp_path / "data")
    manifest = load_manifest(folder, tiny_data.problem)
    next(folder.rglob("*.h5")).unlink()
    given = ("tiny", folder, tiny_data.problems)
    assert not has_data(*given)
    make_data(*given)
    assert has_data(*given) and load_manifest(folder, tiny_data.problem) == manifest
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file: the dataset of tiny could not be generated"):
        make_data("tiny", tmp_path / "file", tiny_data.problems)
    assert "generate.py: " in capfd.readouterr().err


def test_data_that_are_not_the_published_ones(tiny_data, monkeypatch):
    manifest = load_manifest(tiny_data.data, tiny_data.problem)
    facts = {"problem_digest": manifest.problem_digest, "fingerprints": dict(manifest.fingerprints)}
    published = dataclasses.replace(load(EDITION).problems["smoke"], **facts)
    edition = dataclasses.replace(load(EDITION), problems={"tiny": published})
    monkeypatch.setattr(data, "load", lambda name: edition)
    compare_data("tiny", tiny_data.data, tiny_data.problems)
    published.fingerprints["train"] = "0" * 64
    with pytest.raises(ValueError, match=r"manifest.json: found train fingerprint .*, wanted 0+ as the rules publish"):
        compare_data("tiny", tiny_data.data, tiny_data.problems)
    with pytest.raises(ValueError, match="manifest"):
        compare_data("tiny", tiny_data.problems.parent / "nowhere", tiny_data.problems)
