"""Read and write TFRecord files with one tf.train.Example each, without TensorFlow.

A record has four parts, all little-endian: the length as uint64, the masked CRC32C of those 8 bytes, the data, and the
masked CRC32C of the data. Both sums are always checked. A file may be gzipped as a whole. The format is TensorFlow's
(tensorflow.org, "TFRecord and tf.train.Example"). The messages are Protocol Buffers (protobuf.dev, "Encoding"), of
which this module implements what an Example needs: feature {name: bytes_list | float_list | int64_list}.
"""

import gzip
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

import google_crc32c
import numpy as np
from isal import isal_zlib

from benchmark.log import open_regular
from benchmark.printable import printable

GZIP = b"\x1f\x8b\x08"  # begins a gzip member, and a record of 559,903 mod 2^24 bytes, which no sample has
HEAD, TAIL = 12, 4  # bytes of framing before and after the data
MASK_DELTA = 0xA282EAD8
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5  # wire types
FEATURES = FEATURE_ENTRY = KEY = VALUE_LIST = BYTES_LIST = 1  # field numbers
VALUE = FLOAT_LIST = 2
Value = bytes | np.ndarray  # a bytes feature's one value, or a float feature's values, float32 (n,)


def masked_crc(data: bytes) -> int:
    """Return the CRC32C of data, rotated and shifted, so that data which hold their own sum are no special case."""
    crc = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + MASK_DELTA) & 0xFFFFFFFF


def read_example(path: Path, most: int) -> dict[str, Value]:
    """Return the bytes and float features of the Example in a file, gzipped or not, of at most `most` bytes inflated.

    Raises ValueError, naming the file, when it is missing, truncated, corrupt or of another content.
    """
    try:
        with open_regular(path) as file:
            raw = file.read(2 * most)  # more than gzip makes of the most that can't be compressed
        return parse_example(one_record(inflate(raw, most)))
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise ValueError(printable(f"{path}: {error}")) from None


def write_example(path: Path, features: Mapping[str, Value], level: int = 4) -> None:
    """Write a gzipped file with one Example. The same features and the same zlib give the same bytes."""
    data = example(features)
    length = struct.pack("<Q", len(data))
    parts = (length, struct.pack("<I", masked_crc(length)), data, struct.pack("<I", masked_crc(data)))
    Path(path).write_bytes(gzip.compress(b"".join(parts), level, mtime=0))


def inflate(raw: bytes, most: int) -> bytes:
    """Return the content of a file that may be gzipped. Raises ValueError for more than `most` bytes, before they fill
    the memory, and for a damaged stream."""
    if not raw.startswith(GZIP):
        return raw
    stream = isal_zlib.decompressobj(wbits=31)  # 16: gzip, 15: any window; three times as fast as zlib's
    try:
        data = stream.decompress(raw, most + 1)
    except isal_zlib.error as error:
        raise ValueError(f"corrupt gzip: {error}") from None
    if len(data) > most:
        raise ValueError(f"found more than {most} bytes inflated, wanted one sample")
    if not stream.eof:
        raise ValueError(f"truncated: the gzip stream ends after {len(data)} bytes without its end")
    if stream.unused_data:
        raise ValueError(f"found {len(stream.unused_data)} bytes after the gzip stream, wanted none")
    return data


def one_record(framed: bytes) -> bytes:
    """Return the data of a file's only record. Raises ValueError for a wrong CRC, a cut-off record, a second one."""
    if len(framed) < HEAD:
        raise ValueError(f"truncated record: found {len(framed)} bytes, wanted its {HEAD} bytes of length and CRC")
    length, crc = struct.unpack_from("<QI", framed)
    check_crc("length", framed[:8], crc)
    wanted = HEAD + length + TAIL
    if len(framed) < wanted:
        raise ValueError(f"truncated record: found {len(framed)} bytes, wanted {wanted}")
    if len(framed) > wanted:
        raise ValueError(f"found {len(framed) - wanted} bytes after the record, wanted one record and no more")
    data = framed[HEAD : HEAD + length]
    check_crc("data", data, struct.unpack_from("<I", framed, HEAD + length)[0])
    return data


def check_crc(of: str, data: bytes, stated: int) -> None:
    """Raise ValueError unless the masked CRC32C is the one that the record states."""
    found = masked_crc(data)
    if found != stated:
        raise ValueError(f"wrong CRC of the record's {of}: found {found:#010x}, wanted {stated:#010x} as stated")


def parse_example(data: bytes) -> dict[str, Value]:
    """Return the bytes and float features of an Example by name; of a bytes list the first value. Values are views of
    `data` or copies. Raises ValueError for anything but an Example."""
    found: dict[str, Value] = {}
    view = memoryview(data)
    for features in submessages(view, FEATURES):
        for entry in submessages(features, FEATURE_ENTRY):
            name, value = b"", None
            for number, part in fields(entry):
                if number == KEY:
                    name = bytes(part)
                elif number == VALUE:
                    value = feature(part)
            if value is not None:
                found[name.decode("utf-8", "replace")] = value
    return found


def feature(message: memoryview) -> Value | None:
    """Return a Feature's value: the first of a bytes list, all of a float list, None for integers and empty lists."""
    for number, part in fields(message):
        if number == BYTES_LIST:
            return next(submessages(part, VALUE_LIST), None)
        if number == FLOAT_LIST:  # packed, or one by one
            floats = b"".join(bytes(values) for values in submessages(part, VALUE_LIST))
            if len(floats) % 4:
                raise ValueError(f"not an Example: found a float list of {len(floats)} bytes, wanted a multiple of 4")
            return np.frombuffer(floats, "<f4").astype(np.float32)
    return None


def submessages(message: memoryview, number: int) -> Iterator[memoryview]:
    """Yield the values of all fields with that number."""
    return (part for found, part in fields(message) if found == number)


def fields(message: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Yield (field number, bytes of the value) of a message in order. Integers are skipped."""
    position = 0
    while position < len(message):
        tag, position = varint(message, position)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            _, position = varint(message, position)
            continue
        if kind == LENGTH:
            length, position = varint(message, position)
        elif kind in (FIXED64, FIXED32):
            length = 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"not an Example: found wire type {kind} in the message")
        if position + length > len(message):
            raise ValueError(f"not an Example: a field of {length} bytes runs past the message's end")
        yield number, message[position : position + length]
        position += length


def varint(message: memoryview, position: int) -> tuple[int, int]:
    """Return the integer at `position`, seven bits a byte with the lowest first, and the position after it."""
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(message):
            raise ValueError("not an Example: the message ends within a number")
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise ValueError("not an Example: found a number of more than 10 bytes")


def example(features: Mapping[str, Value]) -> bytes:
    """Return the Example with these features, in order of name: bytes as a bytes list, arrays as a float list."""
    entries = []
    for name in sorted(features):
        value = features[name]
        if isinstance(value, bytes):
            inner = field(BYTES_LIST, field(VALUE_LIST, value))
        else:
            inner = field(FLOAT_LIST, field(VALUE_LIST, np.ascontiguousarray(value, "<f4").tobytes()))
        entries.append(field(FEATURE_ENTRY, field(KEY, name.encode()) + field(VALUE, inner)))
    return field(FEATURES, b"".join(entries))


def field(number: int, content: bytes) -> bytes:
    """Return a field with this content, preceded by its length."""
    return to_varint(number << 3 | LENGTH) + to_varint(len(content)) + content


def to_varint(value: int) -> bytes:
    """Return the bytes from which `varint` reads the value."""
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
