import dataclasses

import h5py
import numpy as np
import pytest

from benchmark import deepcam, fingerprint
from benchmark.deepcam import making, twin
from benchmark.generate import record, stream, verify
from benchmark.manifest import load_manifest
from benchmark.workload import whole_box


def test_files_are_in_the_published_format_and_of_one_problem(tiny, data):
    path = data / "train" / "data-000000.h5"
    assert path.stat().st_size <= deepcam.file_bytes(tiny)
    with h5py.File(path) as file:
        assert file["climate/data"].shape == (32, 48, 16) and file["climate/data"].dtype == np.float32
        assert file["climate/labels_0"].shape == (32, 48) and set(np.unique(file["climate/labels_0"])) <= {0, 1, 2}
    with h5py.File(data / "stats.h5") as file:
        assert np.array_equal(np.stack([file["climate/minval"], file["climate/maxval"]]), twin.value_range())
    files = {"croissant.json", "manifest.json", "stats.h5", "train", "validation"}
    assert {p.name for p in data.iterdir()} == files
    other = dataclasses.replace(tiny, data_seed=1)
    with pytest.raises(ValueError, match="made for problem digest"):
        making.measure_sample(data, other, "train", 0)


def test_evidence_is_of_place_data_range_and_labels(tiny, data):
    arrays = deepcam.read_sample(data, tiny, "train", 1, whole_box(tiny))
    blanks = deepcam.blank(tiny, whole_box(tiny))
    assert [(a.shape, a.dtype) for a in arrays] == [(b.shape, b.dtype) for b in blanks]
    assert not any(b.any() for b in blanks) and np.array_equal(arrays[1], twin.value_range())
    digest, counts = deepcam.evidence(tiny, "train", 1, whole_box(tiny), arrays)
    entry = load_manifest(data, tiny).entries[1]
    assert (fingerprint.to_hex(digest), counts) == (entry.digest, entry.class_counts)
    others = [deepcam.evidence(tiny, "train", 2, whole_box(tiny), arrays)[0]]
    for i in range(3):
        changed = [a.copy() for a in arrays]
        changed[i].flat[0] += 1
        others.append(deepcam.evidence(tiny, "train", 1, whole_box(tiny), tuple(changed))[0])
    assert len({digest, *others}) == 5
    with pytest.raises(ValueError, match="never split"):
        deepcam.read_sample(data, tiny, "train", 0, ((0, 0, 0), (1, 16, 48)))


def test_published_files_count_by_name(real, tiny, data):
    """Real data: any names, labels of any integer type, no attribute of ours."""
    for split in ("train", "validation"):
        for number, path in enumerate(sorted((data / split).iterdir())):
            with h5py.File(path, "r+") as file:
                del file.attrs["problem"]
                wide = file["climate/labels_0"][...].astype(np.int64)
                del file["climate/labels_0"]
                file["climate/labels_0"] = wide
            path.rename(path.with_name(f"data-2001-0{number + 1}-01-00-0.h5"))
    (data / "manifest.json").unlink()
    assert deepcam.sample_path(data, real, "validation", 4).name == "data-2001-02-01-00-0.h5"
    assert record(data, real).fingerprints == stream(tiny).fingerprints
    assert list(verify(data, real)) == []


def test_real_data_must_be_all_there_and_no_more(real, data):
    extra = data / "train" / "data-zzz.h5"
    extra.write_bytes((data / "train" / "data-000000.h5").read_bytes())
    with pytest.raises(ValueError, match=r"train: found 4 files data-\*.h5, wanted 3"):
        record(data, real)
    extra.unlink()
    (data / "train" / "data-000001.h5").unlink()
    with pytest.raises(ValueError, match="found 4 of 5 samples; the first that is missing is sample 2 of train"):
        record(data, real)


SAMPLE, STATS = "train/data-000001.h5", "stats.h5"


@pytest.mark.parametrize(
    ("name", "dataset", "values", "said"),
    [
        (SAMPLE, "labels_0", None, "found no dataset /climate/labels_0"),
        (SAMPLE, "data", np.zeros((32, 48, 8)), r"32, 48, 8\), wanted \(32, 48, 16\)"),
        (SAMPLE, "labels_0", np.zeros((48, 32), int), r"48, 32\), wanted \(32, 48\)"),
        (SAMPLE, "labels_0", np.zeros((32, 48)), "found float64, wanted integers"),
        (SAMPLE, "labels_0", np.full((32, 48), 3), r"found labels 3\.\.3, wanted 0\.\.2"),
        (SAMPLE, "labels_0", np.full((32, 48), -1), r"found labels -1\.\.-1, wanted 0\.\.2"),
        (STATS, "minval", None, "found no dataset /climate/minval"),
        (STATS, "maxval", np.zeros(3), r"found shape \(3,\), wanted \(16,\)"),
        (STATS, "maxval", np.full(16, -1e9), "channel 0: found least and greatest value"),
    ],
)
def test_damage_is_one_line_that_names_the_file(tiny, data, name, dataset, values, said):
    path = data / name
    with h5py.File(path, "r+") as file:
        del file["climate"][dataset]
        if values is not None:
            file["climate"][dataset] = values
    with pytest.raises(ValueError, match=said) as error:
        making.measure_sample(data, tiny, "train", 1)
    assert str(error.value).startswith(f"{path}: ") and "\n" not in str(error.value)
    assert {line.partition(":")[0] for line in verify(data, tiny)} == {str(path)}
