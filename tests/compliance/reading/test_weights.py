"""What is read of a log's weights and of a file of them."""

import hashlib
import json

import numpy as np
import pytest
import safetensors.numpy

from compliance.reading import weights
from compliance.reading.values import Unsound


def written(tmp_path, data):
    path = tmp_path / "weights" / "result_3.safetensors"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def crafted(tmp_path, header, numbers=4, length=None):
    """A file with this header, an object or bytes, and so many numbers."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = len(text) if length is None else length
    return written(tmp_path, size.to_bytes(8, "little") + text + bytes(4 * numbers))


def tensor(shape, begin, end, **more):
    return {"dtype": "F32", "shape": shape, "data_offsets": [begin, end], **more}


def test_what_the_library_writes_is_read(tmp_path):
    state = {"b.weight": np.ones((2, 3), "f4"), "a": np.zeros((), "f4"), "empty": np.zeros((0, 5), "f4")}
    path = written(tmp_path, safetensors.numpy.save(state))
    found = weights.read_tensors(path)
    assert {t.name: t.size for t in found} == {"b.weight": 6, "a": 1, "empty": 0}
    data = path.read_bytes()
    (six,) = (t for t in found if t.name == "b.weight")
    assert data[six.start : six.start + 24] == np.ones(6, "f4").tobytes()


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (b"{", "a header of 1 bytes"),
        (b"{}", "0 tensors"),
        (b"\x80\x04", "a header that is no JSON"),
        ({str(i): tensor([0], 0, 0) for i in range(10_001)}, "10001 tensors, wanted 1 to 10000 tensors"),
        (b"{}".ljust((1 << 20) + 1), "a header of 1048577 bytes in a file of 1048601, wanted 2 to 1048576"),
        ({"__metadata__": {"x": "y"}, "a": tensor([4], 0, 16)}, "metadata"),
        ({"a\nb": tensor([4], 0, 16)}, "the name 'a\\nb'"),
        ({"": tensor([4], 0, 16)}, "the name ''"),
        ({"a" * 256: tensor([4], 0, 16)}, "the name 'aaa"),
        ({"a": 7}, "of None"),
        ({"a": tensor([4], 0, 16, dtype="F64")}, "of 'F64'"),
        ({"a": tensor([-1], 0, 16)}, "of shape [-1]"),
        ({"a": tensor([1 << 53], 0, 16)}, "at [0, 16]"),  # as many as one may have
        ({"a": tensor([(1 << 53) + 1], 0, 16)}, "of shape"),
        ({"a": tensor([True], 0, 4)}, "of shape [True]"),
        ({"a": tensor([1] * 9, 0, 4)}, "of shape"),
        ({"a": tensor([1 << 30, 1 << 30], 0, 16)}, "of shape"),
        ({"a": tensor([4], 0, 12)}, "at [0, 12], wanted [begin, end] of 16 bytes"),
        ({"a": {**tensor([4], 0, 16), "data_offsets": [0, 16, 32]}}, "at [0, 16, 32]"),
        ({"a": tensor([3], 4, 16)}, "tensor 'a' at 4"),
        ({"a": tensor([2], 0, 8), "b": tensor([2], 4, 12)}, "tensor 'b' at 4, wanted 8, where the one before ends"),
        ({"a": tensor([5], 0, 20)}, "86 bytes, wanted 90"),
    ],
)
def test_what_is_unsound_says_what_was_found_and_is_wanted(tmp_path, header, wanted):
    with pytest.raises(Unsound) as error:
        weights.read_tensors(crafted(tmp_path, header))
    assert wanted in f"{error.value.found}, wanted {error.value.wanted}" and error.value.wanted


@pytest.mark.parametrize(
    "header",
    [
        json.dumps({"a": tensor([4], 0, 16)}).encode().ljust(weights.LARGEST_HEADER),
        {"a" * 255: tensor([1] * 7 + [4], 0, 16)},
        {str(i): tensor([0], 0, 0) for i in range(9_999)} | {"a": tensor([4], 0, 16)},
    ],
    ids=range(3),
)
def test_what_is_just_sound(tmp_path, header):
    assert sum(found.size for found in weights.read_tensors(crafted(tmp_path, header))) == 4


def test_a_header_longer_than_its_file(tmp_path):
    header = json.dumps({"a": tensor([4], 0, 16)}).encode()
    for length in (len(header) + 17, 1000):  # 16 bytes follow the header
        with pytest.raises(Unsound, match=f"a header of {length} bytes in a file of {8 + len(header) + 16}"):
            weights.read_tensors(crafted(tmp_path, header, length=length))


@pytest.mark.parametrize(
    ("numbers", "odd"), [([1.0, -3e38, 3e38], None), ([1.0, np.nan], ("a", 1)), ([-np.inf, 2.0, -np.inf], ("a", 2))]
)
def test_numbers_that_are_not_finite_are_counted(tmp_path, numbers, odd):
    path = written(tmp_path, safetensors.numpy.save({"a": np.array(numbers, "f4")}))
    assert weights.not_finite(path) == odd


def test_contents_are_of_the_largest_tensors_that_vary(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "BLOCK", 64)
    data, late = np.arange(64, dtype="f4"), np.array([1] * 99 + [2], "f4")
    state = {"a": data, "b": np.ones(100, "f4"), "c": data[:63], "d": late}
    found = weights.contents(written(tmp_path, safetensors.numpy.save(state)))
    assert found == {hashlib.sha256(one.tobytes()).hexdigest(): len(one) for one in (data, late)}
    state = {f"t{i}": np.arange(64 + i, dtype="f4") + i for i in range(weights.MOST_COMPARED + 1)}
    found = weights.contents(written(tmp_path, safetensors.numpy.save(state)))
    assert sorted(found.values()) == list(range(65, 65 + weights.MOST_COMPARED))


def test_digests_are_of_files_up_to_a_size_and_of_no_link(tmp_path):
    path = written(tmp_path, b"12345")
    digest = hashlib.sha256(b"12345").hexdigest()
    assert [weights.digest_of(path, most) for most in (4, 5, 6)] == [(5, ""), (5, digest), (5, digest)]
    link = path.with_name("result_4.safetensors")
    link.symlink_to(path)
    folder = tmp_path / "linked"
    folder.symlink_to(path.parent)
    for one in (link, folder / path.name, path.parent):
        with pytest.raises(OSError):
            weights.open_weights(one)


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("results/s/strong/b/weights/x", True),
        ("results/s/b/weights/x", True),
        ("results/s/strong/b/weights/more/x", False),
        ("results/s/strong/b/superseded/1/weights/x", False),
        ("results/weights/x", False),
        ("results/s/weights/x", False),
        ("source/s/strong/b/weights/x", False),
    ],
)
def test_the_folder_of_weights(path, inside):
    assert weights.in_folder(tuple(path.split("/"))) is inside
