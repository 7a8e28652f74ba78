import dataclasses

import h5py
import numpy as np
import pytest

from benchmark import cosmoflow, generate
from benchmark.cosmoflow import files, making, universe
from benchmark.cosmoflow.tfrecord import write_example
from benchmark.fingerprint import MODULUS
from benchmark.manifest import load_manifest
from benchmark.problem import load_problem

WHOLE = ((0, 0, 0), (16, 16, 16))


def test_boxes_of_what_is_written_in_either_format_are_read(tmp_path, form, sample):
    """Each is the part of the volume; their evidence sums to the whole sample's."""
    making.make_sample(tmp_path, form, "train", 7)
    path = cosmoflow.sample_path(tmp_path, form, "train", 7)
    assert path.name == {"tfrecord": "00007.tfrecord.gz", "hdf5": "00007.h5"}[form.format]
    assert path.stat().st_size <= cosmoflow.file_bytes(form)
    total = 0
    for z, w in ((0, 0), (0, 8), (8, 0), (8, 8)):
        box = ((z, 0, w), (8, 16, 8))
        found = cosmoflow.read_sample(tmp_path, form, "train", 7, box)
        parts = (sample[0][z : z + 8, :, w : w + 8], sample[1])
        for array, part, zeros in zip(found, parts, cosmoflow.blank(form, box), strict=True):
            assert np.array_equal(array, part)
            assert array.dtype == part.dtype == zeros.dtype and array.shape == zeros.shape
        total += cosmoflow.evidence(form, "train", 7, box, found)[0]
    assert total % MODULUS == cosmoflow.evidence(form, "train", 7, WHOLE, sample)[0]


def test_evidence_sees_every_part(mini, sample):
    x, y = sample
    wanted = cosmoflow.evidence(mini, "train", 7, WHOLE, sample)
    other, shifted = x.copy(), y.copy()
    other[3, 4, 5, 2] += 1
    shifted[2] += 0.5
    variants = [(other, y), (x, shifted), (np.roll(x, 8, 0), y)]
    assert all(cosmoflow.evidence(mini, "train", 7, WHOLE, v) != wanted for v in variants)
    assert cosmoflow.evidence(mini, "train", 8, WHOLE, sample) != wanted
    assert cosmoflow.evidence(mini, "validation", 7, WHOLE, sample) != wanted
    with pytest.raises(ValueError, match="wanted whole bricks of 8"):
        cosmoflow.evidence(mini, "train", 7, ((4, 0, 0), (8, 16, 16)), (x[4:12], y))


def test_hdf5_reads_the_chunks_of_its_box(tmp_path, mini, sample):
    """A corrupt chunk elsewhere doesn't matter to a box."""
    path = tmp_path / "a.h5"
    files.write_hdf5(path, mini, *sample)
    with h5py.File(path) as file:
        assert file["x"].chunks == (8, 8, 8, 4)
        last = file["x"].id.get_chunk_info_by_coord((8, 8, 8, 0))
    with open(path, "r+b") as raw:
        raw.seek(last.byte_offset)
        raw.write(bytes(last.size))
    files.read_sample(path, mini, ((0, 0, 0), (8, 16, 16)))
    with pytest.raises(ValueError, match=r"a\.h5: truncated, corrupt or no sample of ours: "):
        files.read_sample(path, mini, WHOLE)


@pytest.mark.parametrize(
    "options",
    [{}, {"chunks": (16, 16, 4, 4), "compression": "gzip"}, {"compression": "lzf"}]
    + [{"chunks": (8, 8, 8, 4), "compression": "gzip", more: True} for more in ("shuffle", "fletcher32")]
    + [{"dtype": ">i2", "chunks": (8, 8, 8, 4), "compression": "gzip"}, {"dtype": "i4"}],
)
def test_hdf5_of_others_may_be_stored_otherwise(tmp_path, mini, sample, options):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=sample[0], **options)
        file.create_dataset("y", data=sample[1].astype(float))
    for origin in ((0, 0, 0), (8, 0, 8)):
        x, y = files.read_sample(tmp_path / "a.h5", mini, (origin, (8, 16, 8)))
        part = sample[0][origin[0] : origin[0] + 8, :, origin[2] : origin[2] + 8]
        assert (x == part).all() and (y == sample[1]).all()
        assert (x.dtype, y.dtype) == (np.int16, np.float32)


def test_hdf5_that_was_never_written_is_refused(tmp_path, mini):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", (16, 16, 16, 4), "<i2", chunks=(8, 8, 8, 4), compression="gzip")
        file["y"] = np.zeros(4, np.float32)
    with pytest.raises(ValueError, match=r"a\.h5: .* the chunk at \(0, 0, 0\) was never written$"):
        files.read_sample(tmp_path / "a.h5", mini, WHOLE)


@pytest.mark.parametrize("most, fits", [(2**15 - 1, True), (2**15, False)])
def test_counts_that_int16_does_not_have_are_refused(tmp_path, mini, sample, most, fits):
    x = sample[0].astype(np.int32)
    x[3, 4, 5, 2] = most
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.update({"x": x, "y": sample[1]})
    if fits:
        assert files.read_sample(tmp_path / "a.h5", mini, WHOLE)[0].max() == most
    else:
        with pytest.raises(ValueError, match=r"x: found counts from 0 to 32768, wanted those of int16$"):
            files.read_sample(tmp_path / "a.h5", mini, WHOLE)


def broken(form, x, y):
    """By message, the content of a file that has it."""
    if form.format == "tfrecord":
        raw = x.astype("<i2").tobytes()
        return {
            "found features y, wanted x": {"y": y},
            "x: found 32766 bytes, wanted 32768 bytes: int16 (16, 16, 16, 4)": {"x": raw[2:], "y": y},
            "x: found 4 floats, wanted 32768 bytes": {"x": y, "y": y},
            "y: found 3 floats, wanted 4 floats": {"x": raw, "y": y[:3]},
            "y: found 16 bytes, wanted 4 floats": {"x": raw, "y": y.tobytes()},
        }
    return {
        "found datasets y, wanted x": {"y": y},
        "x: found int16 (16, 16, 15, 4), wanted int16 (16, 16, 16, 4)": {"x": x[:, :, 1:], "y": y},
        "x: found float64 (16, 16, 16, 4), wanted int16": {"x": x * 1.0, "y": y},
        "y: found float32 (3,), wanted float32 (4,)": {"x": x, "y": y[:3]},
        "found no dataset /x in the file itself": {"x": h5py.ExternalLink("other.h5", "x"), "y": y},
        "wanted counts of 0 or more": {"x": x - x.min() - 1, "y": y},
        "wanted finite numbers": {"x": x, "y": y * np.nan},
    }


def test_other_content_gets_one_line_that_names_the_file(tmp_path, form, sample):
    path = cosmoflow.sample_path(tmp_path, form, "train", 7)
    path.parent.mkdir()
    for message, content in broken(form, *sample).items():
        if form.format == "tfrecord":
            write_example(path, content)
        else:
            with h5py.File(path, "w") as file:
                file.update(content)
        with pytest.raises(ValueError) as error:
            cosmoflow.read_sample(tmp_path, form, "train", 7, WHOLE)
        assert str(error.value).startswith(f"{path}: ") and message in str(error.value) and "\n" not in str(error.value)


def test_a_site_computes_the_manifest_of_real_data_once(tmp_path, mini, sample):
    """Sample i of a split is its i-th file by name, of either format. Then it verifies, and a file that changed is
    named."""
    real = dataclasses.replace(mini, name="real", universe=None, train_samples=3, validation_samples=1)
    with pytest.raises(ValueError, match=r"train: found 0 sample files .*, wanted 3"):
        generate.generate(tmp_path, real)
    for index, place in enumerate(("train/a.tfrecord", "train/b.h5", "train/c.tfrecord.gz", "validation/a.tfrecord")):
        files.write_sample(tmp_path / place, real, *universe.make_universe(mini, index))
    (tmp_path / "train" / "b.txt").write_text("no sample")
    with pytest.raises(ValueError, match="has no generator: its data are real"):
        making.stream_sample(real, "train", 0)
    manifest = generate.record(tmp_path, real)
    made = [making.stream_sample(mini, entry.split, entry.sample) for entry in manifest.entries[:3]]
    assert [entry.digest for entry in manifest.entries[:3]] == [entry.digest for entry in made]
    assert load_manifest(tmp_path, real) == manifest and list(generate.verify(tmp_path, real)) == []
    files.write_sample(tmp_path / "train" / "b.h5", real, *sample)
    (fault,) = generate.verify(tmp_path, real)
    assert fault.startswith(f"{tmp_path / 'train' / 'b.h5'}: found digest ")


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".tfrecord.gz", ".h5"])
def test_a_sample_of_full_size_goes_through(tmp_path, ending):
    full = load_problem("cosmoflow")
    rng = np.random.default_rng(3)
    x = rng.poisson(0.5, (32, 128, 128, 4)).astype(np.int16)
    x, y = np.concatenate([x, x, x, x + 1]), rng.uniform(-1, 1, 4).astype(np.float32)
    path = tmp_path / "train" / f"universe{ending}"
    files.write_sample(path, full, x, y)
    assert path.stat().st_size < cosmoflow.file_bytes(full)
    found = files.read_sample(path, full, ((0, 0, 0), full.shape))
    assert (found[0] == x).all() and (found[1] == y).all()
    part = files.read_sample(path, full, ((64, 96, 32), (32, 32, 64)))[0]
    assert (part == x[64:96, 96:, 32:96]).all()
