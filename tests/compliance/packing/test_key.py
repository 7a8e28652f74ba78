"""Keys: whose package they are of, and that they put back names and nothing else."""

import json
import os
import tempfile
from dataclasses import replace

import pytest

from compliance.packing.archive import unpack
from compliance.packing.key import LARGEST, patched, read_key, restored
from compliance.packing.manifest import Unsound
from compliance.packing.pack import pack
from tests.compliance.packing.conftest import judging


def restore(package, key, to):
    return unpack(package, to, restored(key, "key"))


def test_a_key_of_another_package_is_refused(blind, tmp_path, tree, law):
    key = read_key(blind[2])
    assert key.data == blind[2].read_bytes() and key.digest == blind[3].manifest.key
    other = replace(read_key(blind[2]), salt="other")
    with pytest.raises(Unsound, match=r"^key: found a key of sha256 \w+, wanted \w+$"):
        restore(blind[1], other, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    pack(tree.root, tmp_path / "a.tar.gz", judging(law))
    with pytest.raises(Unsound, match="wanted none: the package is not anonymous"):
        restore(tmp_path / "a.tar.gz", read_key(blind[2]), tmp_path / "out")


NAMES = "names that stand for something else than pseudonyms"


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"format": "scaffold-key-2"}, "another format"),
        *(({"files": {"a": wrong}}, "no key") for wrong in (5, ["b", [[0, 0]]], ["b", [[0, 0, "\u2014"]]])),
        ({"original": "{}"}, "a manifest that is written otherwise"),
        ({"more": 1}, "a key that is written otherwise"),
        *(({"names": names}, NAMES) for names in ([], {"0.9": "0.8"}, {"acme": 5}, {"acme": "org1"})),
    ],
)
def test_other_files_are_no_keys(blind, tmp_path, change, found):
    path = tmp_path / "key"
    path.write_text(json.dumps(json.loads(blind[2].read_bytes()) | change, sort_keys=True) + "\n")
    with pytest.raises(Unsound, match=f"found {found}"):
        read_key(path)
    os.truncate(path, LARGEST + 1)
    with pytest.raises(Unsound, match=f"found {LARGEST + 1} bytes, wanted a key of at most {LARGEST}"):
        read_key(path)


HEADER = b"\x08" + bytes(7) + b"{}      "  # of a file of weights


def put_back(data, *spots, weights=False, **hidden):
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return b"".join(patched(file, spots, "key", hidden, weights))


def test_names_digests_and_bytes_are_put_back():
    assert put_back(b"by org1.", (3, 4, b"Acme"), acme="org1") == b"by Acme."
    assert put_back(b"org1org1", (0, 4, b"a"), (4, 4, b"a"), a="org1") == b"aa"
    assert put_back(b"x" + b"0" * 64, (1, 64, b"1" * 64)) == b"x" + b"1" * 64
    assert put_back(b'{"bytes": 12}', (10, 2, b"999")) == b'{"bytes": 999}'
    assert put_back(HEADER + b"data", (0, 16, b"\x09" + bytes(7) + b'{"a": {}}'), weights=True)[8:] == b'{"a": {}}data'


@pytest.mark.parametrize(
    "spots",
    [
        [(0, 3, b"0.9")],  # a score in place of another
        [(0, 4, b"bolt")],  # a name that was not hidden
        *([spot] for spot in ((0, 0, b"more"), (4, 1, b""), (5, 4, b"acme"), (-1, 4, b"acme"))),
        *([spot] for spot in (("0", 4, b"acme"), (0, True, b"acme"))),
        [(4, 4, b"acme"), (0, 4, b"acme")],
    ],
)
def test_nothing_else_is(spots):
    with pytest.raises(Unsound, match=r"^key: found "):
        put_back(b"org1 0.5", *spots, acme="org1")
    for data, spot in ((b"0.5 org1", (4, 5, b"acme")), (b"org1", (0, 4, b"1" * 64)), (b"0" * 64, (0, 64, b"0.9"))):
        with pytest.raises(Unsound, match=r"^key: found "):
            put_back(data, spot, acme="org1")
    with pytest.raises(Unsound, match="found 5000 bytes that are replaced"):  # no more is read at once
        put_back(bytes(5000), (0, 5000, b"acme"))


@pytest.mark.parametrize(
    "spot", [(0, 20, HEADER + b"tada"), (0, 16, HEADER + b"tada"), (0, 16, b""), (0, 18, b"\x0a" + HEADER[1:] + b"ta")]
)
def test_of_weights_the_header_alone_is_put_back(spot):
    with pytest.raises(Unsound, match="wanted a name, a digest, or bytes"):
        put_back(HEADER + b"data", spot, weights=True)


def test_a_key_that_a_submitter_forged_changes_nothing(blind, tmp_path, monkeypatch):
    """Its sha256 is the one that the package has: other numbers come back, in other places, or from other files."""
    key = read_key(blind[2])
    log = next(path for path in key.files if path.endswith("result_0.txt") and "superseded" not in path)
    before, spots = key.files[log]
    others = tuple(replace(file, sha256="0" * 64) for file in key.original.files)
    monkeypatch.setattr(type(key), "digest", key.digest)
    for forged, wanted in (
        ({"files": {**key.files, log: (before, ((40, 3, b"0.1"), *spots))}}, "a name, a digest, or bytes"),
        ({"files": {path: ("../x", spots) for path, (_, spots) in key.files.items()}}, "plain relative paths"),
        ({"original": replace(key.original, files=others)}, rf"{others[0].path}, \d+ bytes, sha256 0+$"),
    ):
        with pytest.raises(Unsound, match=f"wanted {wanted}"):
            restore(blind[1], replace(key, **forged), tmp_path)
        assert list(tmp_path.iterdir()) == []
