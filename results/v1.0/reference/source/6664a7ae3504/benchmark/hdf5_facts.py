"""Read the attributes and datasets of an open HDF5 file by HDF5's own calls. h5py's objects cost more, which for a
small sample is most of the time."""

from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from h5py import h5a, h5d, h5g, h5l, h5o, h5s, h5t

AGAIN = "remove the folder and generate the data again"


class Data(NamedTuple):
    """A dataset whose bytes are in the file itself. `chunks` is None for contiguous storage."""

    id: h5d.DatasetID
    shape: tuple[int, ...]
    chunks: tuple[int, ...] | None
    dtype: np.dtype

    def read(self, start: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
        """Return the part of this shape that begins at `start`."""
        found, space = np.empty(shape, self.dtype), self.id.get_space()
        space.select_hyperslab(start, shape)
        self.id.read(h5s.create_simple(shape), space, found)
        return found


def data_of(file: h5py.File, name: str) -> Data:
    """Return the dataset at the path `name`, whose bytes must be in the file itself.

    Raises ValueError for a link, an external file or a virtual dataset, before anything of it is read. These lead to
    other files, which may be pipes.
    """
    found = file.id
    for key in name.encode().split(b"/"):
        links = found.links if isinstance(found, h5g.GroupID) else None
        if links is None or not links.exists(key) or links.get_info(key).type != h5l.TYPE_HARD:
            raise ValueError(f"found no dataset /{name} in the file itself")
        found = h5o.open(found, key)
    if not isinstance(found, h5d.DatasetID):
        raise ValueError(f"found no dataset /{name}")
    made = found.get_create_plist()
    layout = made.get_layout()
    if layout == h5d.VIRTUAL or made.get_external_count():
        raise ValueError(f"/{name}: found its bytes in other files, wanted them in this one")
    return Data(found, found.shape, made.get_chunk() if layout == h5d.CHUNKED else None, found.dtype)


class Attribute(NamedTuple):
    """An attribute whose value has not been read yet. `shape` is None for an empty attribute."""

    id: h5a.AttrID
    shape: tuple[int, ...] | None


def attributes(path: Path, file: h5py.File, names: tuple[str, ...]) -> dict[str, Attribute]:
    """Return the root's attributes of these names. Raises KeyError for one that is missing, and ValueError, naming the
    file, for one whose value is neither a number nor text of a fixed length.

    A value of variable length lies in a global heap, which has no checksum: HDF5 may read a damaged one for ever.
    """
    found = {}
    for name in names:
        opened = h5a.open(file.id, name.encode())
        kind, space = opened.get_type(), opened.get_space()
        text = isinstance(kind, h5t.TypeStringID) and not kind.is_variable_str()
        if not text and not isinstance(kind, h5t.TypeIntegerID | h5t.TypeFloatID):
            kinds = "text of variable length" if isinstance(kind, h5t.TypeStringID) else "lists, records or references"
            wanted = f"numbers or text of fixed length; if an earlier version wrote it, {AGAIN}"
            raise ValueError(f"{path}: {name}: found {kinds}, wanted {wanted}")
        found[name] = Attribute(opened, None if space.get_simple_extent_type() == h5s.NULL else space.shape)
    return found


def value_of(attribute: Attribute) -> Any:
    """Return an attribute's value as h5py does, a single one as a scalar. Raises ValueError for an empty attribute."""
    if attribute.shape is None:
        raise ValueError("found an attribute that holds nothing, wanted a value")
    found = np.zeros(attribute.shape, attribute.id.dtype)
    attribute.id.read(found)
    return found if attribute.shape else found[()]
