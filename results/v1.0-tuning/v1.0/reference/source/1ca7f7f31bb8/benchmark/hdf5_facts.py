"""What an open HDF5 file says of its attributes and datasets, by HDF5's own calls: h5py's objects cost more, and of a
small sample they are most of the time."""

from typing import Any, NamedTuple

import h5py
import numpy as np
from h5py import h5a, h5d, h5l, h5s


class Data(NamedTuple):
    """A dataset whose bytes are in the file itself. `chunks` is None of one that is contiguous."""

    id: h5d.DatasetID
    shape: tuple[int, ...]
    chunks: tuple[int, ...] | None
    dtype: np.dtype

    def read(self, start: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
        """A part of it."""
        found, space = np.empty(shape, self.dtype), self.id.get_space()
        space.select_hyperslab(start, shape)
        self.id.read(h5s.create_simple(shape), space, found)
        return found


def data_of(file: h5py.File, name: str) -> Data:
    """A dataset right below the root. Raises ValueError for another one, as `hdf5.dataset` does, before anything of it
    is read: links, external files and virtual datasets lead to files that nobody asked for."""
    key = name.encode()
    if not file.id.links.exists(key) or file.id.links.get_info(key).type != h5l.TYPE_HARD:
        raise ValueError(f"found no dataset /{name} in the file itself")
    found = h5py.h5o.open(file.id, key)
    if not isinstance(found, h5d.DatasetID):
        raise ValueError(f"found no dataset /{name}")
    made = found.get_create_plist()
    layout = made.get_layout()
    if layout == h5d.VIRTUAL or made.get_external_count():
        raise ValueError(f"/{name}: found its bytes in other files, wanted them in this one")
    return Data(found, found.shape, made.get_chunk() if layout == h5d.CHUNKED else None, found.dtype)


def attributes(file: h5py.File, names: tuple[str, ...]) -> dict[str, h5a.AttrID]:
    """The attributes of the root, none of them read yet. Raises KeyError for one that is missing."""
    return {name: h5a.open(file.id, name.encode()) for name in names}


def value_of(attribute: h5a.AttrID) -> Any:
    """What it holds, as h5py gives it: text of variable length as str, a single value as a scalar. Raises ValueError
    for one that holds nothing."""
    if attribute.get_space().get_simple_extent_type() == h5s.NULL:
        raise ValueError("found an attribute that holds nothing, wanted a value")
    dtype = attribute.dtype
    found = np.zeros(attribute.shape, dtype)
    attribute.read(found)
    value = found[()] if found.shape == () else found
    text = h5py.check_string_dtype(dtype)
    return value.decode("utf-8", "surrogateescape") if text and text.length is None and type(value) is bytes else value
