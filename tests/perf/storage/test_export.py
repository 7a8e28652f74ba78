"""Links to a dataset for DLIO."""

import yaml

from benchmark.problem import load_problem
from benchmark.scaffold.store import sample_path
from perf.storage.export import export


def test_samples_in_whole_steps_are_links(tmp_path):
    data, folder = tmp_path / "data", tmp_path / "store"
    counts = export(load_problem("smoke"), data, folder, {"train": 50, "validation": 73})
    assert counts == {"train": 150, "validation": 0}  # of 168 and 72
    links = sorted((folder / "train").iterdir())
    assert len(links) == 150 and not list((folder / "valid").iterdir())
    assert links[3].resolve() == sample_path(data, "train", 3).resolve() and links[3].suffix == ".hdf5"
    assert yaml.safe_load((folder / "store.yaml").read_text()) == {"problem": "smoke", "data": str(data)}
