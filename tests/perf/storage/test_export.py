"""Views of a dataset for DLIO, and the YAML beside them."""

import dataclasses

import h5py
import numpy as np
import pytest
import yaml

from benchmark.cosmoflow import files
from benchmark.problem import load_problem
from benchmark.scaffold import store, writing
from benchmark.scaffold.volume import make_sample
from benchmark.workload import module_of
from perf.storage.export import Settings, export, name_of

SETTINGS = Settings(batch=2, eval_batch=8, workers=1, prefetch=2, computation=0.1)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """A smaller smoke, with 7 samples to train on and 4 to validate; its dataset."""
    sizes = {"scale": 4, "bottleneck": 2, "width": 8, "brick": 8, "cell": 8, "voxels_per_point": 2}
    content = {"categories": 2, "instances": 11, "fractals": 2, "train_samples": 7, "validation_samples": 4}
    problem = dataclasses.replace(load_problem("smoke"), **sizes, **content)
    data = tmp_path_factory.mktemp("data")
    for split in ("train", "validation"):
        for sample in problem.split_samples(split):
            path = store.sample_path(data, split, sample)
            writing.write_sample(path, problem, split, sample, *make_sample(problem, sample))
    return problem, data


def test_a_stock_view_has_volume_and_label_in_one_record(smoke, tmp_path):
    problem, data = smoke
    settings = dataclasses.replace(SETTINGS, eval_batch=2)
    assert export(problem, data, tmp_path, "stock", settings) == {"train": 1, "validation": 0}
    found = sorted((tmp_path / "stock" / "train").iterdir())
    assert len(found) == 6 and len(list((tmp_path / "stock" / "valid").iterdir())) == 4
    with h5py.File(found[0]) as file:
        record = file["records"][0]
    volume, label = store.read_box(store.sample_path(data, "train", problem.split_samples("train")[0]))
    assert np.array_equal(record[0], volume) and np.array_equal(record[1], label)
    said = yaml.safe_load((tmp_path / "config" / "workload" / "smoke_stock.yaml").read_text())
    assert said["dataset"] | {"data_folder": ""} == {
        "data_folder": "", "format": "hdf5", "num_files_train": 6, "num_files_eval": 4, "num_samples_per_file": 1,
        "record_length": 8192,
    }  # fmt: skip
    assert said["reader"]["read_threads"] == 1 and said["train"]["computation_time"] == 0.1


def test_a_store_view_links_and_says_where_the_data_are(smoke, tmp_path):
    problem, data = smoke
    cut = export(problem, data, tmp_path, "store", SETTINGS)
    assert cut == {"train": 1, "validation": 4}  # fewer than a batch
    links = sorted((tmp_path / "store" / "train").iterdir())
    assert links[3].resolve() == store.sample_path(data, "train", 3).resolve() and links[3].suffix == ".hdf5"
    assert yaml.safe_load((tmp_path / "store" / "store.yaml").read_text())["data"] == str(data.resolve())
    said = yaml.safe_load((tmp_path / "config" / "workload" / "smoke_store.yaml").read_text())
    assert said["reader"]["reader_classname"].endswith("StoreReader") and said["workflow"]["evaluation"] is False


def test_ranks_cut_more(smoke, tmp_path):
    problem, data = smoke
    cut = export(problem, data, tmp_path, "store", dataclasses.replace(SETTINGS, batch=1, ranks=3))
    assert cut["train"] == 1


def test_tfrecords_have_no_stock_view(tmp_path):
    problem = dataclasses.replace(load_problem("cosmoflow-mini"), train_samples=1, validation_samples=1)
    for split in ("train", "validation"):
        for sample in problem.split_samples(split):
            path = module_of(problem).sample_path(tmp_path, problem, split, sample)
            shape = (*problem.shape, problem.channels)
            files.write_sample(path, problem, np.zeros(shape, np.int16), np.zeros(4, np.float32))
    settings = Settings(batch=1, eval_batch=1, workers=0, prefetch=2)
    with pytest.raises(ValueError, match="found no HDF5 file"):
        export(problem, tmp_path, tmp_path / "out", "stock", settings)
    export(problem, tmp_path, tmp_path / "out", "store", settings)
    said = yaml.safe_load((tmp_path / "out" / "config" / "workload" / f"{name_of(problem, 'store')}.yaml").read_text())
    assert said["reader"]["read_threads"] == 0 and said["dataset"]["record_length"] == 32784
