import json

import numpy as np
import pytest

from benchmark.generate import generate, record, stream, verify
from benchmark.manifest import load_manifest, missing
from benchmark.scaffold_published.files import sample_path
from benchmark.workload import held_out


def test_a_sites_manifest_has_every_samples_digest_and_counts(data, problem):
    made = record(data, problem)
    assert load_manifest(data, problem) == made and list(verify(data, problem)) == []
    assert [sum(e.class_counts) for e in made.entries] == [512] * 10
    described = json.loads((data / "croissant.json").read_text())
    sets = [one["includes"] for one in described["distribution"] if one["@type"] == "cr:FileSet"]
    assert sets[0] == ["volumes/training/*.npy", "masks/training/*.npy"]
    path = sample_path(data, problem, "validation", 8)
    volume = np.load(path)
    volume[2, 3, 4, 5] += 1e-7
    np.save(path, volume)
    (fault,) = verify(data, problem)
    assert fault.startswith(f"{path}: found digest ")


def test_data_that_lack_volumes_or_are_others_have_no_manifest(data, problem):
    config = data / "config.yml"
    words = config.read_text()
    config.write_text("problem_scale: 4\n")
    with pytest.raises(ValueError, match="problem_scale: found 4, wanted 3"):
        record(data, problem)
    config.write_text(words)
    sample_path(data, problem, "train", 0).unlink()
    assert missing(data, problem) == [("train", 6)]
    with pytest.raises(ValueError, match="found 9 of 10 samples; the first that is missing is sample 6 of train"):
        record(data, problem)


def test_the_generator_is_the_authors(problem, tmp_path):
    for make in (lambda: generate(tmp_path, problem), lambda: stream(problem), lambda: held_out(problem, 1)):
        with pytest.raises(ValueError, match=r"by the authors' \(https://github.com/LBANN/ScaFFold\)"):
            make()
