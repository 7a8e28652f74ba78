"""Archives: the same files give the same bytes, and nothing but these bytes is a package."""

import gzip
import io
import os
import tarfile
import tracemalloc

import pytest

from compliance.packing.archive import Package, header, unpack, verify, write
from compliance.packing.manifest import LARGEST, NAME, File, Manifest, Unsound, files_at

TEXT = {
    "README.md": b"text\n",
    "results/a.bin": bytes(range(256)) * 9,
    "results/empty": b"",
    "systems/ü.json": b"{}" * 256,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of a few files."""
    root = tmp_path_factory.mktemp("folder") / "acme"
    for path, data in TEXT.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


@pytest.fixture(scope="module")
def sound(folder):
    """The manifest of the folder, and its package."""
    manifest = Manifest("acme", "v1.0", files_at(folder, TEXT))
    return manifest, packed(manifest, folder)


def packed(manifest, folder):
    out = io.BytesIO()
    write(out, manifest, lambda path: (folder / path).open("rb"))
    return out.getvalue()


def put(tmp_path, data):
    path = tmp_path / "package.tar.gz"
    path.write_bytes(data)
    return path


def test_it_is_the_tar_that_the_standard_library_writes(sound, folder):
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in ((NAME, sound[0].data), *((f"acme/{path}", TEXT[path]) for path in sorted(TEXT))):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    assert gzip.decompress(sound[1]) == whole.getvalue()
    for path in TEXT:
        os.utime(folder / path, (1, 1))
    (folder / "README.md").chmod(0o600)
    assert packed(sound[0], folder) == sound[1]  # the same files give the same bytes


def test_it_is_verified_and_unpacked(sound, tmp_path):
    path = put(tmp_path, sound[1])
    assert verify(path) == sound[0]
    where = unpack(path, tmp_path / "new" / "v1.0")
    assert {p.relative_to(where).as_posix(): p.read_bytes() for p in where.rglob("*") if p.is_file()} == TEXT
    with pytest.raises(ValueError, match=r"acme: found something there, wanted nothing"):
        unpack(path, tmp_path / "new" / "v1.0")
    assert os.listdir(tmp_path / "new" / "v1.0") == ["acme"]


@pytest.mark.parametrize("change", [lambda d: d + b"x", lambda d: d[:-1], lambda d: d[:-1] + b"x"])
def test_a_file_that_changes_is_no_package(sound, folder, tmp_path, change):
    path = folder / "results" / "a.bin"
    path.write_bytes(change(TEXT["results/a.bin"]))
    try:
        with pytest.raises(ValueError, match=r"results/a\.bin: found other bytes than a moment ago"):
            packed(sound[0], folder)
    finally:
        path.write_bytes(TEXT["results/a.bin"])


def test_every_byte_of_the_tar_counts(sound, tmp_path):
    """A bit of any byte: of headers, contents, padding, or the end."""
    size = len(gzip.decompress(sound[1]))
    raw = bytearray(gzip.decompress(sound[1]))
    path = tmp_path / "p"
    edition = range(raw.index(b'"v1.0"') + 1, raw.index(b'"v1.0"') + 5)  # of another edition it is another package
    for at in (*range(0, 1100, 11), *range(1100, size, 197), size - 1):
        if at in edition:
            continue
        raw[at] ^= 1
        path.write_bytes(gzip.compress(bytes(raw), 0))
        with pytest.raises(ValueError):
            verify(path)
        raw[at] ^= 1


@pytest.mark.parametrize(("name", "size"), [("../../x", 0), (NAME, 2)])
def test_other_tars_are_none(tmp_path, name, size):
    info = tarfile.TarInfo(name)
    info.size = size
    path = tmp_path / "package.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.addfile(info, io.BytesIO(b"x" * info.size))
    for look in (verify, lambda p: unpack(p, tmp_path / "out")):
        with pytest.raises(Unsound):
            look(path)
    assert not (tmp_path / "out").exists() or not os.listdir(tmp_path / "out")


def test_members_that_the_manifest_does_not_name_are_none(sound, tmp_path, folder):
    """A link, or a file too many, in a package whose manifest is sound."""
    raw = gzip.decompress(sound[1])
    first = raw.index(b"acme/README.md")
    link = tarfile.TarInfo("acme/README.md")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    for new in (link.tobuf(tarfile.USTAR_FORMAT), header("acme/README.md", 6), header("acme/../../x", 5)):
        path = put(tmp_path, gzip.compress(raw[:first] + new + raw[first + len(new) :]))
        with pytest.raises(Unsound, match=r"README\.md: found other bytes than the manifest lets expect"):
            unpack(path, tmp_path / "out")
        assert os.listdir(tmp_path / "out") == []
    more = gzip.compress(raw.rstrip(b"\0") + bytes(1000) + header("acme/z", 0) + bytes(20480))
    with pytest.raises(Unsound):
        verify(put(tmp_path, more))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-9],
        lambda data: data + b"x",
        lambda data: gzip.decompress(data),
        lambda data: gzip.compress(gzip.decompress(data) + bytes(512)),
        lambda data: gzip.compress(gzip.decompress(data)[:-512]),
    ],
)
def test_what_is_cut_off_or_goes_on_is_none(sound, tmp_path, change):
    with pytest.raises(Unsound):
        verify(put(tmp_path, change(sound[1])))


def test_bombs_end_where_the_manifest_does(tmp_path):
    """Much of nothing in little, where a manifest or its header is expected; and a large file of which is little."""
    for head in (b"", header(NAME, LARGEST + 1), header(NAME, 1 << 20)):
        path = put(tmp_path, gzip.compress(head + bytes(1 << 26), 1))
        tracemalloc.start()
        with open(path, "rb") as file, pytest.raises(Unsound):
            Package(file)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 << 20
    manifest = Manifest("acme", "v1.0", (File("a", 4 << 30, "0" * 64),))
    raw = header(NAME, len(manifest.data)) + manifest.data
    raw += bytes(-len(manifest.data) % 512) + header("acme/a", 4 << 30) + b"few"
    with pytest.raises(Unsound, match=r"a: found 3 bytes, wanted 4294967296"):
        verify(put(tmp_path, gzip.compress(raw)))


def test_a_path_without_room_is_named_and_in_no_package(tmp_path):
    assert len(header("x" * 100, 0)) == 512 and len(header("y" * 155 + "/" + "x" * 100, 0)) == 512
    with pytest.raises(ValueError, match=r"found a path that does not fit into a package .*, wanted a shorter one"):
        header("x" * 101, 0)
    manifest = Manifest("acme", "v1.0", (File("x" * 200, 0, "0" * 64),))
    head = header(NAME, len(manifest.data))
    data = gzip.compress(head + manifest.data + bytes(-len(manifest.data) % 512))
    with pytest.raises(Unsound, match="found a path that does not fit into a package"):
        verify(put(tmp_path, data))


def test_no_link_and_no_pipe_is_read(sound, tmp_path):
    os.symlink(put(tmp_path, sound[1]), tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError):
        verify(tmp_path / "pipe")
    assert verify(tmp_path / "link") == sound[0]  # a link that its reader gives is his own
