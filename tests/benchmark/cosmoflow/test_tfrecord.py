import gzip
import os
import struct

import numpy as np
import pytest

from benchmark.cosmoflow.tfrecord import example, masked_crc, parse_example, read_example, to_varint, write_example

FEATURES = {"x": bytes(range(256)) * 3, "y": np.array([0.5, -1, 1.25, 3], np.float32)}
MOST = 1 << 20


def frame(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "a.tfrecord.gz"
    write_example(path, FEATURES)
    found = read_example(path, MOST)
    assert bytes(found["x"]) == FEATURES["x"] and found["y"].tolist() == FEATURES["y"].tolist()
    assert gzip.decompress(path.read_bytes()) == frame(example(FEATURES))


def test_checksum_and_message_of_the_standards():
    """CRC32C of the nine digits is 0xe3069283 (RFC 3720's polynomial); masked, as TensorFlow's source has it. The
    message is written out by hand after protobuf.dev/programming-guides/encoding."""
    assert masked_crc(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF
    entry = b"\x0a\x01x" + b"\x12\x06\x0a\x04\x0a\x02hi"
    assert example({"x": b"hi"}) == b"\x0a\x0d\x0a\x0b" + entry
    assert bytes(parse_example(example({"x": b"hi"}))["x"]) == b"hi"
    assert to_varint(300) == b"\xac\x02"


def test_other_writers_messages():
    """Floats one by one, integers, unknown fields, several entries of one name, an empty feature."""
    floats = b"\x12\x0a" + b"\x0d" + struct.pack("<f", 1) + b"\x0d" + struct.pack("<f", 2)
    entries = [(b"y", floats), (b"n", b"\x1a\x03\x0a\x01\x07"), (b"e", b""), (b"x", b"\x0a\x03\x0a\x01a")]
    entries += [(b"x", b"\x0a\x03\x0a\x01b")]
    body = b""
    for name, feature in entries:
        entry = b"\x0a" + bytes([len(name)]) + name + b"\x12" + bytes([len(feature)]) + feature
        body += b"\x0a" + bytes([len(entry)]) + entry
    unknown = b"\x18\x96\x01" + b"\x25" + bytes(4) + b"\x29" + bytes(8)
    found = parse_example(b"\x0a" + to_varint(len(body)) + body + unknown)
    assert found.keys() == {"x", "y"}
    assert found["y"].tolist() == [1, 2] and bytes(found["x"]) == b"b"


DAMAGE = {
    "no such file": lambda data: None,
    "no regular file": lambda data: None,
    "truncated record: found 11 bytes, wanted its 12": lambda data: data[:11],
    "truncated record: found 500 bytes, wanted 8": lambda data: data[:500],
    "wrong CRC of the record's length: found 0x": lambda data: b"\x01" + data[1:],
    "wrong CRC of the record's data: found 0x": lambda data: data[:400] + bytes([data[400] ^ 1]) + data[401:],
    "bytes after the record, wanted one record": lambda data: data + data,
    "truncated: the gzip stream ends after": lambda data: gzip.compress(data)[:-20],
    "corrupt gzip": lambda data: gzip.compress(data)[:30] + b"\xff" * 40 + gzip.compress(data)[70:],
    "found 5 bytes after the gzip stream": lambda data: gzip.compress(data) + b"extra",
    "more than 1048576 bytes inflated": lambda data: gzip.compress(bytes(1 << 22)),
    "the message ends within a number": lambda data: frame(b"\xff"),
    "runs past the message's end": lambda data: frame(b"\x0a\x7f"),
    "found wire type 3": lambda data: frame(b"\x0b"),
    "more than 10 bytes": lambda data: frame(b"\xff" * 11),
    "float list of 3 bytes": lambda data: frame(b"\x0a\x0e\x0a\x0c\x0a\x01y\x12\x07\x12\x05\x0a\x03abc"),
}


@pytest.mark.parametrize("message", DAMAGE)
def test_damage_gets_one_line_that_names_the_file(tmp_path, message):
    path = tmp_path / "a.tfrecord"
    content = DAMAGE[message](frame(example(FEATURES)))
    if content is not None:
        path.write_bytes(content)
    elif "regular" in message:
        os.mkfifo(path)  # which is not waited for
    with pytest.raises(ValueError) as error:
        read_example(path, MOST)
    assert str(error.value).startswith(f"{path}: ") and message in str(error.value) and "\n" not in str(error.value)


def test_a_published_library_reads_and_writes_the_same(tmp_path):
    library = pytest.importorskip("tfrecord")
    path = tmp_path / "a.tfrecord.gz"
    write_example(path, FEATURES)
    description = {"x": "byte", "y": "float"}
    (found,) = library.reader.tfrecord_loader(str(path), None, description, compression_type="gzip")
    assert bytes(found["x"]) == FEATURES["x"] and found["y"].tolist() == FEATURES["y"].tolist()
    path = tmp_path / "a.tfrecord"
    writer = library.TFRecordWriter(str(path))
    writer.write({"x": (FEATURES["x"], "byte"), "y": (FEATURES["y"].tolist(), "float"), "n": (3, "int")})
    writer.close()
    found = read_example(path, MOST)
    assert bytes(found["x"]) == FEATURES["x"] and found["y"].tolist() == FEATURES["y"].tolist()
