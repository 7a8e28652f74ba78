import shutil

import h5py
import numpy as np
import pytest

from benchmark.scaffold import store
from benchmark.scaffold.description import read_header


@pytest.mark.parametrize(
    ("shape", "options", "said"),
    [
        ((2, 2, 2, 33), {}, r"bricks: found uint8 \(2, 2, 2, 33\), wanted uint8 \(2, 2, 2, 32\)"),
        ((1 << 13, 1 << 13, 2, 32), {"chunks": (1, 1, 1, 32)}, r"bricks: found uint8 \(8192, 8192, 2, 32\) in chunks"),
        ((2, 2, 2, 32), {"chunks": (2, 2, 2, 32), "compression": "gzip"}, "in chunks of"),
        ((2, 2, 2, 32), {"external": "/etc/passwd"}, "found its bytes in other files"),
    ],
)
def test_bricks_of_another_shape_or_elsewhere_are_not_read(stored, shape, options, said):
    with h5py.File(stored[0], "a") as file:
        del file["bricks"]
        file.create_dataset("bricks", shape, "u1", **options)
    with pytest.raises(ValueError, match=rf"00002\.h5: .*{said}"):
        store.read_box(stored[0])


@pytest.mark.parametrize("name", ["volume", "label", "bricks"])
def test_a_link_to_another_file_is_not_followed(stored, tmp_path, name):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file[name] = np.zeros(3, np.uint8)
    with h5py.File(stored[0], "a") as file:
        del file[name]
        file[name] = h5py.ExternalLink(str(tmp_path / "other.h5"), name)
    with pytest.raises(ValueError, match=f"found no dataset /{name} in the file itself"):
        read_header(stored[0])


OTHER = r"found a volume of \(16, 16, 16\) in bricks of \(8, 8, 8\), wanted"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        *(("brick", side, OTHER) for side in (0, 16)),
        *(("side", side, OTHER) for side in (8, 10**6)),
        ("split", np.bytes_("\x1b[31mtrain\n"), r"holds sample 2 of \\x1b\[31mtrain\\n: the file was moved"),
        ("split", 3, "split: found .*3.*, wanted text"),
        ("digest", [1, 2], "wanted single values"),
        ("class_counts", 7, "and a list of class_counts"),
        ("class_counts", np.zeros(257, int), "found 257 class_counts, wanted at most 256"),
        ("split", "train", "split: found text of variable length, wanted .* generate the data again"),
        ("side", np.bytes_("x" * 1000), "truncated, corrupt or no sample of ours: invalid literal"),
    ],
)
def test_attributes_of_strangers_are_what_they_claim_to_be(stored, name, value, said):
    with h5py.File(stored[0], "a") as file:
        file.attrs[name] = value
    with pytest.raises(ValueError, match=rf"00002\.h5: .*{said}") as error:
        read_header(stored[0])
    assert str(error.value).isprintable() and len(str(error.value)) < 600


@pytest.mark.parametrize(("split", "sample"), [("train", 3), ("validation", 2)])
def test_a_renamed_file_is_refused(stored, tmp_path, split, sample):
    other = store.sample_path(tmp_path, split, sample)
    other.parent.mkdir(exist_ok=True)
    shutil.copy(stored[0], other)
    with pytest.raises(ValueError, match="holds sample 2 of train"):
        store.read_box(other)
