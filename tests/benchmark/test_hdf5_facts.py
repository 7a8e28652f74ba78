"""What HDF5 says, next to what h5py's objects say of the same file."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from benchmark.hdf5_facts import attributes, data_of, value_of

PATH = Path("file.h5")


@pytest.fixture
def file(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["data"] = np.arange(8)
    with h5py.File(tmp_path / "file.h5", "w") as made:
        made.create_dataset("plain", data=np.arange(24, dtype="u1").reshape(4, 6))
        made.create_dataset("chunked", data=np.zeros((4, 6), "f4"), chunks=(2, 3))
        made["group/inner"] = np.arange(24, dtype="u1").reshape(4, 6)
        made["soft"] = h5py.SoftLink("/plain")
        made["outside"] = h5py.ExternalLink("other.h5", "data")
        made.create_dataset("elsewhere", (4,), "i4", external=[("raw", 0, 16)])
        layout = h5py.VirtualLayout((8,), "i8")
        layout[:] = h5py.VirtualSource("other.h5", "data", (8,), "i8")
        made.create_virtual_dataset("virtual", layout)
        made.attrs["text"] = "schön"
        lists = np.empty(1, object)
        lists[0] = np.arange(2, dtype="i4")
        made.attrs.create("numbers", lists, dtype=h5py.vlen_dtype("i4"))
        made.attrs["parts"] = np.zeros(2, [("a", "i4"), ("b", "f4")])
        made.attrs["place"] = made.ref
        made.attrs["fixed"] = np.bytes_(b"abc")
        made.attrs["number"] = 7
        made.attrs["many"] = np.array([1, 2, 3])
        made.attrs["nothing"] = h5py.Empty("i4")
        yield made


def test_datasets_of_the_file_itself_are_what_h5py_says(file):
    for name in ("plain", "chunked", "group/inner"):
        found, wanted = data_of(file, name), file[name]
        assert (found.shape, found.chunks, found.dtype) == (wanted.shape, wanted.chunks, wanted.dtype)
        assert np.array_equal(found.read((1, 2), (2, 3)), wanted[1:3, 2:5])
    for name in ("missing", "missing/own", "group", "group/inner/more", "soft", "outside", "elsewhere", "virtual"):
        with pytest.raises(ValueError, match=name):
            data_of(file, name)


def test_attributes_of_fixed_length_are_what_h5py_says(file):
    for name in ("fixed", "number", "many"):
        found, wanted = value_of(attributes(PATH, file, (name,))[name]), file.attrs[name]
        assert type(found) is type(wanted) and np.array_equal(found, wanted)
    with pytest.raises(ValueError, match="holds nothing"):
        value_of(attributes(PATH, file, ("nothing",))["nothing"])
    with pytest.raises(KeyError):
        attributes(PATH, file, ("missing",))
    for name in ("text", "numbers", "parts", "place"):
        kinds = "text of variable length" if name == "text" else "lists, records or references"
        wanted = "numbers or text of fixed length; if an earlier version wrote it, remo"
        with pytest.raises(ValueError, match=f"^{PATH}: {name}: found {kinds}, wanted {wanted}"):
            attributes(PATH, file, ("number", name))
