"""Links to a dataset for DLIO, and the YAML beside them."""

import yaml

from benchmark.problem import load_problem
from benchmark.scaffold.store import sample_path
from perf.storage.export import Settings, export

SMOKE = load_problem("smoke")


def test_samples_are_links_and_the_workload_counts_them(tmp_path):
    data = tmp_path / "data"
    settings = Settings(batch=50, eval_batch=73, workers=1, prefetch=2, computation=0.1)
    assert export(SMOKE, data, tmp_path, settings) == {"train": 18, "validation": 72}  # fewer than a batch
    links = sorted((tmp_path / "store" / "train").iterdir())
    assert len(links) == 150 and not list((tmp_path / "store" / "valid").iterdir())
    assert links[3].resolve() == sample_path(data, "train", 3).resolve() and links[3].suffix == ".hdf5"
    assert yaml.safe_load((tmp_path / "store" / "store.yaml").read_text()) == {"problem": "smoke", "data": str(data)}
    said = yaml.safe_load((tmp_path / "config" / "workload" / "smoke_store.yaml").read_text())
    assert said["dataset"] == {
        "data_folder": str(tmp_path / "store"), "format": "hdf5", "num_files_train": 150, "num_files_eval": 0,
        "num_samples_per_file": 1, "record_length": 2 * 32**3,
    }  # fmt: skip
    assert said["reader"]["reader_classname"].endswith("StoreReader") and said["workflow"]["evaluation"] is False
    assert (said["reader"]["read_threads"], said["reader"]["prefetch_size"]) == (1, 2)
    assert said["train"]["computation_time"] == 0.1


def test_ranks_cut_more(tmp_path):
    settings = Settings(batch=1, eval_batch=8, workers=1, prefetch=2, ranks=5)
    assert export(SMOKE, tmp_path / "data", tmp_path, settings) == {"train": 3, "validation": 32}


def test_every_workload_has_its_bytes(tmp_path):
    problem = load_problem("cosmoflow-mini")
    export(problem, tmp_path / "data", tmp_path, Settings(batch=1, eval_batch=1, workers=0, prefetch=2))
    said = yaml.safe_load((tmp_path / "config" / "workload" / "cosmoflow_mini_store.yaml").read_text())
    assert (said["reader"]["read_threads"], said["reader"]["prefetch_size"]) == (0, 2)
    assert said["dataset"]["record_length"] == 32784 and said["workflow"]["evaluation"] is True
